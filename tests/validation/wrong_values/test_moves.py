"""Wrong paths."""

import pytest

from tests.validation.wrong_values.laws import assert_changes_differ


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("task", "reference", "question"),
    [
        ("shortest_path", "up left", ""),
    ],
)
def test_changes_differ_from_the_right_answer(
    task: str, reference: str, question: str, seed: int
) -> None:
    """No change gives the right answer back, whatever is drawn."""
    assert_changes_differ(task, reference, question, seed)
