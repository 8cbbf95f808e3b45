"""The files that present an evaluation: an HTML report and plots.

::

    write(Path("evals/2026-11-20"), samples, metrics, about)    # report.html and *.png

The report compares the evaluation with an earlier one: the newest in the same parent folder that
has finished and shares at least one sample.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.evaluation import html_report, plots
from rgenv.evaluation.compare import EarlierRun
from rgenv.evaluation.sample_log import ABOUT, SAMPLES, read
from rgenv.types import Sample

FINISHED = "metrics.json"
"""Written at the end of an evaluation."""


def write(
    folder: Path, samples: Sequence[Sample], metrics: Mapping[str, float], about: Mapping[str, Any]
) -> None:
    """Write report.html and the plots into `folder`.

    Args:
        metrics: of the same samples, from `rgenv.evaluation.metrics.metrics`.
        about: the configuration of the evaluation, shown as a table. If it has `all_tasks`, the
            tasks are a sample (`rgenv.evaluation.metrics.metrics`).
    """
    earlier = earlier_run(folder, {sample["id"] for sample in samples})
    html_report.write(folder, samples, metrics, about, earlier)
    plots.evaluation_plots(folder, samples, about.get("all_tasks"))


def earlier_run(folder: Path, ids: set[str]) -> EarlierRun | None:
    """Find the newest finished evaluation beside `folder` that has a sample with one of `ids`.

    Returns:
        Its name is that of its folder; None if there is no such evaluation.
    """
    here = folder.resolve()
    others = [
        path.parent
        for path in here.parent.glob(f"*/{FINISHED}")
        if path.parent != here and (path.parent / SAMPLES).exists()
    ]
    for other in sorted(others, key=lambda f: (f / FINISHED).stat().st_mtime, reverse=True):
        samples = read(other / SAMPLES)
        if any(sample["id"] in ids for sample in samples):
            return EarlierRun(other.name, samples, _definition(other))
    return None


def _definition(folder: Path) -> dict[str, Any]:
    """Return what defines the evaluation in a folder; empty if it can't be read."""
    try:
        found = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
