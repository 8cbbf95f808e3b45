"""One worker process: start it, exchange JSON lines with it, end it.

::

    worker = await WorkerProcess.start(WorkerSettings(), timeout=60)
    worker.send({"op": "solve", "task": "chain_sum", "seed": 7, "config": {}})
    answer = await worker.receive(replies.solution, timeout=10)

Replies are data: read with limits, parsed as JSON, never unpickled. Each is asked for with a random
id, which it repeats, so nothing that a worker writes before it is asked can be taken for a reply.
The child has a minimal environment and an empty working directory, and ends when its stdin is
closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from rgenv.pool.channel import Channel
from rgenv.pool.replies import (
    MAX_LINE_BYTES,
    Body,
    WorkerRefused,
    body,
    greeting,
    parsed,
    printable,
)
from rgenv.worker.protocol import WorkerSettings

ROOT = Path(__file__).resolve().parents[2]

ID_BYTES = 8
"""Of the random id of a reply."""

KILL_SECONDS = 5.0
"""Seconds to wait for a process that was killed. One that the kernel can't end is left behind."""

STARVED = 10
"""The limit of a process that others keep from the processor, as a multiple of its own."""

SOON = 0.01
"""Seconds of processor time that a process may lack without getting them."""

T = TypeVar("T")


class WorkerDied(RuntimeError):
    """The process ended; replace it."""


class MalformedReply(WorkerDied):
    """The process wrote what it was not asked for, and was killed; replace it."""


class WorkerTimeout(RuntimeError):
    """The process sent no reply in time and may be stuck; replace it."""


def worker_environment(import_path: str | None = None) -> dict[str, str]:
    """Return the whole environment of a worker, without the parent's keys, tokens and proxies."""
    paths = [import_path, str(ROOT), os.environ.get("PYTHONPATH")]
    return {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONSAFEPATH": "1",
        # As in the parent, which imports few of a worker's modules: compiling them all takes five
        # times as long as the rest of a start.
        "PYTHONDONTWRITEBYTECODE": "1" if sys.dont_write_bytecode else "",
        "PYTHONPYCACHEPREFIX": os.path.abspath(sys.pycache_prefix) if sys.pycache_prefix else "",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


class WorkerProcess:
    """A running worker. It handles one request at a time.

    Args:
        folder: its working directory, which ends with it; empty if that is another process's.
        prepared: how many tasks its template had prepared.

    Attributes:
        handshake: what the worker sent after its start: tasks, version, sandbox layers.
    """

    def __init__(self, channel: Channel, pid: int, folder: str = "", prepared: int = 0) -> None:
        self._channel = channel
        self._folder = folder
        self.prepared = prepared
        self._ids: deque[str] = deque()
        self.pid = pid
        self.handshake: Mapping[str, Any] = {}

    @classmethod
    async def start(
        cls, settings: WorkerSettings, *, timeout: float, passing: int | None = None
    ) -> WorkerProcess:
        """Start a worker and wait for its handshake.

        Args:
            passing: the number of a socket; with it, the process is a template (template.py).

        Raises:
            WorkerDied: it ended first, or could not be started; the message has the reason.
            WorkerTimeout: no handshake within `timeout` seconds.
            TasksRefused: it can't load a user's own tasks.
        """
        folder = ""
        try:
            folder = tempfile.mkdtemp(prefix="rgenv-worker-")
            transport, channel = await asyncio.get_running_loop().subprocess_exec(
                lambda: Channel(limit=MAX_LINE_BYTES),
                sys.executable,
                "-m",
                "rgenv.worker",
                json.dumps(asdict(settings)),
                *([] if passing is None else [str(passing)]),
                pass_fds=() if passing is None else (passing,),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=worker_environment(settings.import_path),
                cwd=folder,
                start_new_session=True,
            )
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):  # no memory, processes, descriptors or space left
                raise WorkerDied(f"it could not be started: {error}") from None
            raise
        worker = cls(channel, transport.get_pid(), folder)
        await worker.greet(timeout)
        return worker

    async def greet(self, timeout: float) -> None:
        """Wait for the handshake of a process that has just been started; see `start`."""
        try:
            self.handshake = await self._read(greeting, timeout)
        except BaseException:
            await self.kill()
            raise

    @property
    def is_usable(self) -> bool:
        return self._channel.fault is None and not self._channel.ended

    def require_usable(self) -> None:
        """Check that the worker can do a request.

        Raises:
            MalformedReply: it wrote something that it was not asked for.
            WorkerDied: it has ended.
        """
        if self._channel.fault is not None:
            raise MalformedReply(self._channel.fault)
        if self._channel.ended:
            raise WorkerDied("it ended while it waited for a request")

    def send(
        self, request: Mapping[str, Any], *, replies: int = 1, limit: int = MAX_LINE_BYTES
    ) -> None:
        """Send a request; whatever happens to the worker, `receive` says it.

        Args:
            replies: how many it has, at most.
            limit: the most bytes of each.

        Raises:
            TypeError, ValueError, RecursionError: JSON can't express the request.
        """
        bits = secrets.token_hex(ID_BYTES * replies)
        ids = [bits[start : start + 2 * ID_BYTES] for start in range(0, len(bits), 2 * ID_BYTES)]
        line = json.dumps({"ids": ids, **request}, allow_nan=False)
        self._ids = deque(ids)
        self._channel.ask(line.encode() + b"\n", lines=replies, limit=limit)

    async def receive(self, read: Callable[[Body], T], *, timeout: float) -> T:
        """Return the next reply to the last request.

        Args:
            read: returns what a reply says, or raises ValueError; replies.py has the readers.

        Raises:
            WorkerRefused: the worker could not do the request, and can do the next one.
            MalformedReply: what it wrote is no reply to the request.
            WorkerDied: it ended.
            WorkerTimeout: no whole line came within `timeout` seconds.
        """
        asked_id = self._ids.popleft()
        try:
            return await self._read(lambda reply: read(body(reply, asked_id)), timeout)
        except WorkerRefused:
            self._channel.expect_no_more()
            raise

    async def _read(self, read: Callable[[dict[str, Any]], T], timeout: float) -> T:
        line = await self._line(timeout)
        if line is None and self._channel.fault is None:
            raise WorkerDied(await self._exit_reason())
        try:
            if line is not None:
                return read(parsed(line))
        except ValueError as error:
            self._channel.break_off(str(error))
        raise MalformedReply(str(self._channel.fault))

    async def _line(self, timeout: float) -> bytes | None:
        """Return the next line, or None if none will come.

        A process that still computes after `timeout` seconds, and had less processor time than
        that because others wanted it, gets the rest, within STARVED times as many seconds.
        """
        if self._channel.is_ready:
            return await self._channel.line()
        last = time.monotonic() + STARVED * timeout
        most = _processor_seconds(self.pid) + timeout
        left = timeout
        while True:
            try:
                # asyncio.wait_for loses a cancellation that comes with the result in Python 3.11.
                async with asyncio.timeout(left):
                    return await self._channel.line()
            except TimeoutError:
                lacks = most - _processor_seconds(self.pid)
                if not lacks > SOON or not _computes(self.pid) or time.monotonic() >= last:
                    raise WorkerTimeout(f"no reply within {timeout:g} s") from None
                left = min(lacks, last - time.monotonic())

    async def _exit_reason(self) -> str:
        """Return the exit status and the last line of stderr; kill a process that does not exit.

        It has a second, so that its exit status is its own and not a kill's.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._channel.exited.wait()
        code = self._channel.returncode
        await self.kill()
        status = "it closed a pipe" if code is None else f"exit status {code}"
        tail = self._channel.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1]
        return f"{status}: {printable(tail)}" if tail else status

    def kill_at_once(self) -> None:
        """Kill the process without waiting, from any thread or event loop."""
        self._channel.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def kill(self) -> None:
        """Kill the process and wait until it is gone; idempotent.

        A caller that is cancelled meanwhile leaves the process to the next one.
        """
        self._channel.kill()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(KILL_SECONDS):
                await self._channel.exited.wait()
        self._channel.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used; NaN if the system does not tell."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # what clock_getcpuclockid returns on Linux
    except OSError:
        return math.nan


def _computes(pid: int) -> bool:
    """Return whether a process runs or waits for a processor: it neither sleeps nor is stopped."""
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return status.rpartition(b") ")[2][:1] in (b"R", b"D")
