"""Child processes: each with its own log file and process group, all stopped at the end.

    async with Children(logs=Path("demo_output")) as children:
        await children.start("policy server", [sys.executable, "-m", "demo.policy_server"])
        report = await children.while_alive(work())
        await children.run("evaluation", command, timeout=120)

A child that fails raises `ChildFailed`, which names the child and quotes the end of its log.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import socket
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
OFFLINE = {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "PYTHONUNBUFFERED": "1"}
"""Environment variables of every child: no downloads, no accounts, log lines without delay."""

GRACE_SECONDS = 10.0
"""Seconds that a child may take to end after SIGTERM."""

DEATH_SECONDS = 0.5
"""Seconds that failed work waits for the death of a child, which may be the cause."""

TAIL_LINES, TAIL_WIDTH = 8, 200
T = TypeVar("T")


@dataclass(frozen=True)
class Child:
    name: str
    process: asyncio.subprocess.Process
    log: Path

    def signal(self, number: int) -> None:
        """Send a signal to the child's process group, if it still exists."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    async def stop(self) -> None:
        """End the child's process group: SIGTERM, then SIGKILL after GRACE_SECONDS."""
        self.signal(signal.SIGTERM)
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), GRACE_SECONDS)
        finally:  # also if the wait was cancelled
            self.signal(signal.SIGKILL)
        await self.process.wait()

    def log_tail(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(f"    {line[:TAIL_WIDTH]}" for line in lines[-TAIL_LINES:])


class ChildFailed(RuntimeError):
    """A child died or did not do its work in time.

    Args:
        what: what the child did, to follow its name in a sentence.
    """

    def __init__(self, child: Child, what: str) -> None:
        super().__init__(
            f"The {child.name} {what}; its log {child.log} ends with:\n{child.log_tail()}"
        )


@dataclass
class Children:
    """The child processes of one program.

    Args:
        logs: the folder for log files, one for each child.
    """

    logs: Path
    running: list[Child] = field(default_factory=list)

    async def __aenter__(self) -> "Children":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(
        self, name: str, command: Sequence[str], environment: Mapping[str, str] = OFFLINE
    ) -> Child:
        """Start a command in the project's root folder, with `environment` added to ours."""
        log = self.logs / f"{name.replace(' ', '_')}.log"
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=ROOT,
                env=os.environ | environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches only us: we stop the children in order
                preexec_fn=_end_with_parent,
            )
        child = Child(name, process, log)
        self.running.append(child)
        return child

    async def run(self, name: str, command: Sequence[str], timeout: float) -> None:
        """Start a command and wait until it ends.

        Raises:
            ChildFailed: its exit code was not 0, or it took longer than `timeout` seconds.
        """
        child = await self.start(name, command)
        try:
            code = await asyncio.wait_for(child.process.wait(), timeout)
        except TimeoutError:
            raise ChildFailed(child, f"did not end within {timeout:g} s") from None
        finally:
            await self.stop(child)
        if code != 0:
            raise ChildFailed(child, f"ended with exit code {code}")

    async def stop(self, child: Child) -> None:
        """Stop one child that is no longer needed."""
        self.running.remove(child)
        await child.stop()

    async def close(self) -> None:
        """Stop all children, the last one first."""
        try:
            for child in reversed(self.running):
                await child.stop()
        finally:  # cancelled: do not wait any longer, but leave no process behind
            for child in self.running:
                if child.process.returncode is None:
                    child.signal(signal.SIGKILL)

    async def while_alive(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of `work`.

        Raises:
            ChildFailed: a running child ended first.
        """
        deaths = {asyncio.create_task(child.process.wait()): child for child in self.running}
        task = asyncio.create_task(work)
        try:
            await asyncio.wait({task, *deaths}, return_when=asyncio.FIRST_COMPLETED)
            if task.done() and task.exception():  # the death of a child may be the cause
                await asyncio.wait(
                    deaths, timeout=DEATH_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
            elif task.done():
                return task.result()
            for death, child in deaths.items():
                if death.done():
                    raise ChildFailed(child, f"ended with exit code {child.process.returncode}")
            return task.result()
        finally:
            for unfinished in (task, *deaths):
                unfinished.cancel()
            await asyncio.gather(task, *deaths, return_exceptions=True)


def _end_with_parent() -> None:
    """Let Linux end this process when its parent dies, even if that was killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)  # PR_SET_PDEATHSIG


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that is not in use at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
