"""Other forms of matrices and boards."""

import pytest

from rgenv.validation.form_writers import WRITERS


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("rotate_matrix", "1 2\n3 4", "", {"1 2 \n3 4 ", "1 2\r\n3 4", "[[1, 2], [3, 4]]"}),
        ("sudoku", "1 2\n2 1", "", {"12\n21", "1, 2\n2, 1"}),
    ],
)
def test_forms_that_people_write(task: str, reference: str, question: str, texts: set[str]) -> None:
    """They are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())
