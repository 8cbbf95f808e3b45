"""Boards leave more open at higher levels."""

from __future__ import annotations

import math
from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.work import mean_work
from tools.work import boards


@pytest.mark.parametrize("task", sorted(boards.PROXIES))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, 8, monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


@given(size=st.integers(1, 9), total=st.integers(0, 50))
def test_subsets_are_counted(size: int, total: int) -> None:
    """The count is that of all sets of numbers with this sum, one by one."""
    numbers = range(1, size + 1)
    sets = chain.from_iterable(combinations(numbers, k) for k in range(size + 1))
    assert boards.subsets(size, total) == sum(sum(chosen) == total for chosen in sets)


@pytest.mark.parametrize(("box", "count"), [(1, 8), (2, 4)])
def test_candidates_are_what_rows_columns_and_boxes_leave(box: int, count: int) -> None:
    """The four empty cells of the first two rows can hold 3 or 4 by row, and one by box."""
    puzzle = [[1, 2, 0, 0], [0, 0, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]
    assert boards.candidates(puzzle, box) <= count
    assert boards.candidates([[0] * 4] * 4, box) == 64


def test_a_board_with_all_queens_but_one_is_searched_in_one_row() -> None:
    """At most as many squares are tried as the row has."""
    rows = ["_Q___", "___Q_", "Q____", "__Q__", "_____"]
    work = boards.n_queens({"metadata": {"puzzle": [list(row) for row in rows]}})
    assert work <= math.log2(1 + 5)
