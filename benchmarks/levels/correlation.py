"""Correlate a task's levels with its parameters and with the lengths of its items."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.harness import Json


def correlations(items: list[Json]) -> dict[str, float | None]:
    """Return Spearman's rank correlation of level with each proxy of difficulty.

    - ``parameters``: how far the task's parameters are from their values at the lowest level.
    - ``question`` and ``answer``: mean length in characters.

    A correlation is None where the proxy is the same at all levels.

    Args:
        items: records of one task.
    """
    levels = sorted({item["level"] for item in items})
    groups = [[item for item in items if item["level"] == level] for level in levels]
    proxies = {
        "parameters": progress([group[0]["config"] for group in groups]),
        "question": [statistics.mean(i["question_chars"] for i in group) for group in groups],
        "answer": [statistics.mean(i["answer_chars"] for i in group) for group in groups],
    }
    return {name: spearman(levels, values) for name, values in proxies.items()}


def progress(configs: list[Json]) -> list[float]:
    """Return for each config how far its parameters are from those of the first config.

    Each parameter contributes its distance as a share of its largest distance.
    """
    total = [0.0] * len(configs)
    for name in configs[0]:
        steps = distances([config[name] for config in configs])
        furthest = max(steps) or 1.0
        total = [so_far + step / furthest for so_far, step in zip(total, steps, strict=True)]
    return total


def distances(values: list[Any]) -> list[float]:
    """Return how far each value is from the first.

    Lists of weights are compared by their centres, and values that are not numbers by their first
    positions in `values`.
    """
    if all(isinstance(value, list) and isinstance(value[0], float) for value in values):
        values = [sum(i * w for i, w in enumerate(value)) / sum(value) for value in values]
    elif not all(isinstance(value, (int, float)) for value in values):
        values = [values.index(value) for value in values]
    return [abs(value - values[0]) for value in values]


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return the rank correlation in [-1, 1]; None if either side is constant."""
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        return None
    return round(statistics.correlation(ranks(xs), ranks(ys)), 3)


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values share their mean rank."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]
