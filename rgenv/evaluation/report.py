"""The files that present an evaluation: an HTML report and plots.

::

    earlier = earlier_run(folder, ids, about)
    write(folder, samples, metrics, about, earlier=earlier, comparison=comparison)

The earlier run of a report is the one that the user chose, or else the newest of the same model in
the same parent folder that has finished and shares at least one sample.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.errors import BadUsage
from rgenv.evaluation.compare import Comparison, EarlierRun
from rgenv.evaluation.item_cache import problem_id
from rgenv.evaluation.results import problem_id_of
from rgenv.evaluation.sample_log import SAMPLES, definition, read
from rgenv.text import refusal
from rgenv.types import Problem, Sample
from rgenv.viewing.folder import MOST, Folder

SAMPLES_PAGE = "samples.html"

FINISHED = "metrics.json"
"""Written at the end of an evaluation."""

LIBRARIES = ("jinja2", "matplotlib", "scipy")
"""What the report is made with; the extra `report` installs them."""

SAME = ("model", "limit")
"""Settings of which an evaluation is compared only with one that has the same, unless the user
chose the other."""


def write(
    folder: Path,
    samples: Sequence[Sample],
    metrics: Mapping[str, float],
    about: Mapping[str, Any],
    *,
    earlier: EarlierRun | None = None,
    comparison: Comparison | None = None,
) -> None:
    """Write report.html, samples.html and the plots into `folder`.

    Args:
        metrics: of the same samples, from `rgenv.evaluation.metrics.metrics`.
        about: the configuration of the evaluation, shown as a table. If it has `all_tasks`, the
            tasks are a sample (`rgenv.evaluation.metrics.metrics`).
        earlier: a run to compare with, and the comparison.
    """
    from rgenv.evaluation import html_report, plots  # imported late: they need the extra `report`

    html_report.write(
        folder,
        samples,
        metrics,
        about,
        earlier=earlier,
        comparison=comparison,
        samples_page=_write_samples_page(folder),
    )
    plots.evaluation_plots(folder, samples, about.get("all_tasks"))


def _write_samples_page(folder: Path) -> str | None:
    """Write the page of all samples, as `view` does; return its name, or None without samples."""
    page = Folder([folder], most=MOST)
    page.read()
    if not page.lines:
        return None
    page.write(folder / SAMPLES_PAGE)
    return SAMPLES_PAGE


def earlier_run(folder: Path, ids: set[str], about: Mapping[str, Any]) -> EarlierRun | None:
    """Find the newest finished evaluation beside `folder` that has a sample with one of `ids`.

    Args:
        about: what defines the evaluation in `folder`; the earlier one has the same `SAME`.

    Returns:
        Its name is that of its folder; None if there is no such evaluation.
    """
    here = folder.resolve()
    others = [
        path.parent
        for path in here.parent.glob(f"*/{FINISHED}")
        if path.parent != here and (path.parent / SAMPLES).exists()
    ]
    for other in sorted(others, key=lambda f: (f / FINISHED).lstat().st_mtime, reverse=True):
        found = _definition(other)
        if any(found.get(name) != about.get(name) for name in SAME):
            continue
        with contextlib.suppress(OSError):  # what is there is no file of ours
            samples = read(other / SAMPLES)
            if any(sample["id"] in ids for sample in samples):
                return EarlierRun(other.name, samples, found)
    return None


def chosen_run(
    folder: Path, problems: Sequence[Problem], results: Path | None = None
) -> EarlierRun:
    """Return the evaluation in a folder that the user chose to compare with.

    Args:
        problems: of the later evaluation.
        results: the folder of the later evaluation.

    Raises:
        BadUsage: the folder holds no evaluation, none of these problems, or is `results`.
    """
    if results is not None and folder.resolve() == results.resolve():
        raise BadUsage(f"--compare {folder}: these are the results of this evaluation itself.")
    try:
        samples = read(folder / SAMPLES)
    except OSError as error:
        raise BadUsage(f"--compare {folder}: {SAMPLES}: {refusal(error)}.") from None
    if not samples:
        raise BadUsage(
            f"--compare {folder}: there is no evaluation. Name the folder of one, with its "
            f"{SAMPLES}."
        )
    known = {problem_id_of(sample) for sample in samples if "score" in sample}
    if known.isdisjoint(map(problem_id, problems)):
        raise BadUsage(
            f"--compare {folder}: that evaluation asked none of these problems; it may have other "
            "tasks, another eval_seed or other eval_levels."
        )
    return EarlierRun(str(folder), samples, _definition(folder))


def _definition(folder: Path) -> dict[str, Any]:
    """Return what defines the evaluation in a folder; empty if it can't be read."""
    try:
        return definition(folder)
    except (OSError, ValueError):
        return {}
