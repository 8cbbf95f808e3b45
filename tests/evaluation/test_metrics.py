"""rgenv/evaluation/metrics.py: the numbers of an evaluation."""

import math
import random
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rgenv.evaluation.compare import FEWEST, paired
from rgenv.evaluation.metrics import (
    Estimate,
    by_length,
    estimate,
    items,
    level_names,
    metrics,
    ranked,
    score_table,
)

CATEGORIES = {"gcd": "arithmetic", "lcm": "arithmetic", "maze": "games"}


def sample(
    task: str = "gcd", seed: int = 0, score: float | None = 1.0, *, index: int = 0, **other: Any
) -> dict[str, Any]:
    """One completion as it stands in samples.jsonl; a score of None is one that failed."""
    made = {
        "id": f"{task}/{seed}/none/{index}",
        "task": task,
        "category": CATEGORIES[task],
        "level": None,
        "seed": seed,
        "sample": index,
        "question": f"{task} {seed}?",
        **(
            {"error": "timeout"}
            if score is None
            else {
                "score": score,
                "verdict": "scored",
                "finish_reason": "stop",
                "completion_tokens": 10,
            }
        ),
    }
    return made | other


def run_of(*scores: float, task: str = "gcd") -> list[dict[str, Any]]:
    """One completion for each of many items."""
    return [sample(task, seed, score) for seed, score in enumerate(scores)]


scores = st.sampled_from([0.0, 0.01, 0.3, 0.5, 0.98, 0.99, 1.0]) | st.none()
completions = st.builds(
    sample,
    st.sampled_from(sorted(CATEGORIES)),
    st.integers(0, 1),
    scores,
    index=st.integers(0, 4),
    level=st.sampled_from([None, 0.0, 0.5]),
    verdict=st.sampled_from(["scored", "no_answer", "timeout"]),
    finish_reason=st.sampled_from(["stop", "length"]),
    completion_tokens=st.integers(1, 5000) | st.none(),
).map(lambda s: s | {"id": f"{s['task']}/{s['seed']}/{s['level']}/{s['sample']}"})
runs = st.lists(completions, max_size=40, unique_by=lambda s: s["id"])
few = settings(max_examples=40, deadline=None)


def test_items_weigh_the_same_and_failures_are_counted_but_not_averaged() -> None:
    """Two of three right in one item and none in another make a third, whatever failed."""
    half = [sample(score=1.0), sample(score=1.0, index=1), sample(score=0.5, index=2)]
    out = metrics([*half, sample("lcm", 1, 0.0), sample("lcm", 2, None)])
    assert out["eval/accuracy"] == pytest.approx(1 / 3)
    assert out["eval/percent_correct"] == pytest.approx(1 / 2)
    assert out["eval/mean_score"] == pytest.approx(2.5 / 6)
    assert (out["eval/errors"], out["eval/items"], out["eval/completions"]) == (1, 3, 5)


def test_each_rate_counts_its_own_kind_of_trouble() -> None:
    """Format, truncation, length and verdicts do not mix."""
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
    """Each is over its own items alone."""
    out = metrics(
        [
            sample(seed=0, level=0.0),
            sample(seed=1, score=0.5, level=0.5),
            sample("lcm", 0, 0.0),
            sample("maze", 0, 1.0, level=1.0),
        ]
    )
    assert (out["eval/gcd/score"], out["eval/gcd/accuracy"]) == (0.75, 0.5)
    assert out["eval/category/arithmetic/accuracy"] == pytest.approx(1 / 3)
    assert out["eval/category/games/mean_score_low"] == 1.0
    levels = {name: out[f"eval/level/{name}/accuracy"] for name in ("none", "0", "0.5", "1")}
    assert levels == {"none": 0.0, "0": 1.0, "0.5": 0.0, "1": 1.0}


def test_tasks_are_ranked_in_their_category_and_levels_by_their_difficulty() -> None:
    """Best first, equals by name; a task's own parameters before every level."""
    found = items(
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
    equal = items([sample("lcm"), sample("gcd")])
    assert list(ranked(equal)["arithmetic"]) == ["gcd", "lcm"]


def test_where_nothing_was_scored_nothing_is_averaged() -> None:
    """Counts are all there is."""
    assert metrics([sample(score=None)]) == {
        "eval/errors": 1,
        "eval/items": 1,
        "eval/completions": 1,
    }
    assert by_length([]) == []
    assert score_table([]).splitlines()[-1].split() == ["all", "0", "-", "-", "-"]


@few
@given(runs, st.randoms())
def test_the_order_of_samples_changes_nothing(run: list[dict], rng: random.Random) -> None:
    """Completions come back in the order in which they end, which is chance."""
    other = run[:]
    rng.shuffle(other)
    assert metrics(run) == metrics(other) and by_length(run) == by_length(other)


@few
@given(st.lists(st.floats(0, 1), min_size=3, max_size=6), st.randoms())
def test_the_order_of_completions_of_an_item_changes_nothing(
    given: list[float], rng: random.Random
) -> None:
    """Not even in the last digit, where the order of a sum shows."""
    run = [sample(score=score, index=n) for n, score in enumerate(given)]
    other = run[:]
    rng.shuffle(other)
    assert metrics(run) == metrics(other)


@few
@given(runs)
def test_metrics_are_finite_floats_and_intervals_hold_their_means(run: list[dict]) -> None:
    """What dashboards are handed can be drawn."""
    out = metrics(run)
    assert all(type(value) is float and math.isfinite(value) for value in out.values())
    for name in (name.removesuffix("_low") for name in out if name.endswith("_low")):
        assert 0 <= out[f"{name}_low"] <= out[name] <= out[f"{name}_high"] <= 1


@few
@given(runs)
def test_pass_at_k_grows_from_the_accuracy(run: list[dict]) -> None:
    """More tries never hurt, and one try is the accuracy; so is the mean over all tries."""
    out = metrics(run)
    assume("eval/accuracy" in out)
    most = max(len(item.scores) for item in items(run))
    ks = sorted(int(n[10:]) for n in out if n.startswith("eval/pass@") and n[10:].isdigit())
    values = [out[f"eval/pass@{k}"] for k in ks]
    assert ks[0] == 1 and ks[-1] == most
    assert set(ks[:-1]) == {2**n for n in range(10) if 2**n < most}
    assert values == sorted(values)
    assert values[0] == pytest.approx(out["eval/accuracy"]) == out[f"eval/mean@{most}"]


def test_pass_at_k_is_told_for_powers_of_two_and_all_tries() -> None:
    """Five completions an item allow 1, 2, 4 and 5; the last has an interval."""
    five = [sample(seed=s, score=float(n == s), index=n) for s in (0, 7) for n in range(5)]
    out = metrics(five)
    found = {k: out[f"eval/pass@{k}"] for k in (1, 2, 4, 5)}
    assert found == pytest.approx({1: 0.1, 2: 0.2, 4: 0.4, 5: 0.5})
    assert "eval/pass@3" not in out
    assert (out["eval/pass@5_low"], out["eval/pass@5_high"]) == (0.0, 1.0)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_at_k_is_the_share_of_draws_that_hold_a_right_one(right: list[bool], k: int) -> None:
    """The formula counts what drawing every k of the completions would count."""
    assume(k <= len(right))
    [item] = items([sample(score=float(r), index=n) for n, r in enumerate(right)])
    draws = list(combinations(right, k))
    assert item.pass_at(k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_intervals_are_over_items_and_not_over_their_completions() -> None:
    """Asking an item ten times over tells nothing of other items."""
    once = run_of(1, 0, 1, 1, 0, 0, 1, 0)
    often = [s | {"id": f"gcd/{s['seed']}/none/{n}"} for s in once for n in range(10)]
    assert metrics(once)["eval/accuracy_low"] == metrics(often)["eval/accuracy_low"]
    assert metrics(often)["eval/accuracy_low"] < 0.4


def test_intervals_are_as_wide_as_theory_says() -> None:
    """For many items the bootstrap and the normal approximation agree."""
    values = np.random.default_rng(0).random(400)
    found, error = estimate(values.tolist()), 1.96 * values.std() / 20
    assert found.low == pytest.approx(values.mean() - error, abs=0.004)
    assert found.high == pytest.approx(values.mean() + error, abs=0.004)


def test_a_large_evaluation_is_resampled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays bounded and the intervals stay what they were."""
    values = [n % 3 / 2 for n in range(50)]
    whole = estimate(values)
    monkeypatch.setattr("rgenv.evaluation.metrics.DRAWS_AT_ONCE", 1500)
    assert estimate(values) == whole


def test_samples_of_before_there_were_ids_are_items_by_their_recipe() -> None:
    """Evaluations that are on disk can still be read."""
    old = [
        {"task": "gcd", "score": s, "verdict": "scored", "recipe": {"seed": n}, "question": "?"}
        for n, s in [(1, 1.0), (1, 0.0), (2, 0.0)]
    ]
    out = metrics(old)
    assert out["eval/items"] == 2 and out["eval/accuracy"] == 0.25
    assert out["eval/category/other/accuracy"] == 0.25


# Length


@few
@given(runs, st.integers(1, 9))
def test_bins_of_length_share_the_completions_out(run: list[dict], bins: int) -> None:
    """Every scored completion of known length is in one bin; bins do not overlap."""
    found = by_length(run, bins=bins)
    known = [s for s in run if "score" in s and s["completion_tokens"] is not None]
    assert sum(b.completions for b in found) == len(known) and len(found) <= bins
    assert sum(b.truncated for b in found) == sum(s["finish_reason"] == "length" for s in known)
    ends = [end for b in found for end in (b.shortest, b.longest)]
    assert ends == sorted(ends)
    assert all(a.longest < b.shortest for a, b in pairwise(found))


def test_what_was_cut_at_the_budget_is_a_bin_of_its_own() -> None:
    """Its accuracy is not mixed with that of answers that ended by themselves."""
    whole = [sample(seed=n, completion_tokens=n + 1) for n in range(30)]
    cut = [
        sample(seed=n, score=0.0, completion_tokens=64, finish_reason="length")
        for n in range(30, 40)
    ]
    *_, last = by_length(whole + cut)
    assert (last.label, last.completions, last.truncated, last.accuracy.mean) == ("64", 10, 10, 0)
    thirds = by_length(whole[:24])
    assert [b.completions for b in thirds] == [3] * 8 and thirds[0].label == "1–3"


# Better than last week's?


@few
@given(runs)
def test_a_run_against_itself_is_no_change(run: list[dict]) -> None:
    """All differences are 0, and nothing is only in one."""
    found = paired(run, run)
    zero = [0.0, 0.0, 0.0]
    every = [found.overall] * bool(items(run)) + list(found.tasks.values())
    for change in [*every, *found.categories.values()]:
        for of in (change.accuracy, change.score):
            assert [of.mean, of.low, of.high] == zero
        assert change.verdict == "" and change.earlier == change.now
    assert found.only_earlier == found.only_now == found.changed == 0


@few
@given(runs, runs)
def test_a_comparison_turned_around_has_the_opposite_signs(a: list[dict], b: list[dict]) -> None:
    """Which run comes first decides the sign and nothing else."""
    there, back = paired(a, b), paired(b, a)
    assert (there.only_earlier, there.only_now) == (back.only_now, back.only_earlier)
    assert there.tasks.keys() == back.tasks.keys()
    for task, change in there.tasks.items():
        assert change.accuracy.mean == pytest.approx(-back.tasks[task].accuracy.mean)
        assert change.accuracy.items == back.tasks[task].accuracy.items


def test_pairs_see_what_two_intervals_would_hide() -> None:
    """Easy and hard items cancel out: one item in five that is newly solved is clear enough."""
    earlier = run_of(*[1.0, 0.0] * 20)
    now = run_of(*[1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0] * 4)
    [change] = paired(earlier, now).tasks.values()
    assert change.verdict == "better" and change.accuracy.mean == pytest.approx(0.2)
    assert change.now - change.earlier == pytest.approx(0.2)
    assert metrics(earlier)["eval/accuracy_high"] > metrics(now)["eval/accuracy_low"]


def test_tasks_that_changed_are_told_with_the_most_changed_first() -> None:
    """Better and worse are apart, and what stayed the same is in neither."""
    size = FEWEST + 5
    earlier = [s for task in CATEGORIES for s in run_of(*[0.0, 1.0] * size, task=task)]
    now = [
        *run_of(*[1.0, 1.0] * size),
        *run_of(*[0.0, 0.0] * size, task="lcm"),
        *run_of(*[0.0, 1.0] * size, task="maze"),
    ]
    found = paired(earlier, now)
    assert list(found.tasks_that_got("better")) == ["gcd"]
    assert list(found.tasks_that_got("worse")) == ["lcm"]
    assert found.overall is not None and found.overall.accuracy.mean == 0
    assert found.categories["games"].accuracy == Estimate(0, 0, 0, 2 * size)
    mild = paired(earlier, [*run_of(*[1.0, 1.0] * size), *run_of(*[1.0] * 9, task="lcm")])
    assert list(mild.tasks_that_got("better")) == ["lcm", "gcd"]


def test_too_few_items_say_nothing() -> None:
    """One item that is solved now is an anecdote."""
    few = FEWEST - 1
    [change] = paired(run_of(*[0.0] * few), run_of(*[1.0] * few)).tasks.values()
    assert change.verdict == "" and change.accuracy.low == 1.0


def test_only_what_both_runs_asked_is_compared() -> None:
    """Items that one run lacks or that ask something else now are counted, not compared."""
    earlier = [*run_of(0, 0, 0), sample("lcm", 9, None)]
    now = [
        sample(seed=0),
        sample(seed=1, question="other"),
        *run_of(1, 1, task="lcm"),
        sample("lcm", 9),
    ]
    found = paired(earlier, now)
    assert found.overall is not None and found.overall.accuracy.items == 1
    assert (found.only_earlier, found.only_now, found.changed) == (1, 3, 1)
    assert paired([], now).overall is None


# For the terminal


def test_the_table_has_a_line_for_each_category_and_a_total_over_items() -> None:
    """Accuracy, its interval and the mean score stand side by side."""
    lines = score_table([*run_of(1.0, 0.5), sample("maze", 0, 0.0)]).splitlines()
    assert lines[2].split() == ["arithmetic", "2", "0.500", "0.000", "to", "1.000", "0.750"]
    assert lines[3].split() == ["games", "1", "0.000", "0.000", "to", "0.000", "0.000"]
    assert lines[-1].split() == ["all", "3", "0.333", "0.000", "to", "1.000", "0.500"]
