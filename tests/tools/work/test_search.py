"""More is tried before the right one is found."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.games import puzzle24
from tests.support.work import mean_work
from tools.work import search

COUNTS = {"modulo_grid": 40, "needle_haystack": 40}
"""Problems a level; 15 for the others."""


@pytest.mark.parametrize("task", sorted(search.PROXIES))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, COUNTS.get(task, 15), monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


def test_numbers_with_more_solutions_take_fewer_tries() -> None:
    """4, 6, 1 and 1 make 24 in many ways; 1, 5, 5 and 5 in one."""
    easy, hard = ({"metadata": {"numbers": numbers}} for numbers in ([4, 6, 1, 1], [1, 5, 5, 5]))
    assert puzzle24.work(easy) < puzzle24.work(hard)


@given(numbers=st.lists(st.integers(1, 10), min_size=2, max_size=4))
def test_every_sum_and_product_is_an_outcome(numbers: list[int]) -> None:
    """All formulas include the sum and the product of all numbers."""
    results = list(puzzle24.outcomes(tuple(map(float, numbers))))
    assert float(sum(numbers)) in results and float(math.prod(numbers)) in results


def test_reading_ends_with_the_sentence_that_answers() -> None:
    """The third sentence names who likes tea."""
    story = "Ann hates tea. Bob likes rum. Cid likes tea. Dan likes ink. "
    entry = {"question": f"{story}\nWho likes tea? Reply only with a name.", "answer": "Cid"}
    assert search.needle_haystack(entry) == 3


def test_only_empty_points_beside_white_stones_may_capture() -> None:
    """A white stone in a corner has two neighbours."""
    assert search.tsumego({"metadata": {"board": ["O..", "...", "..X"]}}) == 2
