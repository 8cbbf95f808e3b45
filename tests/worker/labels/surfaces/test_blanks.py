"""Blanks that no single sum fills, nor a known board."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.games.kakurasu import correct as kakurasu
from rgenv.tasks.games.kakurasu import is_filled_by_shares, solutions, weights
from rgenv.tasks.games.n_queens import correct as n_queens
from rgenv.tasks.games.survo import alone
from rgenv.tasks.games.survo import correct as survo
from tests.worker.labels.surfaces.served import LEVELS, made, served


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_lines_with_one_blank_are_counted(blanks: set[tuple[int, int]]) -> None:
    """A row or column counts if exactly one of the blanks is in it."""
    places = [[cell[axis] for cell in blanks] for axis in (0, 1)]
    assert alone(sorted(blanks)) == sum(p.count(i) == 1 for p in places for i in range(5))


@pytest.mark.parametrize("level", LEVELS)
def test_as_many_blanks_stand_elsewhere(level: float | None) -> None:
    """The question shows the library's matrix with as many blanks, fewer of them alone."""
    before, after = made("survo", level, 60), served(survo, "survo", level, 60)
    assert len(after) == len(before)
    lonely = []
    for old, new in zip(before, after, strict=True):
        shown = [x.split() for x in new["question"].split("\n") if re.fullmatch(r"[\d ]+", x)]
        solution = [line.split() for line in new["answer"].split("\n")]
        cells = [(y, x) for y, row in enumerate(shown) for x, cell in enumerate(row) if cell == "0"]
        numbers = re.findall(r"\d+", new["question"].rpartition("[")[2].split("]")[0])
        assert new["answer"] == old["answer"] and len(cells) == old["metadata"]["num_empty"]
        assert sorted(solution[y][x] for y, x in cells) == sorted(numbers)
        filled = [
            [solution[y][x] if (y, x) in cells else c for x, c in enumerate(r)]
            for y, r in enumerate(shown)
        ]
        assert filled == solution
        puzzle = old["metadata"]["puzzle"]
        was = [(y, x) for y, row in enumerate(puzzle) for x, cell in enumerate(row) if cell == 0]
        lonely.append((alone(was), alone(cells)))
    assert sum(now for _, now in lonely) < 0.75 * sum(was for was, _ in lonely)


def filled(rows: list[int], columns: list[int]) -> list[list[tuple[int, ...]]]:
    """Return all boards with these sums, found row by row without a look at the columns."""
    lines = [
        [c for c in product((0, 1), repeat=len(columns)) if weights([c]) == [total]]
        for total in rows
    ]
    boards = map(list, product(*lines))
    return [board for board in boards if weights(list(zip(*board, strict=True))) == columns]


@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=4, max_size=4))
def test_boards_with_given_sums_are_counted(board: list[list[int]]) -> None:
    """One or several boards have the sums, as a search of all rows says."""
    rows, columns = weights(board), weights(list(zip(*board, strict=True)))
    if all(rows):
        assert solutions(rows, columns) == min(2, len(filled(rows, columns)))


@pytest.mark.parametrize("level", LEVELS)
def test_kakurasus_have_one_solution_and_five_rows_or_more(level: float | None) -> None:
    """The question shows the sums of the answer, which no other board has."""
    entries = served(kakurasu, "kakurasu", level, 20)
    assert len(entries) == 20
    for entry in entries:
        board = [[int(cell) for cell in line.split()] for line in entry["answer"].split("\n")]
        sums = [weights(board), weights(list(zip(*board, strict=True)))]
        shown = re.findall(r"\[([\d, ]+)\]", entry["question"])[:2]
        assert [[int(n) for n in part.split(", ")] for part in shown] == sums
        assert f"{len(board)} x {len(board[0])}" in entry["question"]
        assert entry["question"].endswith("\n".join([" ".join("0" * len(board[0]))] * len(board)))
        assert min(len(board), len(board[0])) >= 5
        assert solutions(sums[0], sums[1]) == 1
        assert entry["metadata"]["row_sums"] == sums[0]


@pytest.mark.parametrize("level", LEVELS)
def test_shares_of_what_is_left_do_not_fill_kakurasus(level: float | None) -> None:
    """Ones where row and column lack more than half of what they can have give no solution."""
    right = 0
    entries = served(kakurasu, "kakurasu", level, 60)
    for entry in entries:
        shown = re.findall(r"\[([\d, ]+)\]", entry["question"])[:2]
        rows, columns = ([int(number) for number in part.split(",")] for part in shown)
        filled = [[0] * len(columns) for _ in rows]
        for y in reversed(range(len(rows))):
            for x in reversed(range(len(columns))):
                across = (rows[y] - x - 1, rows[y] / sum(range(x + 2)))
                down = (columns[x] - y - 1, columns[x] / sum(range(y + 2)))
                if min(across[0], down[0]) >= 0 and across[1] + down[1] > 1:
                    filled[y][x] = 1
                    rows[y] -= x + 1
                    columns[x] -= y + 1
        right += "\n".join(" ".join(map(str, row)) for row in filled) == entry["answer"]
    assert len(entries) == 60 and right == 0


def test_boards_filled_by_shares_are_told_apart() -> None:
    """A board of ones is filled; one with ones at the left of its first row is not."""
    assert is_filled_by_shares([[1, 1, 1]] * 3)
    rows = ("11100", "10000", "00011", "01111", "01110")
    assert not is_filled_by_shares([[int(cell) for cell in row] for row in rows])


def test_two_queens_are_shown() -> None:
    """Boards with one queen are given up; the others stay as they are."""
    for entry in made("n_queens", None, 60):
        shown = entry["question"].rpartition("attack each other.\n")[2].count("Q")
        assert (n_queens(entry) is entry) == (shown > 1)
