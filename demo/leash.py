"""Run a command that ends when the given process ends, however hard that one dies.

    python -m demo.leash 4711 run-api --port 8000

For programs that would outlive the runner that started them. The exit code is the command's.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys

LOOK_SECONDS = 0.25
MERCY_SECONDS = 5.0
PARENT = os.getppid()  # asked before anybody hears of us: one that dies soon after is noticed


def run(parent: int, command: list[str]) -> int:
    child = subprocess.Popen(command)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    while os.getppid() == parent:
        try:
            code = child.wait(LOOK_SECONDS)
            return code if code >= 0 else 128 - code  # as a shell tells death by signal
        except subprocess.TimeoutExpired:
            continue
    child.terminate()
    try:
        return child.wait(MERCY_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


async def told_or_orphaned() -> None:
    """Wait until this process is told to end, or its parent is gone."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    while not stop.is_set() and os.getppid() == PARENT:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), timeout=LOOK_SECONDS)


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2:]))
