"""rgenv/pages/page.html and its scripts, in a browser: what people ask about a run."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from rgenv.cli.view import main
from tests.support.browser import Opened, opened
from tests.support.samples import sample
from tests.support.viewed import DUMP, FAILED, report, row, trainer_group, write_lines

pytestmark = pytest.mark.soak

STEPS = 60
BROKEN = "<think>Well.</think>So it is 42."
HOSTILE = (
    "</script></pre><img src=x onerror=\"document.title='x'\"><script>document.title='x'</script>"
    "<!-- \u2028\u2029 \ud800 \udfff \u202egnp.exe \x00\x1b[31m {{title}} <style>*{display:none}"
)
SHOWN = HOSTILE.split(" \u2028")[0]


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 60 steps, each with a group of four tasks, and an evaluation.

    `gcd` gets worse after step 40. `lcm` moves from level 0.2 to 0.4 at step 31, and its accuracy
    stays. A verifier of `maze` fails twice. `bf` writes right answers without tags, and one
    constant wrong answer, which is hostile.
    """
    folder = tmp_path_factory.mktemp("run")
    for step in range(1, STEPS + 1):
        good = float(step <= 40)
        common: dict[str, Any] = {"time": 100.0 + 10 * step, "completion_tokens": [10, 20]}
        failed = ["timeout" if step in (5, 9) else "scored", "scored"]
        wrong = [BROKEN, f"<answer>{HOSTILE}</answer>"]
        unread = {"texts": wrong, "verdicts": ["no_answer", "scored"]}
        write_lines(
            folder / DUMP,
            row(f"gcd-{step}", [good, 0.0], question=f"Number {step}?", **common),
            row(f"lcm-{step}", task="lcm", **common | {"level": 0.4 if step > 30 else 0.2}),
        )
        write_lines(
            folder / FAILED,
            row(f"maze-{step}", [0.0, 0.0], task="maze", verdicts=failed, **common),
            row(f"bf-{step}", [0.0, 0.0], task="bf", **unread, **common),
        )
        numbers = {"train__accuracy": 0.5, "train__reward": 0.4, "tokens__trained": 10.0 * step}
        write_lines(folder / "metrics.jsonl", report(step, 100.5 + 10 * step, **numbers))
    write_lines(folder / "evals" / "samples.jsonl", *(sample("gcd", n) for n in range(5)))
    assert main([str(folder)]) == 0
    return folder / "view.html"


def heads_of(view: Opened) -> list[str]:
    return view.page.locator("[data-summary]").evaluate_all(
        "heads => heads.map((head) => head.dataset.summary)"
    )


def column(view: Opened, name: str) -> dict[str, str]:
    """Return task -> text in a column of the table of tasks, in the order of its rows."""
    place = heads_of(view).index(name)
    return {line[0]: line[place] for line in view.cells("#summary tbody tr")}


def follow(view: Opened, name: str, task: str) -> None:
    """Click a number in the table of tasks, and wait for its groups."""
    place = list(column(view, "task")).index(task)
    cell = view.page.locator("#summary tbody tr").nth(place).locator("th, td")
    cell.nth(heads_of(view).index(name)).locator("button").click()
    view.wait(lambda: f"task={task}" in view.page.url)


def choose(view: Opened, number: int = 0) -> None:
    view.page.locator("#list .rows .row").nth(number).click()
    view.page.wait_for_selector("#detail .card")


def split(view: Opened, step: int) -> None:
    view.page.locator("#change input").fill(str(step))
    view.page.locator("#change input").blur()
    view.wait(lambda: f"After step {step}," in view.texts("#change")[0])


def test_filters(view: Opened) -> None:
    assert view.count() == "240 of 245 groups pass the filters."
    for name, value, wanted in [
        ("task", "maze", 60),
        ("category", "games", 60),
        ("level", "0.2 to 0.4", 30),
        ("verdict", "timeout", 2),
        ("verdict", "misplaced", 60),
        ("outcome", "none", 140),
        ("informative", "no", 140),
        ("informative", "wrong", 78),
        ("from", "51", 40),
        ("text", "number 17?", 1),
        ("source", "all", 245),
    ]:
        view.choose(name, value)
        shown = "245 groups. Choose" if wanted == 245 else f"{wanted} of 245 groups pass"
        assert view.count().startswith(shown), (name, value)
        view.page.get_by_text("Clear filters").click()
        view.wait(lambda: view.count().startswith("240 of 245"))


def test_sorting_and_curves(view: Opened) -> None:
    """A click on a head sorts by it, a second one the other way round. The curves have the values
    of metrics.jsonl, at the end and at the pointer."""
    assert view.texts("#charts figcaption")[:2] == ["Reward and score", "Accuracy"]
    assert view.texts("#charts .keys")[0] == "step 60: reward 40.0 %"
    view.page.locator("#charts svg").first.hover(position={"x": 45, "y": 40})
    assert "step 1: " in view.texts("#charts .keys")[0]
    head = view.page.locator("[data-sort=task]")
    head.click()
    assert view.rows() == sorted(view.rows()) and view.rows()[0] == "bf"
    head.click()
    assert view.rows()[0] == "maze"
    assert view.page.locator(".list [aria-sort=descending]").count() == 1
    choose(view)
    view.page.locator("[data-sort=length]").dispatch_event("click")  # hidden beside a group
    assert view.page.locator("#list").evaluate("list => list.scrollTop") == 0


def test_a_group_side_by_side(view: Opened) -> None:
    view.choose("task", "gcd")
    choose(view)
    assert view.texts("#detail h4 + pre")[:2] == ["Number 1?", "42"]
    assert view.texts("#detail mark") == ["42", "41"]
    names = [text.split(": ")[1] for text in view.texts("#detail .card h4")]
    assert names == ["solved", "wrong"]
    assert view.page.locator("#detail .thinking[open]").count() == 0
    view.page.keyboard.press("t")
    assert view.page.locator("#detail .thinking[open]").count() == 2


def test_keys_and_links(view: Opened, started: Any, run_page: Path) -> None:
    for key in ("j", "j", "j", "k"):
        view.page.keyboard.press(key)
    view.wait(lambda: "g=bf-1" in view.page.url)
    view.page.keyboard.press("/")
    view.page.keyboard.type("j?")
    assert view.page.locator("#filters [name=text]").input_value() == "j?"
    again = opened(started, run_page, "#task=maze&g=maze-2")
    again.page.wait_for_selector("#detail .card")
    assert again.texts("#detail h3") == ["maze"]
    assert again.count().startswith("60 of 245")
    assert again.trouble == []


def test_which_task_got_worse_and_an_example(view: Opened) -> None:
    split(view, 40)
    view.page.locator("[data-summary=change]").click()
    assert next(iter(column(view, "change").items())) == ("gcd", "▼ −50")
    follow(view, "change", "gcd")
    view.wait(lambda: view.count().startswith("20 of 245"))
    choose(view)
    assert view.texts("#detail mark") == ["41", "41"]
    split(view, 30)
    [text] = view.texts("#change p")
    assert "After step 30, accuracy is 16.7 %; until then 25.0 %." in text
    assert "The mean level is 0.47; until then 0.43." in text
    assert "At the same tasks and levels, accuracy changed by −11.1 points (± " in text


def test_what_the_table_of_tasks_leads_to(view: Opened) -> None:
    """Right answers without the format, and the step since which a task has been at its level."""
    view.page.locator("[data-summary=misplaced]").click()
    assert next(iter(column(view, "misplaced").items())) == ("bf", "60")
    assert (column(view, "level")["lcm"], column(view, "since")["lcm"]) == ("0.40", "31")
    follow(view, "since", "lcm")
    view.wait(lambda: "from=31" in view.page.url)
    view.page.get_by_text("Clear filters").click()
    view.wait(lambda: "from" not in view.page.url)
    follow(view, "misplaced", "bf")
    choose(view)
    assert view.texts("#detail .card h4")[0] == "≈ 1: right, but not in the format"


def test_verdicts_and_answers(view: Opened) -> None:
    view.choose("task", "bf")
    view.page.locator("#answers summary").click()
    view.page.wait_for_selector("#answers table")
    lines = [line[:3] for line in view.cells("#answers tbody tr")]
    assert lines[0] in (["no_answer", "60", "50.0 %"], ["scored", "60", "50.0 %"])
    assert lines[2] == ["no answer tags", "60", "100.0 %"]
    assert lines[3][0].startswith(SHOWN) and lines[3][1:] == ["60", "100.0 %"]
    view.page.locator("#answers tbody button").last.click()
    view.page.wait_for_selector("#detail .card")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut(started: Any, run_page: Path, scheme: str, width: int) -> None:
    size = {"width": width, "height": 900}
    found = opened(started, run_page, "#g=gcd-2", viewport=size, color_scheme=scheme)
    found.page.wait_for_selector("#detail .card")
    assert found.page.evaluate("document.documentElement.scrollWidth") <= width
    background = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    assert found.trouble == []


def test_hostile_text_stays_text(started: Any, tmp_path: Path) -> None:
    texts = [HOSTILE, "a" * 1_000_000, f"<think>{HOSTILE}</think><answer>{HOSTILE}</answer>"]
    names = dict.fromkeys(("task", "question", "answer"), HOSTILE)
    line = row(HOSTILE, [1.0, 0.0, 0.0], texts=texts, **names)
    folder = tmp_path / "<img src=x onerror=alert(1)>"
    write_lines(folder / "<b>.jsonl", line)
    write_lines(folder / "samples.jsonl", sample("gcd", 1, None, error=HOSTILE, question=HOSTILE))
    numbers = {"eval/accuracy": 0.5, f"eval/{HOSTILE}/accuracy": 0.5}
    (folder / "metrics.json").write_text(json.dumps({"results": {"all": numbers}}))
    (folder / "evaluation.json").write_text(json.dumps({"model": HOSTILE, HOSTILE: HOSTILE}))
    assert main([str(folder)]) == 0
    assert main([str(folder), str(folder)]) == 0
    for name in ("view.html", "compare.html"):
        found = opened(started, folder / name, "#source=all")
        for number in (0, 1):
            choose(found, number)
            assert any("</script></pre><img" in text for text in found.texts("#detail pre"))
        found.page.locator("#answers summary").click()
        found.page.wait_for_selector("#answers table")
        assert found.page.evaluate("document.querySelectorAll('img, style').length") == 1
        assert found.page.title() != "x"
        assert "\u202e" not in found.page.evaluate("document.body.innerText")
        assert found.trouble == []


def test_many_groups_are_fluent(started: Any, tmp_path: Path) -> None:
    lines = (row(f"g{n}", [1.0, 0.0] * 4, task=("gcd", "lcm")[n % 2]) for n in range(10_000))
    write_lines(tmp_path / DUMP, *lines)
    assert main([str(tmp_path)]) == 0
    began = time.monotonic()
    found = opened(started, tmp_path / "view.html")
    assert time.monotonic() - began < 20
    assert found.page.locator("#list .rows .row").count() < 60
    began = time.monotonic()
    found.page.locator("[data-sort=task]").click()
    assert found.rows()[0] == "gcd"
    found.page.locator("#list").evaluate("list => { list.scrollTop = list.scrollHeight }")
    found.wait(lambda: found.rows()[-1] == "lcm")
    assert time.monotonic() - began < 5
    found.choose("text", "nowhere in it")
    found.wait(lambda: found.count().startswith("0 of 10,000"))
    assert found.trouble == []


def test_training_is_not_mixed_with_what_came_before(started: Any, tmp_path: Path) -> None:
    warm_up = tmp_path / "warmup"
    for step in (100, 200):
        write_lines(warm_up / "metrics.jsonl", report(step, 10.5 + step, run="other"))
        write_lines(warm_up / "groups.jsonl", trainer_group(f"warm-{step}"))
    for step in (1, 2, 3):
        line = report(step, 1000.5 + step, train__gcd__accuracy=0.5)
        write_lines(tmp_path / "metrics.jsonl", line)
        write_lines(tmp_path / DUMP, row(f"g{step}", time=1000.0 + step))
    assert main([str(tmp_path)]) == 0
    found = opened(started, tmp_path / "view.html")
    assert found.count().startswith("3 of 5 groups")
    assert found.texts("#runs")[0].startswith("Steps 1 to 3 of 5f1c2a7e, one of 2 runs")
    found.choose("source", "all")
    assert found.count().startswith("5 groups")
    assert found.trouble == []


def test_a_run_without_rollouts_has_the_tasks_of_its_metrics(started: Any, tmp_path: Path) -> None:
    for step in range(1, 11):
        right = {"train__gcd__accuracy": float(step > 5), "train__gcd__groups": 2.0}
        write_lines(tmp_path / "metrics.jsonl", report(step, step + 0.5, **right))
    assert main([str(tmp_path)]) == 0
    found = opened(started, tmp_path / "view.html")
    assert [column(found, name)["gcd"] for name in ("accuracy", "change")] == ["50.0 %", "▲ +100"]
    assert found.trouble == []
