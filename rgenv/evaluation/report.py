"""What an evaluation leaves beside its answers: a page to read, plots, and what changed since.

::

    write(Path("evals/2026-11-20"), samples, metrics, about)

The evaluation to compare with is the newest finished one in the same parent folder that answered
some of the same items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.evaluation import html_report, plots
from rgenv.evaluation.sample_log import SAMPLES, read
from rgenv.types import Sample

FINISHED = "metrics.json"
"""Atropos writes it at the end of an evaluation."""


def write(
    folder: Path, samples: Sequence[Sample], metrics: Mapping[str, float], about: Mapping[str, Any]
) -> None:
    """Write report.html and the plots into `folder`."""
    earlier = earlier_run(folder, {sample["id"] for sample in samples})
    html_report.write(folder, samples, metrics, about, earlier)
    plots.evaluation_plots(folder, samples)


def earlier_run(folder: Path, ids: set[str]) -> tuple[str, list[Sample]] | None:
    """Name and samples of the newest finished evaluation beside `folder` with some of `ids`."""
    here = folder.resolve()
    others = [
        path.parent
        for path in here.parent.glob(f"*/{FINISHED}")
        if path.parent != here and (path.parent / SAMPLES).exists()
    ]
    for other in sorted(others, key=lambda f: (f / FINISHED).stat().st_mtime, reverse=True):
        samples = read(other / SAMPLES)
        if ids & {sample["id"] for sample in samples}:
            return other.name, samples
    return None
