"""rgenv/rollouts/metrics.py: training metrics between two reports.

test_formulas.py has a case for each metric.
"""

from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.outcomes import Outcomes

MIXED = Outcomes(
    scores=[1.0, 0.5, 0.2, 0.0],
    rewards=[1.0, 0.5, 0.2, 0.0],
    kinds=["scored", "scored", "scored", "no_answer"],
    truncated=[False, False, False, True],
    masked=[False, False, False, True],
    tokens=[10, 20, 30, 40],
)


def equal(reward: float, kind: str = "scored") -> Outcomes:
    """A group of two equal completions."""
    return Outcomes([reward] * 2, [reward] * 2, [kind] * 2, [False] * 2, [False] * 2, [150] * 2)


def test_each_task_and_category_has_its_rates() -> None:
    """Rates are reported for the tasks and categories that had groups since the last report."""
    metrics = TrainMetrics({"gcd": "arithmetic", "maze": "games"})
    for task in ("gcd", "gcd", "maze", "new"):
        metrics.group(task, equal(1.0))
    out = metrics.take()
    assert out["train/gcd/accuracy"] == 1.0 and out["train/gcd/groups"] == 2
    assert out["train/category/games/accuracy"] == out["train/category/other/accuracy"] == 1.0
    metrics.group("maze", equal(1.0))
    assert not any("gcd" in name or "arithmetic" in name for name in metrics.take())


def test_groups_with_equal_rewards_count_for_the_reward_if_they_are_sent() -> None:
    """Without a sent group there is no mean reward."""
    metrics = TrainMetrics()
    metrics.group("gcd", equal(1.0))
    assert "train/reward" not in metrics.take()
    sending = TrainMetrics(sends_equal=True)
    sending.group("gcd", equal(1.0))
    assert sending.take()["train/reward"] == 1.0


def test_verdicts_are_counted_by_kind() -> None:
    """All kinds are counted in total, and all but "scored" for each task."""
    metrics = TrainMetrics()
    for task in ("gcd", "lcm"):
        metrics.group(task, equal(0.0, "timeout"))
        metrics.group(task, equal(0.0))
    out = metrics.take()
    assert out["verdicts/timeout"] == 4 and out["verdicts/scored"] == 4
    assert out["verdicts/gcd/timeout"] == 2
    assert "verdicts/gcd/scored" not in out


def test_take_resets() -> None:
    """Metrics are reported once, and a report without groups is empty."""
    metrics = TrainMetrics()
    metrics.group("gcd", MIXED)
    metrics.take()
    metrics.count("failed_groups", 3)
    assert metrics.take() == {"train/failed_groups": 3}
    assert metrics.take() == {}


def test_groups_and_tokens_are_counted_from_the_start() -> None:
    """Taking the metrics ends the period of the rates, not that of the counts."""
    metrics = TrainMetrics()
    assert metrics.rates() == {}
    metrics.group("gcd", equal(1.0))
    assert metrics.rates()["accuracy"] == 1.0
    metrics.take()
    assert metrics.rates() == {} and (metrics.groups, metrics.tokens) == (1, 300)
