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
