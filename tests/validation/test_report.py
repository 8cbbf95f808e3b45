"""rgenv/validation/report.py: tables and pages say what the reports say, whatever is in them."""

import json
import re

import pytest

from rgenv.tasks import KNOWN_TASKS
from rgenv.validation import health, report
from rgenv.validation.health import Constant, Item, LevelReport, TaskReport, Try
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "TASKS.md"


def task(
    name: str, *, score: float = 1.0, question: str = "Why?", answer: str = "12"
) -> TaskReport:
    """A task of one item whose right answer earns `score`."""
    item = Item(
        seed=0,
        question_chars=400,
        make_seconds=0.25,
        remade=True,
        oracle=answer,
        oracle_score=score,
        score_seconds=0.5,
        wrong=(Try("other", "13", 0.3),),
    )
    level = LevelReport(None, (item,), constant=Constant("a|`b", 0.25, 0.2))
    return TaskReport(name, "toys", (level, LevelReport(0.5, (item,))), question, answer)


def test_few_tasks_are_all_in_the_table() -> None:
    """With what was measured, and at the end all in a line."""
    lines = report.terminal([task("one"), task("two")]).splitlines()
    assert lines[2].split() == [
        "one",
        "default,",
        "0.5",
        "partial",
        "0.25",
        "0.20",
        "+0.05",
        "100",
        "0.250",
        "0.250",
        "0.500",
        "0.500",
        "UNHEALTHY:",
        "blind",
    ]
    assert lines[-1] == (
        "2 tasks, 4 items: 0 healthy (0 of them with known faults), 2 unhealthy; rewards: 2 partial"
    )


def test_of_many_tasks_only_the_unhealthy_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The healthy ones are counted in the last line."""
    monkeypatch.setattr(health, "MAX_EXCESS", 1.0)
    many = [task(f"well{n}") for n in range(report.IN_FULL)] + [task("sick", score=0.5)]
    text = report.terminal(many)
    assert "well3" not in text and "sick" in text and "20 healthy" in text


def test_a_rule_that_breaks_at_many_levels_takes_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first level's case in words, the others by name, and the reason if it is known."""
    monkeypatch.setattr(health, "MAX_EXCESS", 1.0)
    monkeypatch.setattr(report, "KNOWN", {"sick": {"oracle": "its verifier rounds"}})
    text = report.terminal([task("sick", score=0.5)])
    [line] = [line for line in text.splitlines() if line.startswith("sick: ")]
    assert "at the defaults (also at level 0.5) [known: its verifier rounds]" in line


def test_the_page_has_a_line_and_an_example_for_each_task() -> None:
    """Every row has all eight cells, whatever the constant contains."""
    page = report.page([task("one"), task("two")], made_by="validate")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == ["one", "two"]
    assert all(row.count(" | ") == 7 for row in rows)
    assert page.count("<details>") == page.count("</details>") == 2


def test_no_prompt_breaks_out_of_its_box() -> None:
    """Fences inside are outnumbered by those around, and long prompts lose their middle."""
    text = "start ```` <b>\n" + "x" * 5000 + " end"
    page = report.page([task("one", question=text)], made_by="validate")
    assert page.count("\n`````") == 2 and "start" in page and " end\n" in page
    assert len(page) < 3000 and "[…]" in page


def test_known_faults_stand_on_the_page_with_their_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever reads the page learns what is wrong and why it stays."""
    for module in (health, report):
        monkeypatch.setattr(module, "KNOWN", {"one": {"blind": "its verifier rounds"}})
    page = report.page([task("one")], made_by="validate")
    assert "- `one`, blind: its verifier rounds" in page and "known: blind" in page


def test_everything_measured_is_in_the_json() -> None:
    """It survives a round trip and says per task what is wrong."""
    content = json.loads(json.dumps(report.as_json([task("one", score=0.5)], seeds=1)))
    assert content["seeds"] == 1 and content["healthy"] is False
    one = content["tasks"]["one"]
    assert [fault["rule"] for fault in one["faults"]] == ["oracle", "blind", "oracle"]
    assert one["levels"][0]["items"][0]["wrong"][0]["answer"] == "13"
    assert one["blind"]["excess"] == pytest.approx(0.05)


def test_a_task_in_one_line() -> None:
    """For logs: its health, and the first thing that is wrong."""
    assert report.outcome(task("one", score=0.5)).startswith("one: UNHEALTHY: oracle, blind (o")


def test_the_page_of_tasks_is_up_to_date() -> None:
    """docs/TASKS.md lists every task but composite, each under its category and with an example."""
    text = PAGE.read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.MULTILINE))
    assert listed == {t: c for t, c in KNOWN_TASKS.items() if t != "composite"}
    assert set(re.findall(r"<summary>(\w+)</summary>", text)) == set(listed)
