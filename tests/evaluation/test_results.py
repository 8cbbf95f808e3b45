from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rgenv.evaluation.results import level_names, problem_results, ranked
from tests.support.samples import sample


def test_tasks_are_ranked_by_accuracy_and_levels_by_difficulty() -> None:
    """Tasks of equal accuracy are in alphabetical order; the defaults precede all levels."""
    found = problem_results(
        [
            sample("lcm", level=1.0),
            sample(score=0.0, level=0.5),
            sample("maze", 0, 0.3),
            sample(seed=1, level=None),
            sample("lcm", 1, level=0.0),
        ]
    )
    ranks = {category: list(tasks) for category, tasks in ranked(found).items()}
    assert ranks == {"arithmetic": ["lcm", "gcd"], "games": ["maze"]}
    assert level_names(found) == ["none", "0", "0.5", "1"]
    equal = problem_results([sample("lcm"), sample("gcd")])
    assert list(ranked(equal)["arithmetic"]) == ["gcd", "lcm"]


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
