"""Load each of many modules with a user's own tasks in a process of its own, as a worker does.

``python -m tests.support.load_own_tasks OUTPUT`` reads lists of files, in JSON, from its input. It
writes for each what a worker would say to the author, or nothing.
"""

import json
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

from reasoning_gym.factory import DATASETS

from rgenv.pool import task_modules
from rgenv.worker import own_tasks, task_faults
from rgenv.worker.guard import guard


def said(files: Sequence[str]) -> str:
    """Return why modules or their tasks are refused, or nothing."""
    before = set(DATASETS)
    try:
        own_tasks.load(task_modules.found(files))
    except own_tasks.Refused as refusal:
        return str(refusal)
    new = {*DATASETS} - before
    faults = (task_faults.fault(task, at, 8, 0.2) for at in (None, 0.0, 1.0) for task in new)
    return next(filter(None, faults), "")


if __name__ == "__main__":
    guard.install()
    with get_context("fork").Pool(1, maxtasksperchild=1) as copies:
        told = copies.map(said, json.load(sys.stdin), chunksize=1)
    Path(sys.argv[1]).write_text(json.dumps(told))
