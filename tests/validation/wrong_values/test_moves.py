"""Wrong paths."""

import random

import pytest

from rgenv.validation.wrong_values import CHANGERS


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
    changes = CHANGERS[task](reference, question, random.Random(seed))
    assert changes
    assert reference not in changes.values()
