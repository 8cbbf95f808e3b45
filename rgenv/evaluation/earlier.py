"""The evaluation to compare with: the one that the user chose, or the newest of the same model."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rgenv.errors import BadUsage
from rgenv.evaluation.item_cache import problem_id
from rgenv.evaluation.results import problem_id_of
from rgenv.evaluation.sample_log import SAMPLES, definition, read
from rgenv.text import refusal
from rgenv.types import Problem, Sample

FINISHED = "metrics.json"
"""Written at the end of an evaluation."""

SAME = ("model", "limit")
"""Settings of which an evaluation is compared only with one that has the same, unless the user
chose the other."""


class EarlierRun(NamedTuple):
    """A run to compare with.

    Attributes:
        about: what defines it; None: the same as the later run.
    """

    name: str
    samples: Sequence[Sample]
    about: Mapping[str, Any] | None = None

    @property
    def model(self) -> str:
        return str((self.about or {}).get("model", "unknown"))


def earlier_run(folder: Path, ids: set[str], about: Mapping[str, Any]) -> EarlierRun | None:
    """Find the newest finished evaluation beside `folder` that has a sample with one of `ids`."""
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
