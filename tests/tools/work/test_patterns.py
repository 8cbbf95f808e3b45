"""More is recognized at higher levels."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rgenv.tasks import examples
from tests.support.work import mean_work
from tools.work import patterns

COUNTS = {"rectangle_count": 60}
"""Problems a level; 15 for the others."""


@pytest.mark.parametrize("task", sorted(patterns.PROXIES))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, COUNTS.get(task, 15), monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


def test_objects_are_connected_areas_of_one_colour() -> None:
    """Cells that touch at a corner only are two objects."""
    assert examples.objects([[1, 1, 0], [0, 1, 0], [1, 0, 0]]) == 4


def test_all_cells_of_a_grid_of_another_size_change() -> None:
    """Nothing can be compared cell by cell."""
    assert examples.changes([[1, 2]], [[1, 3]]) == 1
    assert examples.changes([[1, 2]], [[1], [2]]) == 2
