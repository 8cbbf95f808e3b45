from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rgenv.evaluation.results import problem_results
from tests.support.samples import sample


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_at_k_is_the_share_of_draws_with_a_solution(solved: list[bool], k: int) -> None:
    """The formula agrees with enumerating all draws of k completions."""
    assume(k <= len(solved))
    [result] = problem_results([sample(score=float(s), index=n) for n, s in enumerate(solved)])
    draws = list(combinations(solved, k))
    assert result.pass_at(k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_blind_shares_are_those_of_covered_tasks() -> None:
    """What a blind policy earns of another source of a task is not known."""
    known, unknown = sample("syllogism"), sample("syllogism", 1, covered=False)
    assert [result.blind > 0 for result in problem_results([known, unknown])] == [True, False]
