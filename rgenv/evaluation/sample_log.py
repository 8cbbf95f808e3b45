"""An evaluation's answers on disk as they come, so that a run can go on where it was stopped.

::

    log = SampleLog.open(folder, about={"set": "5f1c…", "model": "m"})
    log.done                 # id -> sample, what an earlier run of the same evaluation answered
    log.add(sample)          # in samples.jsonl when this returns
    log.close()

A sample has an ``id``; one with an ``error`` is asked again by the next run. What a sample says
is not looked at.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from rgenv.errors import AnotherEvaluation
from rgenv.storage.atomic import write_atomic
from rgenv.types import Sample

SAMPLES, ABOUT = "samples.jsonl", "evaluation.json"


class SampleLog:
    """The samples of one evaluation; one process at a time.

    Raises:
        AnotherEvaluation: `open` found one that is not this.
        OSError: the disk refuses.
    """

    def __init__(self, file: BinaryIO, done: dict[str, Sample]) -> None:
        self._file = file
        self.done = done

    @classmethod
    def open(cls, folder: Path, about: Mapping[str, Any], *, afresh: bool = False) -> SampleLog:
        """Continue the evaluation in `folder`, or begin one.

        Args:
            about: what makes two runs the same evaluation; JSON-able.
            afresh: forget what is there.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / SAMPLES
        if afresh or not (folder / ABOUT).exists():
            path.unlink(missing_ok=True)
        else:
            _require_same(folder, about)
        write_atomic(folder / ABOUT, json.dumps(about, indent=2, sort_keys=True).encode())
        done = {sample["id"]: sample for sample in read(path) if "error" not in sample}
        write_atomic(path, b"".join(map(_line, done.values())))
        return cls(path.open("ab", buffering=0), done)

    def add(self, sample: Sample) -> None:
        """Append one sample; it survives the process from here on.

        Raises:
            OSError: the disk refuses; the next run asks for this sample again.
        """
        line = _line(sample)
        if self._file.write(line) != len(line):
            raise OSError(28, "No space left on device", self._file.name)
        if "error" not in sample:
            self.done[sample["id"]] = sample

    def close(self) -> None:
        """Sync and close; idempotent."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()


def read(path: Path) -> list[Sample]:
    """The whole lines of a samples file; none where there is none."""
    if not path.exists():
        return []
    samples = []
    for line in path.read_bytes().splitlines():
        try:
            sample = json.loads(line)
        except ValueError:
            continue
        if isinstance(sample, dict) and "id" in sample:
            samples.append(sample)
    return samples


def about(folder: Path) -> dict[str, Any]:
    """What the evaluation in `folder` is about; empty where there is none."""
    try:
        content = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _require_same(folder: Path, wanted: Mapping[str, Any]) -> None:
    found = about(folder)
    plain = json.loads(json.dumps(wanted))
    differing = sorted(key for key in {*found, *plain} if found.get(key) != plain.get(key))
    if differing:
        key = differing[0]
        raise AnotherEvaluation(
            f"{folder} holds another evaluation ({', '.join(differing)} differ: {key} was "
            f"{found.get(key)!r}, is {plain.get(key)!r}). Choose another folder with "
            "--env.data_dir_to_save_evals, or start over with --force."
        )


def _line(sample: Mapping[str, Any]) -> bytes:
    return json.dumps(sample, ensure_ascii=True, allow_nan=False).encode() + b"\n"
