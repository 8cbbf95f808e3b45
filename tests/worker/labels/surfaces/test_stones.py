"""Boards of Go with copies of the formation that is lost."""

from __future__ import annotations

import pytest

from rgenv.worker import go
from rgenv.worker.labels import puzzles
from rgenv.worker.labels.surfaces.stones import _has_lost_stones, tsumego
from tests.worker.labels.surfaces.served import LEVELS, Entry, made


def right(level: float | None) -> list[Entry]:
    return [entry for entry in made("tsumego", level, 20) if puzzles.tsumego(entry) is not None]


def completed(level: float | None) -> list[Entry]:
    return [entry for entry in map(tsumego, right(level)) if entry is not None]


@pytest.mark.parametrize("level", LEVELS)
def test_copies_change_no_answer(level: float | None) -> None:
    """The same moves are right as before, and no group loses its last liberty."""
    for before, after in zip(right(level), completed(level), strict=True):
        assert go.right_moves(before["question"]) == go.right_moves(after["question"])
        old, board = (go.read_board(entry["question"]) for entry in (before, after))
        assert _has_lost_stones(board) <= _has_lost_stones(old)
        for cell, stone in old.items():
            assert stone in (".", board[cell])


@pytest.mark.parametrize("level", LEVELS)
def test_most_boards_have_copies(level: float | None) -> None:
    """Groups of at least three white stones stand in several places, not in one."""
    more = [
        after["question"].count("O") - before["question"].count("O") >= 3
        for before, after in zip(right(level), completed(level), strict=True)
    ]
    assert sum(more) > 0.7 * len(more)


def test_the_board_is_the_same_in_the_question_and_the_metadata() -> None:
    """What measures the work sees the board that is asked about."""
    for entry in completed(0.5):
        rows = entry["metadata"]["board"]
        shown = go.read_board(entry["question"])
        assert {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)} == shown


def test_a_board_without_room_stays_as_it_is() -> None:
    """If no copy fits, the question is the library's."""
    question = "Capture some.\n```\n   A B C\n 3 . X .\n 2 X O .\n 1 . X .\n```\n"
    entry = {"question": question, "answer": "C2", "metadata": {}}
    result = tsumego(entry)
    assert result is not None and result["question"] == question
