"""docs/TASKS.md is what `validate --markdown` writes, as far as that can be checked quickly."""

import re

from rgenv.catalog import measured
from rgenv.pool.pool import WorkerPool
from rgenv.task_names import COMPOSITE, KNOWN_TASKS, RELEASE
from rgenv.text import level_name
from rgenv.validation.health import TaskReport
from rgenv.validation.known_faults import KNOWN_FAULTS
from rgenv.validation.report import EXAMPLES_HEAD, PAGE_HEAD, example_lines
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "TASKS.md").read_text(encoding="utf-8")
COMMAND = "python reasoning_gym_environment.py validate --seeds 20 --tell-problems 0"
REMEDY = f"run `{COMMAND} --markdown --catalog`"
TASKS = sorted(set(KNOWN_TASKS) - {COMPOSITE})

ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
"""The cells of the table, one list for each task."""


def test_the_page_has_a_row_for_every_task() -> None:
    """The rows are sorted by task and have its category; every task but composite has one."""
    assert [row[:2] for row in ROWS] == [[f"`{task}`", KNOWN_TASKS[task]] for task in TASKS], REMEDY


def test_the_page_begins_with_the_head_and_the_summary() -> None:
    """The explanations are those of the generator, and the summary counts the rows."""
    [summary] = [line for line in PAGE.splitlines() if line.startswith(f"{len(TASKS)} tasks, ")]
    assert PAGE.startswith(PAGE_HEAD.format(made_by=COMMAND, summary=summary) + "\n| `"), REMEDY
    known = sum(row[-1].startswith("known: ") for row in ROWS)
    assert f": {len(TASKS)} healthy ({known} of them with known faults), 0 unhealthy" in summary
    for kind in ("binary", "partial"):
        assert f"{sum(row[3] == kind for row in ROWS)} {kind}" in summary, REMEDY


def test_the_package_carries_what_the_page_shows() -> None:
    """rgenv/catalog/measured.json has levels, rewards, prompts and health of each row."""
    table = measured.read()
    assert table.release == RELEASE
    carried = [
        [
            f"`{task}`",
            ", ".join("default" if at is None else level_name(at) for at in one.levels),
            one.reward,
            str(one.prompt_tokens),
            measured.health(one.faults),
        ]
        for task, one in table.tasks.items()
    ]
    assert carried == [[row[0], *row[2:5], row[-1]] for row in ROWS], REMEDY
    reasons = {task: dict(one.faults) for task, one in table.tasks.items()}
    for task, faults in reasons.items():
        assert faults == {rule: KNOWN_FAULTS[task][rule] for rule in faults}, REMEDY


def test_the_known_faults_are_those_of_the_rows() -> None:
    """Each known fault in the table is listed with its reason, and no other."""
    listed = [
        f"- {row[0]}, {rule}: {KNOWN_FAULTS[row[0].strip('`')][rule]}"
        for row in ROWS
        if row[-1].startswith("known: ")
        for rule in row[-1].removeprefix("known: ").split(", ")
    ]
    section = "\n".join(["", "## Known faults", "", *listed, "", EXAMPLES_HEAD, "<details>"])
    assert section in PAGE, REMEDY


async def test_the_page_has_an_example_of_every_task(pool: WorkerPool) -> None:
    """Each example has the first question of its task and the corrected reference answer."""
    assert re.findall(r"<summary>(\w+)</summary>", PAGE) == TASKS, REMEDY
    for task in TASKS:
        problem = await pool.make(task, seed=0, select=True)
        answer = problem.answer if problem.answer is not None else await pool.solve(problem)
        report = TaskReport(
            task, KNOWN_TASKS[task], (), problem.question, answer, problem.clarification
        )
        assert "\n".join(example_lines(report)) in PAGE, f"{task}: {REMEDY}"
