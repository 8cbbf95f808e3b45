"""Wrong lists, matrices and boards."""

import pytest

from tests.validation.wrong_values.laws import assert_changes_differ


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("task", "reference", "question"),
    [
        ("arc_agi", "1 2\n3 4", ""),
        ("sudoku", "1 2\n2 1", ""),
        ("n_queens", "_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _", ""),
        ("game_of_life", "[[0,1],[1,1]]", ""),
        ("number_sorting", "['2.0', '1.5']", ""),
    ],
)
def test_changes_differ_from_the_right_answer(
    task: str, reference: str, question: str, seed: int
) -> None:
    """No change gives the right answer back, whatever is drawn."""
    assert_changes_differ(task, reference, question, seed)
