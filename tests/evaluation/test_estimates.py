"""rgenv/evaluation/estimates.py: intervals hold the true value, and chance is not marked."""

from collections.abc import Sequence

import numpy as np
import pytest

from rgenv.evaluation.estimates import accuracy, change, estimate, more_than_chance, p_value
from rgenv.evaluation.results import ProblemResult

RUNS = 100
ONE_TASK, TEN_TASKS = [(1, 30, 1, 1), (1, 400, 1, 2)], [(10, 4, 1, 1), (10, 3, 1, 8)]
FAMILIES = [(1, 120, 4, 4), (10, 12, 3, 1)]
SIZES = [*ONE_TASK, *TEN_TASKS, (40, 10, 1, 1), *FAMILIES]


def drawn(
    shares: Sequence[float], per_task: int, family: int, each: int, rng: np.random.Generator
) -> list[ProblemResult]:
    """Return a run in which the problems of a family are solved about as often as each other, with
    two levels of each task."""
    results = []
    for task, share in enumerate(shares):
        chances = rng.beta(2 * share, 2 * (1 - share), per_task // family).repeat(family)
        for number, solved in enumerate(rng.binomial(each, chances)):
            scores = (0.0,) * (each - solved) + (1.0,) * solved
            asked = (f"{task}/{number}", str(task // 2), "c", float(task % 2), "?")
            kin = 1 + number // family
            results.append(ProblemResult(*asked, kin, 0.0, scores, {}, 0.0))
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


@pytest.mark.parametrize(("names", "problems", "each"), [(105, 5, 1), (9, 50, 4)])
def test_the_same_policy_twice_is_marked_in_at_most_5_percent(
    names: int, problems: int, each: int
) -> None:
    rng = np.random.default_rng(names)
    marked = 0
    for _ in range(20):
        shares = rng.choice([0.1, 0.3, 0.5, 0.9], names)
        runs = [drawn(shares, problems, 1, each, rng) for _ in range(2)]
        tasks: dict[str, list[tuple[ProblemResult, ProblemResult]]] = {}
        for old, new in zip(*runs, strict=True):
            tasks.setdefault(f"{old.task} {old.level}", []).append((old, new))
        marked += bool(more_than_chance({t: p_value(p) for t, p in tasks.items()}))
    assert marked <= 4  # of 20, in all but one of a hundred cases
