"""rgenv/evaluation/estimates.py: intervals hold the true value, and chance is not marked."""

from collections.abc import Sequence

import numpy as np
import pytest

from rgenv.evaluation.estimates import accuracy, change, estimate, more_than_chance, p_value
from rgenv.evaluation.results import ProblemResult, problem_results
from tests.support.samples import run_of, sample

RUNS = 100
SIZES = [
    pytest.param(1, 30, 1, 1, id="one task"),
    pytest.param(1, 400, 1, 2, id="one large task"),
    pytest.param(10, 4, 1, 1, id="few problems of each task"),
    pytest.param(10, 3, 1, 8, id="many completions"),
    pytest.param(40, 10, 1, 1, id="many tasks"),
    pytest.param(1, 120, 4, 4, id="families"),
    pytest.param(10, 12, 3, 1, id="families of many tasks"),
]


def drawn(
    shares: Sequence[float], per_task: int, family: int, each: int, rng: np.random.Generator
) -> list[ProblemResult]:
    """Return a run in which the problems of a family are solved about as often as each other."""
    results = []
    for task, share in enumerate(shares):
        chances = rng.beta(2 * share, 2 * (1 - share), per_task // family).repeat(family)
        for number, solved in enumerate(rng.binomial(each, chances)):
            scores = (0.0,) * (each - solved) + (1.0,) * solved
            name, kin = f"{task}/{number}", 1 + number // family
            results.append(
                ProblemResult(name, str(task), "c", None, "?", kin, 0.0, scores, {}, 0.0)
            )
    return results


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "per_task", "family", "each"), SIZES)
def test_intervals_hold_the_true_value_in_95_percent(
    tasks: int, per_task: int, family: int, each: int
) -> None:
    """Those of an accuracy and of a change, for shares from .1 to .9 and for tasks that differ."""
    rng = np.random.default_rng(1)
    held: list[tuple[bool, bool]] = []
    spreads = [np.full(tasks, share) for share in (0.1, 0.5, 0.9)]
    for shares in [*spreads, np.linspace(0.1, 0.9, tasks) if tasks > 1 else np.array([0.7])]:
        better = np.minimum(0.95, shares + 0.05)
        for _ in range(RUNS):
            before, after = (drawn(s, per_task, family, each, rng) for s in (shares, better))
            found = estimate(before, accuracy)
            gain = change(list(zip(before, after, strict=True)))
            true = better.mean() - shares.mean()
            held.append((found.low <= shares.mean() <= found.high, gain.low <= true <= gain.high))
    assert np.mean(held, axis=0) == pytest.approx(0.95, abs=0.02)
    for one in np.array(held).reshape(-1, RUNS, 2).mean(1).T:
        assert one.min() >= 0.88  # two standard errors below 0.92


def test_tasks_and_levels_are_strata() -> None:
    """What differs between them is no noise; a mixture in one task is."""
    apart = [sample(task, n, float(task == "gcd")) for task in ("gcd", "lcm") for n in range(20)]
    mixed = run_of(*[1, 0] * 20)
    noisy = [s | {"score": 1 - s["score"]} if s["seed"] == 0 else s for s in apart]
    widths = [
        (found := estimate(problem_results(run), accuracy)).high - found.low
        for run in (noisy, mixed)
    ]
    assert widths[0] < 0.7 * widths[1]


def test_problems_of_one_family_tell_as_much_as_one() -> None:
    """Twenty problems of five families have the interval of five."""
    run = run_of(*[1, 1, 0, 0, 0] * 4)
    alike = problem_results(made | {"family": 7 + made["seed"] % 5} for made in run)
    five, twenty = (problem_results(some) for some in (run[:5], run))
    assert estimate(alike, accuracy) == pytest.approx(estimate(five, accuracy))
    assert estimate(twenty, accuracy).high < estimate(five, accuracy).high


@pytest.mark.parametrize(("names", "problems", "each"), [(105, 5, 1), (9, 50, 4)])
def test_the_same_policy_twice_is_marked_in_at_most_5_percent(
    names: int, problems: int, each: int
) -> None:
    """Of comparisons over many tasks, any of which may be marked."""
    rng = np.random.default_rng(names)
    marked = 0
    for _ in range(20):
        shares = rng.choice([0.1, 0.3, 0.5, 0.9], names)
        runs = [drawn(shares, problems, 1, each, rng) for _ in range(2)]
        tasks: dict[str, list[tuple[ProblemResult, ProblemResult]]] = {}
        for old, new in zip(*runs, strict=True):
            tasks.setdefault(old.task, []).append((old, new))
        marked += bool(more_than_chance({t: p_value(p) for t, p in tasks.items()}))
    assert marked <= 4  # of 20, in all but one of a hundred cases
