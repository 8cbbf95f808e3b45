"""The numbers of an evaluation, from its samples.

    metrics([{"task": "gcd", "score": 1.0, "correct": True, "verdict": "scored"}, {"error": "..."}])
    -> {"eval/errors": 1, "eval/percent_correct": 1.0, "eval/mean_score": 1.0, ...}

A sample without a score is an item that failed: counted, not averaged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rgenv.metrics import verdict_metrics
from rgenv.report import table

Sample = Mapping[str, Any]


def metrics(samples: Sequence[Sample]) -> dict[str, float]:
    """Flat numbers: overall, by task, and what became of the answers."""
    scored = [sample for sample in samples if "score" in sample]
    out: dict[str, float] = {"eval/errors": len(samples) - len(scored)}
    if not scored:
        return out | {"eval/percent_correct": 0.0}
    out["eval/percent_correct"] = sum(s["correct"] for s in scored) / len(scored)
    out["eval/mean_score"] = sum(s["score"] for s in scored) / len(scored)
    for task, (mean, _) in scores_by_task(samples).items():
        out[f"eval/{task}/score"] = mean
    kinds: dict[str, list[str]] = {}
    for sample in scored:
        kinds.setdefault(sample["task"], []).append(sample["verdict"])
    return out | {f"eval/{name}": value for name, value in verdict_metrics(kinds).items()}


def scores_by_task(samples: Sequence[Sample]) -> dict[str, tuple[float, int]]:
    """Task -> mean score and number of scored items."""
    scores: dict[str, list[float]] = {}
    for sample in samples:
        if "score" in sample:
            scores.setdefault(sample["task"], []).append(sample["score"])
    return {task: (sum(of) / len(of), len(of)) for task, of in sorted(scores.items())}


def score_table(samples: Sequence[Sample]) -> str:
    """Lines for the terminal: each task, then all."""
    by_task = scores_by_task(samples)
    rows = [(task, str(count), f"{mean:.3f}") for task, (mean, count) in by_task.items()]
    total = sum(count for _, count in by_task.values())
    mean = sum(m * count for m, count in by_task.values()) / total if total else 0.0
    return table(("task", "items", "mean score"), rows, last=("all", str(total), f"{mean:.3f}"))
