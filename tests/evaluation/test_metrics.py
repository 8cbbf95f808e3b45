import math
import random
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rgenv.evaluation.metrics import metrics
from rgenv.evaluation.results import problem_id_of
from rgenv.types import Sample
from tests.support.samples import run_of, sample, sample_runs

few_examples = settings(max_examples=40, deadline=None)


@few_examples
@given(sample_runs, st.randoms())
def test_the_order_of_samples_changes_nothing(run: list[Sample], rng: random.Random) -> None:
    """Samples are saved in the order in which requests end, which varies."""
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
    """k is a power of two or K; without failed samples, pass@1 equals the accuracy."""
    out = metrics(run)
    assume("eval/accuracy" in out)
    most = max(Counter(problem_id_of(made) for made in run).values())
    ks = sorted(int(n[10:]) for n in out if n.startswith("eval/pass@") and n[10:].isdigit())
    values = [out[f"eval/pass@{k}"] for k in ks]
    assert ks[0] == 1 and ks[-1] == most
    assert set(ks[:-1]) == {2**n for n in range(10) if 2**n < most}
    assert values == sorted(values)
    if not out["eval/errors"]:
        assert values[0] == pytest.approx(out["eval/accuracy"])


def test_a_failed_sample_counts_as_unsolved_in_pass_at_k_and_keeps_its_name() -> None:
    """One lost sample of eight changes neither the names nor the number of tries."""
    scores = [[1.0] + [0.0] * 7, [0.0] * 7 + [None]]
    out = metrics(
        [sample(seed=s, score=x, index=n) for s in (0, 1) for n, x in enumerate(scores[s])]
    )
    assert out["eval/pass@8"] == 0.5 and out["eval/pass@1"] == pytest.approx(1 / 16)
    assert "eval/pass@7" not in out
    lost = metrics([sample(seed=0, index=n) for n in (0, 1)] + [sample(seed=1, score=None)])
    assert (lost["eval/pass@2"], lost["eval/accuracy"]) == (0.5, 1.0)


def test_a_sample_of_tasks_has_wider_intervals_than_all_tasks() -> None:
    """The whole, categories and levels speak for all tasks, a task only for itself."""
    run = [*run_of(*[1, 0] * 10), *run_of(*[1, 1, 1, 0] * 5, task="lcm")]
    alone, some = metrics(run), metrics(run, {"arithmetic": 18, "games": 20})
    names = ("eval", "eval/category/arithmetic", "eval/level/none")
    for name in (*(f"{name}/accuracy" for name in names), "eval/macro_accuracy", "eval/pass@1"):
        assert some[name] == alone[name]
        assert some[f"{name}_low"] < alone[f"{name}_low"] < alone[f"{name}_high"]
    assert some["eval/gcd/accuracy_low"] == alone["eval/gcd/accuracy_low"]
    assert some["eval/detectable_change"] == alone["eval/detectable_change"]


def test_intervals_are_over_problems_and_not_over_completions() -> None:
    """Ten equal completions per problem leave the interval as wide as one."""
    once = run_of(1, 0, 1, 1, 0, 0, 1, 0)
    often = [s | {"id": f"gcd/{s['seed']}/none/{n}"} for s in once for n in range(10)]
    assert metrics(once)["eval/accuracy_low"] == metrics(often)["eval/accuracy_low"]
    assert metrics(often)["eval/accuracy_low"] < 0.4
