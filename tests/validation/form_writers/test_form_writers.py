"""rgenv/validation/form_writers: the same value in other forms, for every task."""

import pytest

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.validation.form_writers import WRITERS


def test_every_task_has_a_writer() -> None:
    """The table is complete and names no other task."""
    assert set(WRITERS) == set(KNOWN_TASKS) - {COMPOSITE}


@pytest.mark.parametrize(
    ("task", "reference", "text"),
    [
        ("prime_factorization", "2 × 3", "2 * 3"),
        ("bitwise_arithmetic", "0x123", "123"),
        ("list_functions", "[5]", "5"),
        ("gcd", "12", "x = 12"),
    ],
)
def test_unfair_forms_are_left_out(task: str, reference: str, text: str) -> None:
    """A form that the question excludes, or that has another meaning, is not written."""
    assert text not in WRITERS[task](reference, "").values()
