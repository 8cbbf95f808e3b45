"""rgenv/viewing/page.html and its scripts, in a browser."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rgenv.viewing.cli import main
from tests.support.browser import Opened, opened
from tests.support.samples import sample
from tests.support.viewed import DUMP, report, row, trainer_group, write_lines

pytestmark = pytest.mark.soak

HOSTILE = (
    "</script></pre><img src=x onerror=\"document.title='x'\"><script>document.title='x'</script>"
    "<!-- \u2028\u2029 \ud800 \udfff \u202egnp.exe \x00\x1b[31m {{title}} <style>*{display:none}"
)


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 60 groups of three tasks with metrics, and an evaluation."""
    folder = tmp_path_factory.mktemp("run")
    for number in range(60):
        task = ("gcd", "lcm", "maze")[number % 3]
        right = float(task != "maze" or number < 30)
        line = row(
            f"g{number}",
            [right, right if number % 2 else 0.0, 0.0],
            task=task,
            question=f"Question {number}?",
            level=None if number % 10 == 0 else round(number / 60, 2),
            verdicts=["scored", "scored", "timeout" if number == 5 else "no_answer"],
            finish_reasons=["stop", "stop", "length" if number == 7 else "stop"],
            time=100.5 + 10 * number,
        )
        write_lines(folder / DUMP, line)
    for step in range(1, 31):
        accuracies = {
            f"train__{task}__accuracy": float(task != "maze" or step <= 15)
            for task in ("gcd", "lcm", "maze")
        }
        groups = {f"train__{task}__groups": 2.0 for task in ("gcd", "lcm", "maze")}
        numbers = {"train__accuracy": 0.5, "train__reward": 0.4, "tokens__trained": 10.0 * step}
        line = report(step, 100.7 + 20 * step, **accuracies, **groups, **numbers)
        write_lines(folder / "metrics.jsonl", line)
    write_lines(folder / "evals" / "samples.jsonl", *(sample("gcd", n) for n in range(5)))
    assert main([str(folder)]) == 0
    return folder / "view.html"


def test_filters(view: Opened) -> None:
    """Each filter leaves the groups that it names, and training is not mixed with evaluations."""
    assert view.count() == "60 of 65 groups pass the filters."
    for name, value, wanted in [
        ("task", "maze", 20),
        ("category", "arithmetic", 40),
        ("level", "defaults", 6),
        ("level", "4", 11),
        ("verdict", "timeout", 1),
        ("verdict", "cut", 1),
        ("outcome", "none", 10),
        ("informative", "no", 10),
        ("low", "0.5", 25),
        ("from", "16", 29),
        ("text", "question 17?", 1),
        ("source", "all", 65),
    ]:
        view.choose(name, value)
        shown = "65 groups. Choose" if wanted == 65 else f"{wanted} of 65 groups pass"
        assert view.count().startswith(shown), (name, value)
        view.page.get_by_text("Clear filters").click()
        view.wait(lambda: view.count().startswith("60 of 65"))


def test_sorting(view: Opened) -> None:
    """A click on a head sorts by it, a second one the other way round."""
    head = view.page.locator("[data-sort=task]")
    head.click()
    assert view.rows() == sorted(view.rows())
    assert view.rows()[0] == "gcd"
    head.click()
    assert view.rows()[0] == "maze"
    assert view.page.locator("[aria-sort=descending]").count() == 1
    view.page.locator("#list .rows .row").last.click()
    view.page.locator("[data-sort=length]").dispatch_event("click")  # hidden beside a group
    lengths = [float(text) for text in view.rows("length")]
    assert lengths == sorted(lengths)
    assert view.page.locator("#list").evaluate("list => list.scrollTop") == 0
    assert "characters" in view.texts("#list .head .length")[0]  # dumps do not know tokens


def test_a_group_side_by_side(view: Opened) -> None:
    """A chosen group shows question, reference answer, and each rollout with its answer marked."""
    view.page.locator("#list .rows .row").nth(1).click()
    view.page.wait_for_selector("#detail .card")
    assert view.texts("#detail h4 + pre")[:2] == ["Question 1?", "42"]
    assert view.texts("#detail mark") == ["42", "42", "41"]
    assert [text.split(": ")[1] for text in view.texts("#detail .card h4")] == [
        "solved",
        "solved",
        "no answer in the format",
    ]
    assert view.page.locator("#detail .thinking[open]").count() == 0
    view.page.keyboard.press("t")
    assert view.page.locator("#detail .thinking[open]").count() == 3


def test_keys_and_links(view: Opened, started: Any, run_page: Path) -> None:
    """j and k walk through the list, / searches, and the address leads back to the group."""
    for key in ("j", "j", "j", "k"):
        view.page.keyboard.press(key)
    view.wait(lambda: "g=g1" in view.page.url)
    view.page.keyboard.press("/")
    view.page.keyboard.type("j?")
    assert view.page.locator("#filters [name=text]").input_value() == "j?"
    again = opened(started, run_page, "#task=maze&g=g2")
    again.page.wait_for_selector("#detail .card")
    assert again.texts("#detail h3") == ["maze"]
    assert again.count().startswith("20 of 65")
    assert again.trouble == []


def test_copied_commands_are_safe(started: Any, tmp_path: Path) -> None:
    """A shell passes on recipe and answer as they are, and obeys nothing that is in them."""
    signs = "".join(map(chr, range(0x300)))
    hostile = f"{signs}'; exit 3 #`exit 4`$(exit 5)\\n\\c%s!\u202e\x1b[201~\n."
    recipe = {"task": "gcd", "config": {"x": hostile}, "seed": 2**62 + 1}
    line = row("g", texts=[f"<answer>{hostile}</answer>", "No."], recipe=recipe)
    assert main([str(write_lines(tmp_path / DUMP, line).parent)]) == 0
    found = opened(started, tmp_path / "view.html")
    found.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    found.page.locator("#list .rows .row").first.click()
    [button] = found.page.get_by_role("button", name="Copy command that scores it again").all()
    button.click()
    found.page.wait_for_selector("text=Copied")
    command = found.page.evaluate("navigator.clipboard.readText()")
    assert command.isascii() and command.isprintable()

    python = tmp_path / "python"
    program = (
        "import json, sys; print(json.dumps([sys.argv[1:], sys.stdin.buffer.read().decode()]))"
    )
    python.write_text(f"#!{sys.executable}\n{program}\n")
    python.chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    done = subprocess.run(["sh", "-c", command], env={"PATH": path}, capture_output=True)
    words, given = json.loads(done.stdout)
    assert words[:3] == ["reasoning_gym_environment.py", "tasks", "--recipe"]
    assert json.loads(words[3]) == recipe and words[4:] == ["--answer", "-"]
    assert given == f"<answer>{hostile}</answer>"


def test_curves(view: Opened) -> None:
    """The curves have the values of metrics.jsonl, at the pointer and by arrow keys."""
    assert view.texts("#charts figcaption")[:2] == ["Reward and score", "Accuracy"]
    first = view.page.locator("#charts svg").first
    assert "step 30: " in view.texts("#charts .keys")[0]
    assert "reward 40.0 %" in view.texts("#charts .keys")[0]
    first.focus()
    view.page.keyboard.press("ArrowLeft")
    assert "step 29: " in view.texts("#charts .keys")[0]
    first.hover(position={"x": 45, "y": 40})
    assert "step 1: " in view.texts("#charts .keys")[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_on_a_narrow_screen(started: Any, run_page: Path, scheme: str) -> None:
    """At 500 pixels nothing is wider than the page, with a group open, in light and dark."""
    size = {"width": 500, "height": 900}
    found = opened(started, run_page, "#g=g2", viewport=size, color_scheme=scheme)
    found.page.wait_for_selector("#detail .card")
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 500
    background = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    assert found.trouble == []


def test_hostile_text_stays_text(started: Any, tmp_path: Path) -> None:
    """Markup, scripts, broken characters and a line of a megabyte are shown as what they are."""
    texts = [HOSTILE, "a" * 1_000_000, f"<think>{HOSTILE}</think><answer>{HOSTILE}</answer>"]
    line = row(
        HOSTILE, [1.0, 0.0, 0.0], task=HOSTILE, texts=texts, question=HOSTILE, answer=HOSTILE
    )
    folder = tmp_path / "<img src=x onerror=alert(1)>"
    write_lines(folder / "<b>.jsonl", line)
    write_lines(folder / "samples.jsonl", sample("gcd", 1, None, error=HOSTILE, question=HOSTILE))
    assert main([str(folder)]) == 0
    found = opened(started, folder / "view.html", "#source=all")
    for number in (0, 1):
        found.page.locator("#list .rows .row").nth(number).click()
        found.page.wait_for_selector("#detail .card")
        assert any("</script></pre><img" in text for text in found.texts("#detail pre"))
    assert found.page.evaluate("document.querySelectorAll('img, style').length") == 1
    assert found.page.title().startswith("Rollouts in ")
    assert "\u202e" not in found.page.evaluate("document.body.innerText")
    assert found.trouble == []


def test_many_groups_are_fluent(started: Any, tmp_path: Path) -> None:
    """Of 10,000 groups few rows are drawn; the page is there, sorts and searches within seconds."""
    (tmp_path / DUMP).write_bytes(
        b"".join(
            json.dumps(row(f"g{n}", [1.0, 0.0] * 4, task=("gcd", "lcm")[n % 2])).encode() + b"\n"
            for n in range(10_000)
        )
    )
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
    """Beside saved rollouts, groups of `process` with their own steps are another source."""
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
    assert found.page.locator("#runs option:checked").text_content().endswith("steps 1 to 3")
    assert found.texts("#multiples svg")[0].endswith("step 13")  # the ends of its axis
    found.choose("source", "all")
    assert found.count().startswith("5 groups")
    assert found.trouble == []
