"""The samples of an evaluation on disk, so that an interrupted run can continue.

::

    log = SampleLog.open(folder, {"set": "5f1c…", "model": "m"})
    log.answered             # id -> sample of an earlier run of the same evaluation
    log.add(sample)          # in samples.jsonl when this returns
    log.close()

Every sample has an ``id``. A sample with an ``error`` is dropped when the log is opened again, so
that the next run asks for it again. runner.py describes the other keys.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from rgenv.errors import EvaluationMismatch
from rgenv.storage.atomic import naming, write_atomic
from rgenv.types import Sample

SAMPLES, ABOUT = "samples.jsonl", "evaluation.json"


class SampleLog:
    """An append-only file of samples, written by one process at a time.

    Attributes:
        answered: id -> sample, without those that failed.
    """

    def __init__(self, file: BinaryIO, answered: dict[str, Sample]) -> None:
        self._file = file
        self.answered = answered

    @classmethod
    def open(cls, folder: Path, about: Mapping[str, Any], *, start_over: bool = False) -> SampleLog:
        """Continue the evaluation in `folder`, or begin one.

        Args:
            folder: created if it does not exist.
            about: what defines the evaluation; JSON-able. Saved beside the samples.
            start_over: delete the samples that are there.

        Raises:
            EvaluationMismatch: the folder holds answers to an evaluation with another definition.
            OSError: the disk refuses.
        """
        path = folder / SAMPLES
        if start_over or not (folder / ABOUT).exists():
            path.unlink(missing_ok=True)
        answered = {sample["id"]: sample for sample in read(path) if "error" not in sample}
        if answered:
            _require_same(folder, about)
        write_atomic(folder / ABOUT, json.dumps(about, indent=2, sort_keys=True).encode())
        write_atomic(path, b"".join(map(_line, answered.values())))
        return cls(path.open("ab", buffering=0), answered)

    def add(self, sample: Sample) -> None:
        """Append one sample; it survives the death of this process from here on.

        Raises:
            OSError: the disk refuses; the next run asks for this sample again.
        """
        line = _line(sample)
        with naming(Path(self._file.name)):
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if "error" not in sample:
            self.answered[sample["id"]] = sample

    def close(self) -> None:
        """Sync and close the file; idempotent."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()


def read(path: Path) -> list[Sample]:
    """Return the samples in a file, without a torn last line; none if there is no file.

    Lines without an ``id`` are skipped: other environments of Atropos save their samples under the
    same file name.
    """
    if not path.exists():
        return []
    samples: list[Sample] = []
    for line in path.read_bytes().splitlines():
        try:
            sample = json.loads(line)
        except ValueError:  # the process was killed while it wrote this line
            continue
        if isinstance(sample, dict) and "id" in sample:
            samples.append(sample)
    return samples


def _require_same(folder: Path, about: Mapping[str, Any]) -> None:
    remedy = "Choose another folder with --env.data_dir_to_save_evals, or start over with --force."
    try:
        found = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except ValueError as error:
        raise EvaluationMismatch(f"{folder / ABOUT} is damaged ({error}). {remedy}") from None
    wanted = json.loads(json.dumps(about))
    differing = sorted(key for key in {*found, *wanted} if found.get(key) != wanted.get(key))
    if differing:
        key = differing[0]
        raise EvaluationMismatch(
            f"{folder} holds another evaluation ({', '.join(differing)} differ: {key} was "
            f"{found.get(key)!r}, is {wanted.get(key)!r}). {remedy}"
        )


def _line(sample: Mapping[str, Any]) -> bytes:
    return json.dumps(sample, ensure_ascii=True, allow_nan=False).encode() + b"\n"
