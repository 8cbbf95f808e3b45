"""rgenv/worker/values/boards: signs between cells may be left out, but not changed."""

from __future__ import annotations

import pytest

from rgenv.worker.values.boards import KINDS

BOARD = "1 < 2   3\n∧        \n2   3 > 1\n    ∨    \n3   1   2"
ENTRY = {"answer": BOARD, "metadata": {"solution": [[1, 2, 3], [2, 3, 1], [3, 1, 2]]}}


@pytest.mark.parametrize(
    "text",
    [
        BOARD,
        "1 < 2 3\n^\n2 3 > 1\nv\n3 1 2",
        "1<23\n23>1\n312",
        "1 2 3\n2 3 1\n3 1 2",
        "123\n231\n312",
        "[[1, 2, 3], [2, 3, 1], [3, 1, 2]]",
        "| 1 | 2 | 3 |\n|---|---|---|\n| 2 | 3 | 1 |\n| 3 | 1 | 2 |",
    ],
)
def test_a_board_is_read_with_all_signs_those_in_rows_or_none(text: str) -> None:
    """Each form of the board is written in the layout of the reference answer."""
    assert KINDS["futoshiki"](text, ENTRY) == BOARD


@pytest.mark.parametrize(
    "text",
    [
        "1 > 2 3\n2 3 > 1\n3 1 2",
        "1 2 < 3\n2 3 > 1\n3 1 2",
        "1 < 2 3\n∨\n2 3 > 1\n∨\n3 1 2",
        "1 < 2 3\n2 3 1\n3 1 2",
        "1 2 3\n2 3 1",
        "1 2 3 2 3 1 3 1 2",
        "1 2 3\n2 3 1\n3 1 2\n1 2 3",
        "1 < 2 3\n2 3 > 1\n3 1 2\ndone",
    ],
)
def test_other_boards_are_not_read(text: str) -> None:
    """Signs that moved or are missing in part, other sizes and words are refused."""
    assert KINDS["futoshiki"](text, ENTRY) is None
