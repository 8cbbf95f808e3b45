"""Score hostile answers in a child process behind the guard, and return what became of them.

The child works in a folder of its own::

    python -m tests.support.guarded_scoring FOLDER

It reads FOLDER/cases.json and writes FOLDER/results.json.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from rgenv.worker.guard import guard
from rgenv.worker.operations import rejection
from tests.support.library import make_entry
from tests.support.paths import ROOT
from tests.support.programs import run_python


def results(cases: list[tuple[str, str]], folder: Path) -> list[dict[str, Any]]:
    """Return what a child finds of each task and text; fail if it ends or hangs."""
    (folder / "cases.json").write_text(json.dumps(cases))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    run_python("-W", "ignore", "-m", __name__, str(folder), cwd=folder, env=env)
    found: list[dict[str, Any]] = json.loads((folder / "results.json").read_text())
    return found


def scored(cases: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return score, CPU seconds, and the reason for the rejection of each task and text."""
    found = []
    made = functools.cache(lambda task: make_entry(task, 0, {}))
    for task, text in cases:
        dataset, entry = made(task)
        guard.take_rejection()
        started = time.process_time()
        reason, score = rejection(task, text), 0.0
        if reason is None:
            with contextlib.suppress(guard.Rejected):  # some verifiers do not swallow it
                score = dataset.score_answer(text, entry)
            reason = guard.take_rejection()
        found.append({"score": score, "seconds": time.process_time() - started, "reason": reason})
    return found


if __name__ == "__main__":
    guard.install()
    folder = Path(sys.argv[1])
    found = scored(json.loads((folder / "cases.json").read_text()))
    (folder / "results.json").write_text(json.dumps(found, default=float))
