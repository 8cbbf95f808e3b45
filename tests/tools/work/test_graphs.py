"""Searches of graphs visit more at higher levels."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.support.work import mean_work
from tools.work import graphs


@pytest.mark.parametrize("task", sorted(graphs.PROXIES))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, 15, monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


@pytest.mark.parametrize(
    ("edges", "depth"),
    [([], 0), ([(0, 1)], 1), ([(2, 1), (1, 0), (2, 0)], 2), ([(0, 1), (1, 0)], 2)],
)
def test_the_longest_chain_of_prerequisites_counts(
    edges: list[tuple[int, int]], depth: int
) -> None:
    """A course that is needed twice is followed once, and a cycle ends a chain."""
    metadata = {"prerequisites": edges, "courses": [0, 1, 2]}
    assert graphs.course_schedule({"metadata": metadata}) == depth


@pytest.mark.parametrize(
    ("rows", "minutes"), [(["211"], 2), (["2101"], 1), (["111"], 0), (["12121"], 1)]
)
def test_oranges_rot_from_all_sides(rows: list[str], minutes: int) -> None:
    """The time ends when no more oranges rot, whether some stay fresh or not."""
    matrix = [[int(cell) for cell in row] for row in rows]
    assert graphs.rotten_oranges({"metadata": {"matrix": matrix}}) == minutes
