"""End a process when its parent process dies, even if the parent was killed.

    await while_parent_lives(work())                        # in a program of this project
    python -m demo.parent_death 4711 run-api --port 8000    # for any other program

The second form runs a command as long as process 4711, which starts it, is alive. It exits with the
command's exit code.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from rgenv.runtime.shutdown import Shutdown

from .processes import terminate

POLL_SECONDS = 0.25
GRACE_SECONDS = 5.0
PARENT = os.getppid()  # at import, so that the death of the parent from now on is noticed
T = TypeVar("T")


async def while_parent_lives(work: Coroutine[Any, Any, T], parent: int = PARENT) -> T | None:
    """Return the result of `work`, or cancel it and return None when the parent process dies."""
    task = asyncio.create_task(work)
    try:
        while not task.done() and os.getppid() == parent:
            await asyncio.wait({task}, timeout=POLL_SECONDS)
        return task.result() if task.done() else None
    finally:
        task.cancel()


async def run(parent: int, command: Sequence[str]) -> int:
    """Run `command` until it ends or `parent` dies, and return its exit code as a shell would."""
    process = await asyncio.create_subprocess_exec(*command)

    def send(number: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # the command has ended
            process.send_signal(number)

    async def wait() -> None:
        await while_parent_lives(process.wait(), parent)

    await Shutdown().guard(wait(), lambda: terminate(process, send, GRACE_SECONDS))
    code = await process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(asyncio.run(run(int(sys.argv[1]), sys.argv[2:])))
