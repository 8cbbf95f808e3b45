"""Tests of rgenv/evaluation/compare.py."""

import pytest

from rgenv.evaluation.chance import MIN_PROBLEMS
from rgenv.evaluation.compare import compare_runs
from rgenv.evaluation.metrics import metrics
from tests.support.samples import run_of, sample


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
