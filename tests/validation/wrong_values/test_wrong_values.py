"""rgenv/validation/wrong_values: changes that make a right answer wrong, for every task."""

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.validation.wrong_values import CHANGERS


def test_every_task_has_a_changer() -> None:
    """The table is complete and names no other task."""
    assert set(CHANGERS) == set(KNOWN_TASKS) - {COMPOSITE}
