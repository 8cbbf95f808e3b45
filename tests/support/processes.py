"""Facts about processes of this machine, for tests that end some."""

import contextlib
import time
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Tell whether a process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # the latter if it ends meanwhile
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def ends_within(pid: int, seconds: float) -> bool:
    """Wait until a process has ended, and tell whether it did in time."""
    deadline = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_alive(pid)


def template_of(pid: int) -> int:
    """Return the parent of a process: for a worker, the template."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def descendants(pid: int) -> list[int]:
    """Return the ids of the processes that a process and its children have started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        children = [int(child) for task in tasks for child in task.read_text().split()]
    return [found for child in children for found in (child, *descendants(child))]
