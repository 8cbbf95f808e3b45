"""Boards with known captures."""

import itertools

import pytest

from rgenv.tasks.games import tsumego as tsumego_task

SOME = "Black to play and capture some stones.\nFind the key move."
MOST = "Playing as Black, how can you capture as many white stones as possible?"


def tsumego(wording: str, *rows: str) -> str:
    lines = [f"{len(rows) - n:2d} {' '.join(row)}" for n, row in enumerate(rows)]
    columns = "   " + " ".join("ABCDEFGHI"[: len(rows[0])])
    return "\n".join([wording, "", "```", columns, *lines, "```"])


BOARDS = [
    (("XO.O", "X..X", "....", "...."), "C4", "C4"),  # one move, two groups
    (("O.XX", "X.XO", "..X.", "...."), "B4 D2", "B4 D2"),
    (("OO.X", "XX.O", "...X", "...."), "C4 C3", "C4"),
    ((".O..", "....", "....", "...."), "", ""),
    (("XO..", "OX..", ".X..", "...."), "C4 A2", "C4 A2"),
    (("O.O.", "XOX.", ".X..", "...."), "B4", "B4"),  # into its own death, but it captures
]


@pytest.mark.parametrize(("rows", "some", "most"), BOARDS)
def test_moves_by_the_rules_of_go(rows: tuple[str, ...], some: str, most: str) -> None:
    assert tsumego_task.right_moves(tsumego(SOME, *rows)) == {*some.split()}
    assert tsumego_task.right_moves(tsumego(MOST, *rows)) == {*most.split()}
    for wording, answer in itertools.product((SOME, MOST), ("A2", "B4", "C3", "C4")):
        entry = {"question": tsumego(wording, *rows), "answer": answer}
        assert tsumego_task.correct(entry) is (entry if answer == most else None)


def test_a_board_with_a_stone_without_liberty_is_refused() -> None:
    question = tsumego(SOME, "OX.O", "X..X", "....", "....")
    assert tsumego_task.correct({"question": question, "answer": "C4"}) is None
