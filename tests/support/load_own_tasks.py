"""Load each of many modules with a user's own tasks in a process of its own, as a worker does.

``python -m tests.support.load_own_tasks`` reads lists of files, in JSON, from its input. It prints
for each what a worker would say to the author, or nothing. All processes are copies of this one,
which has imported the library.
"""

import json
import os
import select
import signal
import sys
from collections.abc import Sequence

from reasoning_gym.factory import DATASETS

from rgenv.pool import task_modules
from rgenv.worker import own_tasks, task_faults
from rgenv.worker.guard import guard

DEADLINE = 60.0


def said(files: Sequence[str]) -> str:
    """Return why modules or their tasks are refused, or nothing."""
    before = set(DATASETS)
    try:
        own_tasks.load(task_modules.found(files))
    except own_tasks.Refused as refusal:
        return str(refusal)
    new = {*DATASETS} - before
    faults = (task_faults.fault(task, at) for at in (None, 0.0, 1.0) for task in new)
    return next(filter(None, faults), "")


def said_by_a_copy(files: Sequence[str]) -> str:
    """Return it from another process, which nothing can harm."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        for number in (0, 1):
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        os.write(writing, said(files).encode()[:60_000] + b"\0")
        os._exit(0)
    os.close(writing)
    try:
        if not select.select([reading], [], [], DEADLINE)[0]:
            return "(it hangs)"
        return os.read(reading, 65_536).decode().removesuffix("\0")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reading)


if __name__ == "__main__":
    guard.install()
    json.dump([said_by_a_copy(files) for files in json.load(sys.stdin)], sys.stdout)
