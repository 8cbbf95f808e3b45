import math
import random
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rgenv.evaluation.eval_metrics import metrics
from rgenv.evaluation.results import problem_results
from rgenv.types import Sample
from tests.support.samples import sample, sample_runs

few_examples = settings(max_examples=40, deadline=None)


@few_examples
@given(sample_runs, st.randoms())
def test_the_order_of_samples_changes_nothing(run: list[Sample], rng: random.Random) -> None:
    other = run[:]
    rng.shuffle(other)
    assert metrics(run) == metrics(other)


@few_examples
@given(sample_runs)
def test_metrics_are_finite_floats_and_intervals_contain_their_means(run: list[Sample]) -> None:
    out = metrics(run)
    assert all(type(value) is float and math.isfinite(value) for value in out.values())
    for name in (name.removesuffix("_low") for name in out if name.endswith("_low")):
        assert 0 <= out[f"{name}_low"] <= out[name] <= out[f"{name}_high"] <= 1


def test_a_failed_sample_counts_as_unsolved_in_pass_at_k_and_keeps_its_name() -> None:
    """One lost sample of six changes neither the names, powers of two and six, nor the tries."""
    scores = [[1.0] + [0.0] * 5, [0.0] * 5 + [None]]
    out = metrics(
        [sample(seed=s, score=x, index=n) for s in (0, 1) for n, x in enumerate(scores[s])]
    )
    assert out["eval/pass@6"] == 0.5 and out["eval/pass@1"] == pytest.approx(1 / 12)
    assert [k for k in range(1, 10) if f"eval/pass@{k}" in out] == [1, 2, 4, 6]
    lost = metrics([sample(seed=0, index=n) for n in (0, 1)] + [sample(seed=1, score=None)])
    assert (lost["eval/pass@2"], lost["eval/accuracy"]) == (0.5, 1.0)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_at_k_is_the_share_of_draws_with_a_solution(solved: list[bool], k: int) -> None:
    assume(k <= len(solved))
    [result] = problem_results([sample(score=float(s), index=n) for n, s in enumerate(solved)])
    draws = list(combinations(solved, k))
    assert result.pass_at(k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_blind_shares_are_those_of_covered_tasks() -> None:
    known, unknown = sample("syllogism"), sample("syllogism", 1, covered=False)
    assert [result.blind > 0 for result in problem_results([known, unknown])] == [True, False]
