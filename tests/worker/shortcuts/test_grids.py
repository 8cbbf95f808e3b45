"""Rules for tasks about matrices, boards and pictures."""

import pytest

from tests.support.records import RULES

SUDOKU = "Solve this 4x4 Mini Sudoku puzzle:\n_ 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 _\nFormat"
MAZE = "from 'S' (start) to 'G' (goal):\n\n```\n#####\n#S#G#\n#...#\n#####\n```\nLegend"
ARC = "Example 1:\n\nInput:\n1 2\nOutput:\n2 1\n\nExample 2:\n\nInput:\n3 4\nOutput:\n4 3\n\n"
ARC += "\nInput:\n"
GO = "```\n   A B C\n 3 . X .\n 2 X O .\n 1 . X .\n```\n"


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("binary_matrix", "below:\n0 1\n1 0", "copy the matrix", "0 1\n1 0"),
        ("game_of_life", "grid\n\n[[1,0],\n [0,1]].", "empty the board", "[[0,0],[0,0]]"),
        ("maze", MAZE, "distance without walls", "2"),
        ("maze", MAZE, "distance without walls and a detour", "4"),
        ("mini_sudoku", SUDOKU, "the first digit that fits", "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1"),
        (
            "modulo_grid",
            "fill it\n\n✅✅\n❌✅\n✅❔",
            "from a row that agrees",
            "✅✅\n❌✅\n✅✅",
        ),
        (
            "modulo_grid",
            "fill it\n\n✅❌❌\n❌✅❌\n❌❌❔",
            "as most along the diagonal",
            "✅❌❌\n❌✅❌\n❌❌✅",
        ),
        (
            "modulo_grid",
            "fill it\n\n✅❌\n✅❔\n❔✅",
            "from a row or a column that agrees",
            "✅❌\n✅❌\n✅✅",
        ),
        ("pool_matrix", "a kernel size of 2:\n1 2\n3 4", "the corner of each block", "1"),
        ("rearc", ARC + "5 6", "copy the test input", "5 6"),
        ("arc_1d", ARC + "5 6", "repeat the last output", "4 3"),
        ("spiral_matrix", "order?\n1 2\n4 3", "every second row backwards", "1 2 3 4"),
        ("tsumego", GO, "most white around", "C2"),
        ("tsumego", GO, "beside the white stone with most black around", "C2"),
        ("tsumego", GO, "beside the group with most black stones", "C2"),
    ],
)
def test_rules_copy_and_count(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule copies a grid, changes all of it alike, or counts without looking closely."""
    assert RULES[task](question)[rule] == answer


def test_a_blank_may_stay_when_no_digit_fits() -> None:
    """A sudoku that needs a search is not completed by the first digits that fit."""
    rows = RULES["mini_sudoku"]("_ _ 2 3\n_ _ _ _\n1 _ _ _\n_ _ _ 4")["the first digit that fits"]
    assert "_" in rows


def test_boards_of_other_sizes_are_left_alone() -> None:
    """Only boards of 4 and 9 rows are sudokus."""
    assert RULES["sudoku"]("\n".join(["1 _ 3"] * 3)) == {}
