"""The samples of an evaluation on disk, so that an interrupted run can continue.

A sample with an ``error`` is dropped when the log is opened again, so that the next run asks for it
again. docs/files.md describes the keys.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rgenv.errors import EvaluationMismatch
from rgenv.rollouts.saved_lines import is_sample
from rgenv.runtime.files import parse_json, read_file, write_atomic
from rgenv.runtime.json_lines import JsonLines, line_of, read_lines
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.text import refusal
from rgenv.types import Sample

SAMPLES, ABOUT, LOCK = "samples.jsonl", "evaluation.json", "evaluation.lock"

RESULTS = (
    *("metrics.json", "comparison.json", "report.html", "evaluate_config.yaml"),
    *("profile.json", "profile.yaml"),
)
"""What `evaluate` and `profile` write beside these; without `ABOUT`, another program has."""


class SampleLog:
    """An append-only file of samples of one process; failed ones are not in `answered`."""

    def __init__(self, lock: OwnedLock, file: JsonLines, answered: dict[str, Sample]) -> None:
        self._lock, self._file = lock, file
        self.answered = answered

    @classmethod
    def open(
        cls,
        folder: Path,
        about: Mapping[str, Any],
        *,
        start_over: bool = False,
        option: str = "data_dir_to_save_evals",
    ) -> SampleLog:
        """Continue the evaluation in `folder`, or begin one.

        Args:
            about: what defines the evaluation; JSON-able. Saved beside the samples.
            option: sets the folder; for messages.
        """
        path = folder / SAMPLES
        lock = OwnedLock(folder / LOCK)
        if not lock.acquire():
            raise EvaluationMismatch(
                f"{lock.owner} evaluates in {folder}: wait for it, or choose another folder "
                f"with --env.{option}."
            )
        try:
            if start_over:
                path.unlink(missing_ok=True)
            samples = read(path)
            answered = {sample["id"]: sample for sample in samples if "error" not in sample}
            is_foreign = not samples and path.exists() and path.stat().st_size > 0
            if not start_over:
                _require_ours(folder, about, option, begun=bool(answered) or is_foreign)
            write_atomic(folder / ABOUT, json.dumps(about, indent=2, sort_keys=True).encode())
            write_atomic(path, b"".join(map(line_of, answered.values())))
            return cls(lock, JsonLines(path), answered)
        except BaseException:
            lock.release()
            raise

    def add(self, sample: Sample) -> None:
        """Append one sample, which survives the death of this process; raise OSError."""
        self._file.append(sample)
        if "error" not in sample:
            self.answered[sample["id"]] = sample

    def close(self) -> None:
        self._file.sync()
        self._file.close()
        self._lock.release()


def read(path: Path) -> list[Sample]:
    """Return our samples in a file; none without a file. OSError: it can't be read."""
    samples: list[Sample] = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for line in read_lines(path):
            with contextlib.suppress(ValueError):  # a process was killed while it wrote this line
                if is_sample(sample := parse_json(line)):
                    samples.append(sample)
    return samples


def definition(folder: Path) -> dict[str, Any]:
    """Return what defines the evaluation in a folder; ValueError: the file is damaged."""
    found = parse_json(read_file(folder / ABOUT))
    if not isinstance(found, dict):
        raise ValueError("it is not a mapping")
    return found


def _require_ours(folder: Path, about: Mapping[str, Any], option: str, *, begun: bool) -> None:
    """Raise EvaluationMismatch if a folder has files of another program or evaluation."""
    remedy = f"Choose another folder with --env.{option}, or start over with --force."
    theirs = [name for name in (SAMPLES, *RESULTS) if (folder / name).exists()]
    if theirs and not (folder / ABOUT).exists():
        raise EvaluationMismatch(
            f"{folder / theirs[0]} is of another program, or damaged, as there is no {ABOUT} "
            f"beside it. {remedy}"
        )
    if not begun:  # the definition may still change
        return
    try:
        found = definition(folder)
    except (OSError, ValueError) as error:
        why = refusal(error) if isinstance(error, OSError) else str(error)
        raise EvaluationMismatch(f"{folder / ABOUT} is damaged ({why}). {remedy}") from None
    wanted = json.loads(json.dumps(about))
    differing = sorted(key for key in {*found, *wanted} if found.get(key) != wanted.get(key))
    if differing:
        key = differing[0]
        raise EvaluationMismatch(
            f"{folder} holds another {found.get('kind', 'evaluation')!s:.20} "
            f"({', '.join(differing):.200} differ: {key:.80} was "
            f"{found.get(key)!r:.80}, is {wanted.get(key)!r:.80}). {remedy}"
        )
