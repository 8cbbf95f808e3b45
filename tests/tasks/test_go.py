"""Boards with known captures."""

import pytest

from rgenv.tasks.games import tsumego as tsumego_task

SOME = "Black to play and capture some stones.\nFind the key move."
MOST = "Playing as Black, how can you capture as many white stones as possible?"


def tsumego(wording: str, *rows: str) -> str:
    lines = [f"{len(rows) - n:2d} {' '.join(row)}" for n, row in enumerate(rows)]
    columns = "   " + " ".join("ABCDEFGHI"[: len(rows[0])])
    return "\n".join([wording, "", "```", columns, *lines, "```"])


@pytest.mark.parametrize(
    ("rows", "some", "most"),
    [
        (("XO.O", "X..X", "....", "...."), {"C4"}, {"C4"}),  # one move, two groups
        (("O.XX", "X.XO", "..X.", "...."), {"B4", "D2"}, {"B4", "D2"}),
        (("OO.X", "XX.O", "...X", "...."), {"C4", "C3"}, {"C4"}),
        ((".O..", "....", "....", "...."), set(), set()),
        (("XO..", "OX..", ".X..", "...."), {"C4", "A2"}, {"C4", "A2"}),
        (("O.O.", "XOX.", ".X..", "...."), {"B4"}, {"B4"}),  # into its own death, but it captures
    ],
)
def test_moves_by_the_rules_of_go(rows: tuple[str, ...], some: set[str], most: set[str]) -> None:
    """Some stones: any capture is right; as many as possible: the captures of most stones."""
    assert tsumego_task.right_moves(tsumego(SOME, *rows)) == some
    assert tsumego_task.right_moves(tsumego(MOST, *rows)) == most
