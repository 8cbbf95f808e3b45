"""rgenv/metrics.py: what is reported between two steps."""

import pytest

from rgenv.metrics import TrainMetrics


def test_rates_are_shares_of_completions() -> None:
    """Correct means at least 0.5; format and truncation are counted over all completions."""
    metrics = TrainMetrics()
    metrics.group("gcd", scores=[1.0, 0.5, 0.2, 0.0],
                  kinds=["scored", "scored", "scored", "no_answer"],
                  truncated=[False, False, False, True])  # fmt: skip
    out = metrics.take()
    assert out["train/percent_correct"] == 0.5
    assert out["train/format_rate"] == 0.75
    assert out["train/truncation_rate"] == 0.25
    assert out["train/gcd/score"] == pytest.approx(0.425)


def test_every_verdict_kind_is_counted_and_trouble_is_counted_by_task() -> None:
    """Totals for all kinds; a line of its own for each task's timeouts, crashes and the like."""
    metrics = TrainMetrics()
    for task in ("gcd", "lcm"):
        metrics.group(task, scores=[0, 0], kinds=["timeout", "scored"], truncated=[False, False])
    out = metrics.take()
    assert out["verdicts/timeout"] == 2 and out["verdicts/scored"] == 2
    assert out["verdicts/gcd/timeout"] == 1
    assert "verdicts/gcd/scored" not in out


def test_taking_clears() -> None:
    """What was reported once is not reported again, and nothing is reported for nothing."""
    metrics = TrainMetrics()
    metrics.count("failed_groups", 3)
    assert metrics.take() == {"train/failed_groups": 3}
    assert metrics.take() == {}


def test_columns_of_different_length_are_an_error() -> None:
    """A score without its kind can't be counted."""
    with pytest.raises(ValueError, match="zip"):
        TrainMetrics().group("gcd", scores=[1.0], kinds=[], truncated=[False])
