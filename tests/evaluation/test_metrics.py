"""Tests of rgenv/evaluation/metrics.py."""

import math
import random
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rgenv.evaluation.metrics import (
    by_length,
    estimate,
    level_names,
    metrics,
    problem_results,
    ranked,
    score_table,
)
from rgenv.types import Sample
from tests.support.samples import run_of, sample, sample_runs

few_examples = settings(max_examples=40, deadline=None)


def test_problems_have_equal_weight_and_failed_samples_none() -> None:
    """Two of three solved in one problem and none in another make an accuracy of a third."""
    half = [sample(score=1.0), sample(score=1.0, index=1), sample(score=0.5, index=2)]
    out = metrics([*half, sample("lcm", 1, 0.0), sample("lcm", 2, None)])
    assert out["eval/accuracy"] == pytest.approx(1 / 3)
    assert out["eval/percent_correct"] == pytest.approx(1 / 2)
    assert out["eval/mean_score"] == pytest.approx(2.5 / 6)
    assert (out["eval/errors"], out["eval/items"], out["eval/completions"]) == (1, 3, 5)


def test_format_truncation_length_and_verdicts_are_counted_apart() -> None:
    """Each rate counts only its own property."""
    out = metrics(
        [
            sample(seed=0, completion_tokens=100),
            sample(seed=1, score=0.0, verdict="no_answer"),
            sample(seed=2, score=0.0, verdict="timeout", completion_tokens=None),
            sample("maze", 3, 0.0, finish_reason="length", verdict="timeout"),
        ]
    )
    assert (out["eval/format_rate"], out["eval/truncation_rate"]) == (0.75, 0.25)
    assert out["eval/mean_tokens"] == 40
    assert out["eval/verdicts/scored"] == 1 and out["eval/verdicts/gcd/no_answer"] == 1


def test_categories_levels_and_tasks_have_their_own_numbers() -> None:
    """Each number covers only the problems of its group."""
    out = metrics(
        [
            sample(seed=0, level=0.0),
            sample(seed=1, score=0.5, level=0.5),
            sample("lcm", 0, 0.0),
            sample("maze", 0, 1.0, level=1.0),
        ]
    )
    assert (out["eval/gcd/mean_score"], out["eval/gcd/accuracy"]) == (0.75, 0.5)
    assert out["eval/category/arithmetic/accuracy"] == pytest.approx(1 / 3)
    assert out["eval/category/games/mean_score_low"] == 1.0
    levels = {name: out[f"eval/level/{name}/accuracy"] for name in ("none", "0", "0.5", "1")}
    assert levels == {"none": 0.0, "0": 1.0, "0.5": 0.0, "1": 1.0}


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


def test_without_scores_there_are_only_counts() -> None:
    """Without scores there are counts but no means."""
    assert metrics([sample(score=None)]) == {
        "eval/errors": 1,
        "eval/items": 1,
        "eval/completions": 1,
    }
    assert by_length([]) == []
    assert score_table([]).splitlines()[-1].split() == ["all", "0", "-", "-", "-"]


@few_examples
@given(sample_runs, st.randoms())
def test_the_order_of_samples_changes_nothing(run: list[Sample], rng: random.Random) -> None:
    """Samples are saved in the order in which requests end, which varies."""
    other = run[:]
    rng.shuffle(other)
    assert metrics(run) == metrics(other) and by_length(run) == by_length(other)


@few_examples
@given(st.lists(st.floats(0, 1), min_size=3, max_size=6), st.randoms())
def test_the_order_of_completions_of_a_problem_changes_nothing(
    given: list[float], rng: random.Random
) -> None:
    """Sums of scores are equal to the last digit."""
    run = [sample(score=score, index=n) for n, score in enumerate(given)]
    other = run[:]
    rng.shuffle(other)
    assert metrics(run) == metrics(other)


@few_examples
@given(sample_runs)
def test_metrics_are_finite_floats_and_intervals_contain_their_means(run: list[Sample]) -> None:
    """Shares and the ends of their intervals lie in [0, 1]."""
    out = metrics(run)
    assert all(type(value) is float and math.isfinite(value) for value in out.values())
    for name in (name.removesuffix("_low") for name in out if name.endswith("_low")):
        assert 0 <= out[f"{name}_low"] <= out[name] <= out[f"{name}_high"] <= 1


@few_examples
@given(sample_runs)
def test_pass_at_k_grows_with_k_from_the_accuracy(run: list[Sample]) -> None:
    """pass@1 and mean@K equal the accuracy; k is a power of two or the maximum."""
    out = metrics(run)
    assume("eval/accuracy" in out)
    most = max(len(result.scores) for result in problem_results(run))
    ks = sorted(int(n[10:]) for n in out if n.startswith("eval/pass@") and n[10:].isdigit())
    values = [out[f"eval/pass@{k}"] for k in ks]
    assert ks[0] == 1 and ks[-1] == most
    assert set(ks[:-1]) == {2**n for n in range(10) if 2**n < most}
    assert values == sorted(values)
    assert values[0] == pytest.approx(out["eval/accuracy"]) == out[f"eval/mean@{most}"]


def test_pass_at_k_is_reported_for_powers_of_two_and_the_maximum() -> None:
    """Five completions per problem give k = 1, 2, 4 and 5; the last one has an interval."""
    five = [sample(seed=s, score=float(n == s), index=n) for s in (0, 7) for n in range(5)]
    out = metrics(five)
    found = {k: out[f"eval/pass@{k}"] for k in (1, 2, 4, 5)}
    assert found == pytest.approx({1: 0.1, 2: 0.2, 4: 0.4, 5: 0.5})
    assert "eval/pass@3" not in out
    assert (out["eval/pass@5_low"], out["eval/pass@5_high"]) == (0.0, 1.0)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_at_k_is_the_share_of_draws_with_a_solution(solved: list[bool], k: int) -> None:
    """The formula agrees with enumerating all draws of k completions."""
    assume(k <= len(solved))
    [result] = problem_results([sample(score=float(s), index=n) for n, s in enumerate(solved)])
    draws = list(combinations(solved, k))
    assert result.pass_at(k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_intervals_are_over_problems_and_not_over_completions() -> None:
    """Ten equal completions per problem leave the interval as wide as one."""
    once = run_of(1, 0, 1, 1, 0, 0, 1, 0)
    often = [s | {"id": f"gcd/{s['seed']}/none/{n}"} for s in once for n in range(10)]
    assert metrics(once)["eval/accuracy_low"] == metrics(often)["eval/accuracy_low"]
    assert metrics(often)["eval/accuracy_low"] < 0.4


def test_intervals_have_the_width_that_theory_predicts() -> None:
    """For many problems the bootstrap agrees with the normal approximation."""
    values = np.random.default_rng(0).random(400)
    found, error = estimate(values.tolist()), 1.96 * values.std() / 20
    assert found.low == pytest.approx(values.mean() - error, abs=0.004)
    assert found.high == pytest.approx(values.mean() + error, abs=0.004)


def test_resampling_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound on memory does not change the interval."""
    values = [n % 3 / 2 for n in range(50)]
    whole = estimate(values)
    monkeypatch.setattr("rgenv.evaluation.metrics.DRAWS_AT_ONCE", 1500)
    assert estimate(values) == whole


# Completion length


@few_examples
@given(sample_runs, st.integers(1, 9))
def test_every_completion_of_known_length_is_in_one_bin(run: list[Sample], bins: int) -> None:
    """Bins are in order and do not overlap."""
    found = by_length(run, bins=bins)
    known = [s for s in run if s.get("completion_tokens") is not None]
    assert sum(b.completions for b in found) == len(known) and len(found) <= bins
    assert sum(b.truncated for b in found) == sum(s["finish_reason"] == "length" for s in known)
    ends = [end for b in found for end in (b.shortest, b.longest)]
    assert ends == sorted(ends)
    assert all(a.longest < b.shortest for a, b in pairwise(found))


def test_completions_cut_at_the_token_limit_have_their_own_bin() -> None:
    """Other completions are split into bins of equal size."""
    whole = [sample(seed=n, completion_tokens=n + 1) for n in range(30)]
    cut = [
        sample(seed=n, score=0.0, completion_tokens=64, finish_reason="length")
        for n in range(30, 40)
    ]
    *_, last = by_length(whole + cut)
    assert (last.label, last.completions, last.truncated, last.accuracy.mean) == ("64", 10, 10, 0)
    thirds = by_length(whole[:24])
    assert [b.completions for b in thirds] == [3] * 8 and thirds[0].label == "1–3"


# Terminal


def test_the_table_has_a_line_for_each_category_and_a_total() -> None:
    """Columns are problems, accuracy, its interval and the mean score."""
    lines = score_table([*run_of(1.0, 0.5), sample("maze", 0, 0.0)]).splitlines()
    assert lines[2].split() == ["arithmetic", "2", "0.500", "0.000", "to", "1.000", "0.750"]
    assert lines[3].split() == ["games", "1", "0.000", "0.000", "to", "0.000", "0.000"]
    assert lines[-1].split() == ["all", "3", "0.333", "0.000", "to", "1.000", "0.500"]
