"""Run a command that ends when the process that started it dies, even if that was killed.

    python -m demo.parent_death 4711 run-api --port 8000

Process 4711 starts this program. The exit code is that of the command.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence

from rgenv.runtime.shutdown import Shutdown

from .processes import terminate

POLL_SECONDS = 0.25
GRACE_SECONDS = 5.0


async def run(parent: int, command: Sequence[str]) -> int:
    """Run `command` until it ends or `parent` dies, and return its exit code as a shell would."""
    process = await asyncio.create_subprocess_exec(*command)

    def send(number: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # the command has ended
            process.send_signal(number)

    async def wait() -> None:
        end = asyncio.create_task(process.wait())
        try:
            while not end.done() and os.getppid() == parent:
                await asyncio.wait({end}, timeout=POLL_SECONDS)
        finally:
            end.cancel()

    await Shutdown().guard(wait(), lambda: terminate(process, send, GRACE_SECONDS))
    code = await process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(asyncio.run(run(int(sys.argv[1]), sys.argv[2:])))
