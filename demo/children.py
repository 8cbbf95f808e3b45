"""Child processes: each with a log and a process group of its own, all stopped at the end.

    async with Children(logs=Path("demo_output")) as children:
        server = await children.start("policy server", [sys.executable, "-m", "demo.policy_server"])
        report = await children.while_alive(work())

`while_alive` ends as soon as a child does: a `ChildDied` names it and quotes its log.
"""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
OFFLINE = {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "PYTHONUNBUFFERED": "1"}
MERCY_SECONDS = 10.0
LAST_WORDS_SECONDS = 0.5
QUOTED_LINES, QUOTED_SIGNS = 8, 200
T = TypeVar("T")


@dataclass(frozen=True)
class Child:
    name: str
    process: asyncio.subprocess.Process
    log: Path

    def last_words(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(f"    {line[:QUOTED_SIGNS]}" for line in lines[-QUOTED_LINES:])

    async def stop(self) -> None:
        """Ask the whole group to end, wait a bounded time, then end it."""
        self.signal(signal.SIGTERM)
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), MERCY_SECONDS)
        finally:  # also when the wait itself was cancelled
            self.signal(signal.SIGKILL)
        await self.process.wait()

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # the group is gone already
            os.killpg(self.process.pid, number)


class ChildDied(RuntimeError):
    """A child ended while it was needed."""

    def __init__(self, child: Child) -> None:
        self.child = child
        super().__init__(
            f"The {child.name} ended with exit code {child.process.returncode}; "
            f"its log {child.log} ends with:\n{child.last_words()}"
        )


@dataclass
class Children:
    logs: Path
    running: list[Child] = field(default_factory=list)

    async def __aenter__(self) -> "Children":
        return self

    async def __aexit__(self, *failure: object) -> None:
        try:
            for child in reversed(self.running):
                await child.stop()
        finally:  # an impatient second Ctrl-C cuts the waiting short, not the ending
            for child in self.running:
                if child.process.returncode is None:
                    child.signal(signal.SIGKILL)

    async def start(
        self, name: str, command: Sequence[str], environment: Mapping[str, str] = OFFLINE
    ) -> Child:
        log = self.logs / f"{name.replace(' ', '_')}.log"
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=ROOT,
                env=os.environ | environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the runner, which stops the rest in order
            )
        child = Child(name, process, log)
        self.running.append(child)
        return child

    async def while_alive(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result; ChildDied when a child ends first."""
        waits = {asyncio.create_task(c.process.wait()): c for c in self.running}
        task = asyncio.create_task(work)
        try:
            await asyncio.wait({task, *waits}, return_when=asyncio.FIRST_COMPLETED)
            if task.done() and task.exception():  # perhaps because a child is just ending
                await asyncio.wait(waits, timeout=LAST_WORDS_SECONDS, return_when="FIRST_COMPLETED")
            elif task.done():
                return task.result()
            if dead := next((child for wait, child in waits.items() if wait.done()), None):
                raise ChildDied(dead)
            return task.result()
        finally:
            for unfinished in (task, *waits):
                unfinished.cancel()
            await asyncio.gather(task, *waits, return_exceptions=True)


def free_port() -> int:
    """A port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
