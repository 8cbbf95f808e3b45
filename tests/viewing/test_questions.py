"""rgenv/viewing/page.html answers the questions that people ask about a run."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rgenv.viewing.cli import main
from tests.support.browser import Opened, opened
from tests.support.paths import ROOT
from tests.support.viewed import DUMP, FAILED, report, row, write_lines

pytestmark = pytest.mark.soak

STEPS = 60
BROKEN = "<think>Well.</think>So it is 42."
HOSTILE = "</script><img src=x onerror=\"document.title='x'\">\u202e"


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 60 steps, each with a group of four tasks.

    `gcd` gets worse after step 40. `lcm` moves from level 0.2 to 0.4 at step 31, and its accuracy
    stays. A verifier of `maze` fails twice. `bf` writes right answers without tags, and one
    constant wrong answer, which is hostile.
    """
    folder = tmp_path_factory.mktemp("run")
    for step in range(1, STEPS + 1):
        good = float(step <= 40)
        common: dict[str, Any] = {"time": 100.0 + 10 * step, "completion_tokens": [10, 20]}
        failed = ["timeout" if step in (5, 9) else "scored", "scored"]
        constant = f"<answer>{HOSTILE}</answer>"
        lines = [
            row(f"gcd-{step}", [good, 0.0], task="gcd", **common),
            row(f"lcm-{step}", task="lcm", **common | {"level": 0.4 if step > 30 else 0.2}),
            row(f"maze-{step}", [0.0, 0.0], task="maze", verdicts=failed, **common),
            row(
                f"bf-{step}",
                [0.0, 0.0],
                task="bf",
                texts=[BROKEN, constant],
                verdicts=["no_answer", "scored"],
                **common,
            ),
        ]
        write_lines(folder / DUMP, *lines[:2])
        write_lines(folder / FAILED, *lines[2:])
        accuracies = {"train__gcd__accuracy": good / 2, "train__lcm__accuracy": 0.5}
        write_lines(folder / "metrics.jsonl", report(step, 100.5 + 10 * step, **accuracies))
    assert main([str(folder)]) == 0
    return folder / "view.html"


def heads_of(view: Opened) -> list[str]:
    """Return the names of the columns of the table of tasks."""
    return view.page.locator("[data-summary]").evaluate_all(
        "heads => heads.map((head) => head.dataset.summary)"
    )


def column(view: Opened, name: str) -> dict[str, str]:
    """Return task -> text in a column of the table of tasks, in the order of its rows."""
    place = heads_of(view).index(name)
    lines = view.page.locator("#summary tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    return {line[0]: line[place] for line in lines}


def follow(view: Opened, name: str, task: str) -> None:
    """Click a number in the table of tasks, and wait for its groups."""
    place = list(column(view, "task")).index(task)
    cell = view.page.locator("#summary tbody tr").nth(place).locator("th, td")
    cell.nth(heads_of(view).index(name)).locator("button").click()
    view.wait(lambda: f"task={task}" in view.page.url)


def choose_first(view: Opened) -> None:
    view.page.locator("#list .rows .row").first.click()
    view.page.wait_for_selector("#detail .card")


def test_which_task_got_worse_and_an_example(view: Opened) -> None:
    """The task that got worse after step 40 is the first one, and leads to a wrong answer."""
    view.page.locator("#tasks-controls select").select_option("worse")
    view.page.locator("#tasks-controls input").fill("40")
    view.page.locator("#tasks-controls input").blur()
    assert view.texts("#multiples figcaption")[0] == "gcd33.3 %▼ −50"
    view.page.locator("#multiples button").first.click()
    view.wait(lambda: view.count().startswith("20 of 240"))
    choose_first(view)
    assert view.texts("#detail .reference") == ["42"]
    assert view.texts("#detail mark") == ["41", "41"]
    assert view.texts("#task-chart figcaption") == ["gcd: accuracy and level of its groups"]


def test_which_answers_are_right_but_not_in_the_format(view: Opened) -> None:
    """Completions that end with the reference answer without tags are counted and marked."""
    view.page.locator("[data-summary=misplaced]").click()
    assert next(iter(column(view, "misplaced").items())) == ("bf", "60")
    follow(view, "misplaced", "bf")
    choose_first(view)
    assert view.texts("#detail .card h4")[0] == "≈ 1: right, but not in the format"
    assert view.count().startswith("60 of 240")


def test_why_groups_have_no_gradient(view: Opened) -> None:
    """Each group says why its rewards are equal, and the reasons are filters."""
    view.choose("informative", "no")
    assert view.count().startswith("140 of 240")
    assert set(view.rows("informative")) == {"all wrong", "none solved"}
    view.choose("informative", "wrong")
    assert view.count().startswith("78 of 240")  # 20 of gcd, 58 of maze
    assert column(view, "none") == {"gcd": "20", "maze": "58"}


def test_the_level_of_a_task_and_since_when(view: Opened) -> None:
    """The table has the level of the last group, and the step since which it has been so."""
    assert (column(view, "level")["lcm"], column(view, "since")["lcm"]) == ("0.40", "31")
    follow(view, "since", "lcm")
    view.wait(lambda: view.count().startswith("30 of 240"))
    assert set(view.rows("level")) == {"0.4"}


def test_the_most_frequent_answers(view: Opened) -> None:
    """The answers to a task are counted, whatever is in them, and each leads to an example."""
    view.choose("task", "bf")
    view.page.locator("#answers summary").click()
    view.page.wait_for_selector("#answers table")
    assert view.texts("#answers p") == ["120 rollouts have 60 answers, 1 of them different."]
    [cells] = view.page.locator("#answers tbody tr").all()
    shown = cells.locator("td").all_text_contents()
    assert shown == [HOSTILE.replace("\u202e", "\ufffd"), "60", "100.0 %", "0.0 %", "Example"]
    view.page.locator("#answers tbody button").click()
    view.page.wait_for_selector("#detail .card")
    view.page.locator("#filters [name=task]").select_option("lcm")  # and it follows the filters
    view.wait(lambda: "120 answers, 2 of them different" in view.texts("#answers p")[0])


def test_whether_problems_get_easier(view: Opened) -> None:
    """The change of accuracy is said for all groups, and at the same tasks and levels."""
    view.page.locator("#tasks-controls input").fill("30")
    view.page.locator("#tasks-controls input").blur()
    [text] = view.texts("#change")
    assert "After step 30, accuracy is 16.7 %; until then 25.0 %." in text
    assert "The mean level is 0.47; until then 0.43." in text
    assert "At the same tasks and levels, accuracy changed by −11.1 points (± " in text


def test_the_program_that_makes_a_problem_again(started: Any, tmp_path: Path) -> None:
    """The program that the page copies makes the problem of the group."""
    recipe = {"task": "gcd", "config": {"max_value": 50}, "seed": 2**52 + 1}
    line = row("g", question="Which one?", **recipe, recipe=recipe)
    write_lines(tmp_path / DUMP, line)
    assert main([str(tmp_path)]) == 0
    found = opened(started, tmp_path / "view.html")
    found.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose_first(found)
    found.page.get_by_role("button", name="Copy Python").click()
    read = "navigator.clipboard.readText()"
    found.wait(lambda: "ReasoningGym" in found.page.evaluate(read))
    program = found.page.evaluate(read)
    assert json.dumps(json.dumps(recipe)) in program
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=True)
    assert done.stdout.startswith(b"Find the Greatest Common Divisor")


def test_all_rows_are_printed(view: Opened) -> None:
    """On paper are all groups that pass the filters, and afterwards few rows are drawn again."""
    assert len(view.rows()) < 100
    view.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(view.rows()) == 240
    view.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(view.rows()) < 100
    pages = view.page.pdf().count(b"/Type /Page\n")
    view.choose("task", "gcd")
    assert pages - view.page.pdf().count(b"/Type /Page\n") >= 3
    view.page.emulate_media(media="print", color_scheme="dark")
    colour = view.page.evaluate("getComputedStyle(document.body).getPropertyValue('--c0')")
    assert colour == "#2a6f97"
