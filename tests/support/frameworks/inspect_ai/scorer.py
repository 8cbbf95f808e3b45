"""Scorers, scores and metrics."""

from types import SimpleNamespace
from typing import Any

Scorer = Target = Any


class Score(SimpleNamespace):
    """A value and its reason."""


def scorer(metrics: Any) -> Any:
    """Register a scorer."""
    return lambda function: function


def accuracy() -> str:
    """Name the metric."""
    return "accuracy"


def mean() -> str:
    """Name the metric."""
    return "mean"


def stderr() -> str:
    """Name the metric."""
    return "stderr"
