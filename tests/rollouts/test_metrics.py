"""rgenv/rollouts/metrics.py: training metrics between two reports.

test_formulas.py has a case for each metric.
"""

from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.outcomes import Outcomes


def equal(reward: float, kind: str = "scored") -> Outcomes:
    """A group of two equal completions."""
    return Outcomes([reward] * 2, [reward] * 2, [kind] * 2, [False] * 2, [False] * 2, [150] * 2)


def test_groups_and_tokens_are_counted_from_the_start() -> None:
    """Taking the metrics ends the period of the rates, not that of the counts."""
    metrics = TrainMetrics()
    assert metrics.rates() == {}
    metrics.group("gcd", equal(1.0))
    assert metrics.rates()["accuracy"] == 1.0
    metrics.take()
    assert metrics.rates() == {} and (metrics.groups, metrics.tokens) == (1, 300)
