"""More rules are applied and cells moved at higher levels."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.support.work import mean_work
from tools.work import rewriting


@pytest.mark.parametrize("task", sorted(rewriting.PROXIES))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, 15, monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


@pytest.mark.parametrize(("turns", "work"), [(1, 9), (4, 1), (8, 2), (7, 10)])
def test_whole_turns_move_nothing(turns: int, work: int) -> None:
    """What is left of the turns moves each number of a 3 by 3 matrix."""
    assert rewriting.rotate_matrix({"metadata": {"num_rotations": turns, "n": 3}}) == work


def test_an_average_takes_two_operations_a_number() -> None:
    """Numbers are added up and divided, or compared."""
    size = {"rows": 4, "cols": 5}
    assert rewriting.pool_matrix({"metadata": {**size, "pool_type": "average"}}) == 40
    assert rewriting.pool_matrix({"metadata": {**size, "pool_type": "max"}}) == 20
