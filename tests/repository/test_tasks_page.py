"""docs/TASKS.md is what `validate --markdown` would write today, as far as that shows at once."""

from rgenv.pool.pool import WorkerPool
from rgenv.tasks import COMPOSITE, KNOWN_TASKS
from rgenv.validation.health import TaskReport
from rgenv.validation.report import example
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "TASKS.md").read_text(encoding="utf-8")
REMEDY = "run `python reasoning_gym_environment.py validate --seeds 50 --markdown docs/TASKS.md`"


def test_the_page_has_a_row_for_every_task() -> None:
    """In the order of their names, each with its category."""
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    assert [row[0] for row in rows] == [
        f"| `{task}`" for task in sorted(KNOWN_TASKS) if task != COMPOSITE
    ], REMEDY
    assert all(row[1] == KNOWN_TASKS[row[0].strip("| `")] for row in rows), REMEDY


async def test_the_examples_are_what_the_tasks_ask(pool: WorkerPool) -> None:
    """The first problem of each task, corrections of labels included."""
    for task in sorted(set(KNOWN_TASKS) - {COMPOSITE}):
        problem = await pool.make(task, seed=0)
        answer = problem.answer if problem.answer is not None else await pool.solve(problem)
        report = TaskReport(task, KNOWN_TASKS[task], (), problem.question, answer)
        assert "\n".join(example(report)) in PAGE, f"{task}: {REMEDY}"
