"""Tests of rgenv/evaluation/compare.py."""

import pytest
from hypothesis import given, settings

from rgenv.evaluation.chance import MIN_PROBLEMS
from rgenv.evaluation.compare import compare_runs
from rgenv.evaluation.metrics import metrics
from rgenv.evaluation.results import problem_results
from rgenv.types import Sample
from tests.support.samples import run_of, sample, sample_runs

few_examples = settings(max_examples=40, deadline=None)


@few_examples
@given(sample_runs)
def test_a_run_compared_with_itself_has_not_changed(run: list[Sample]) -> None:
    """All differences are zero, none is marked, and no problem is in only one run."""
    found = compare_runs(run, run)
    assert (found.overall is not None) == bool(problem_results(run))
    overall = [] if found.overall is None else [found.overall]
    for change in [*overall, *found.tasks.values(), *found.categories.values()]:
        for difference in (change.accuracy, change.score):
            assert difference.mean == 0.0 and difference.low == -difference.high < 0.0
        assert change.verdict == "" and change.earlier == change.now
    assert found.only_earlier == found.only_now == found.changed == 0


@few_examples
@given(sample_runs, sample_runs)
def test_a_reversed_comparison_has_opposite_signs(a: list[Sample], b: list[Sample]) -> None:
    """The order of the runs decides nothing but the sign."""
    forward, backward = compare_runs(a, b), compare_runs(b, a)
    assert (forward.only_earlier, forward.only_now) == (backward.only_now, backward.only_earlier)
    assert forward.tasks.keys() == backward.tasks.keys()
    for task, change in forward.tasks.items():
        assert change.accuracy.mean == pytest.approx(-backward.tasks[task].accuracy.mean)
        assert change.accuracy.problems == backward.tasks[task].accuracy.problems


def test_paired_differences_find_changes_that_separate_intervals_hide() -> None:
    """One newly solved problem in five is a clear change, though the runs' intervals overlap."""
    earlier = run_of(*[1.0, 0.0] * 20)
    now = run_of(*[1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0] * 4)
    [change] = compare_runs(earlier, now).tasks.values()
    assert change.verdict == "better" and change.accuracy.mean == pytest.approx(0.2)
    assert change.now - change.earlier == pytest.approx(0.2)
    assert metrics(earlier)["eval/accuracy_high"] > metrics(now)["eval/accuracy_low"]


def test_changed_tasks_are_listed_with_the_largest_change_first() -> None:
    """Better and worse tasks are listed apart, unchanged ones not at all."""
    size = MIN_PROBLEMS
    tasks = ("gcd", "lcm", "maze")
    earlier = [s for task in tasks for s in run_of(*[0.0, 1.0] * size, task=task)]
    now = [
        *run_of(*[1.0, 1.0] * size),
        *run_of(*[0.0, 0.0] * size, task="lcm"),
        *run_of(*[0.0, 1.0] * size, task="maze"),
    ]
    found = compare_runs(earlier, now)
    assert list(found.changed_tasks("better")) == ["gcd"]
    assert list(found.changed_tasks("worse")) == ["lcm"]
    assert found.overall is not None and found.overall.accuracy.mean == 0
    assert found.categories["games"].accuracy.mean == 0
    other = compare_runs(earlier, [*run_of(*[1.0, 1.0] * size), *run_of(*[1.0] * 15, task="lcm")])
    assert list(other.changed_tasks("better")) == ["lcm", "gcd"]


def test_a_change_over_too_few_problems_has_no_verdict() -> None:
    """Its numbers are reported all the same."""
    count = MIN_PROBLEMS - 1
    [change] = compare_runs(run_of(*[0.0] * count), run_of(*[1.0] * count)).tasks.values()
    assert change.verdict == "" and change.accuracy.mean == 1.0
    [change] = compare_runs(run_of(*[0.0] * 10), run_of(*[1.0] * 10)).tasks.values()
    assert change.verdict == "better"


def test_a_problem_has_as_many_completions_in_both_runs() -> None:
    """Where one run has more of them, or some failed, only common ones are compared."""
    one = [sample(seed=seed, score=float(seed < 10)) for seed in range(20)]
    four = [sample(seed=seed, score=float(n == 3), index=n) for seed in range(20) for n in range(4)]
    found = compare_runs(one, [*four[4:], sample(seed=0, score=None), *four[1:4]])
    assert found.overall is not None and found.overall.accuracy.problems == 19
    assert (found.overall.earlier, found.overall.now) == (pytest.approx(9 / 19), 0.0)
    assert (found.only_earlier, found.only_now) == (1, 1)
