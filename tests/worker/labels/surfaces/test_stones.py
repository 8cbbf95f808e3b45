"""Boards of Go with a lost group of any shape, and others like it."""

from __future__ import annotations

from collections import Counter

import pytest

from rgenv.tasks.games import tsumego
from rgenv.tasks.games.tsumego import groups, rewritten
from tests.worker.labels.surfaces.served import LEVELS, Entry, served


def completed(level: float | None) -> list[Entry]:
    return served(rewritten, "tsumego", level, 40)


def move_of(entry: Entry) -> tsumego.Cell:
    """Return row and column of the reference answer."""
    size = 1 + max(row for row, _ in tsumego.read_board(entry["question"]))
    return size - int(entry["answer"][1:]), ord(entry["answer"][0]) - ord("A")


@pytest.mark.parametrize("level", LEVELS)
def test_one_move_is_right(level: float | None) -> None:
    """The answer is the only move that captures, or that captures most, on a possible board."""
    entries = completed(level)
    assert len(entries) > 35
    for entry in entries:
        assert tsumego.right_moves(entry["question"]) == {entry["answer"]}
        assert all(group.liberties for group in groups(tsumego.read_board(entry["question"])))


@pytest.mark.parametrize("level", LEVELS)
def test_lost_groups_have_any_size_and_side(level: float | None) -> None:
    """Groups of several sizes are lost, to moves on each of their sides."""
    sizes, sides = Counter[int](), set()
    for entry in completed(level):
        row, column = move_of(entry)
        lost = tsumego.captured(tsumego.read_board(entry["question"]))[row, column]
        sizes[len(lost)] += 1
        sides |= {
            near for near in tsumego.neighbours((0, 0)) if (row + near[0], column + near[1]) in lost
        }
    assert len(sizes) > 3 and max(sizes.values()) < 30
    assert len(sides) == 4


@pytest.mark.parametrize("level", LEVELS)
def test_as_large_groups_have_two_liberties(level: float | None) -> None:
    """On most boards, a group that is as large as the lost one has one liberty more."""
    alike = 0
    entries = completed(level)
    for entry in entries:
        board = tsumego.read_board(entry["question"])
        size = len(tsumego.captured(board)[move_of(entry)])
        alike += any(
            group.stone == "O" and len(group.liberties) == 2 and abs(len(group.cells) - size) < 2
            for group in groups(board)
        )
    assert alike > 0.8 * len(entries)


def test_smaller_groups_are_lost_where_most_stones_are_asked_for() -> None:
    """A capture may be wrong if the question asks for as many stones as possible, only then."""
    several = Counter[bool]()
    for level in LEVELS:
        for entry in completed(level):
            captures = tsumego.captured(tsumego.read_board(entry["question"]))
            several["as many white stones" in entry["question"]] += len(captures) > 1
    assert several[True] > 0 and several[False] == 0


def test_the_board_is_the_same_in_the_question_and_the_metadata() -> None:
    """What measures the work sees the board that is asked about."""
    for entry in completed(0.5):
        rows = entry["metadata"]["board"]
        shown = tsumego.read_board(entry["question"])
        assert {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)} == shown
