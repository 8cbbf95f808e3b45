"""Other forms of moves and paths."""

import pytest

from rgenv.validation.form_writers import WRITERS


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("quantum_lock", "A → B", "", {"A -> B", "A, B", "A B"}),
        ("shortest_path", "up left", "", {"up, left", "up → left", "UP LEFT"}),
        ("tower_of_hanoi", "Move\nMove", "", {"1. Move\n2. Move", "- Move\n- Move"}),
    ],
)
def test_forms_that_people_write(task: str, reference: str, question: str, texts: set[str]) -> None:
    """They are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())
