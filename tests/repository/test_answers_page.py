"""docs/answers.md says for every task what else is right."""

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from tests.support.paths import ROOT
from tests.support.records import CORRECTIONS

PAGE = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")][2:]


def test_the_page_has_a_row_for_every_task() -> None:
    """The rows are sorted, and say kind, other right answers and proof."""
    assert [row[0] for row in ROWS] == sorted(set(KNOWN_TASKS) - {COMPOSITE})
    assert all(len(row) == 4 and all(row) for row in ROWS)


def test_reference_answers_that_are_computed_again_are_marked() -> None:
    """A row that names labels/ belongs to a task with a correction."""
    marked = {row[0] for row in ROWS if "(labels/)" in row[3]}
    assert marked <= set(CORRECTIONS)
