"""The processes behind a pool: the template, and the workers that it forks.

rgenv/worker/template.py is the other side. Replies are data: each is a line of bounded length that
is decoded into a class of rgenv/worker/protocol.py. The processes end with this one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rgenv.errors import BadUsage
from rgenv.text import one_line
from rgenv.worker import protocol
from rgenv.worker.protocol import Confined, Greeting, Reply, WorkerSettings

ROOT = Path(__file__).resolve().parents[2]

MAX_LINE_BYTES = 1024 * 1024

START_TIMEOUT = 60.0
"""Seconds that a template may take to start, to fork a worker, or to prepare a task."""

KILL_SECONDS = 5.0
"""Seconds to wait for a process that was killed. One that the kernel can't end is left behind."""

PATIENCE = 10
"""How much longer than its processor time a request may take on the clock. A worker that computes
is ended by the kernel after its processor time; this is for a worker that waits or is starved."""

R = TypeVar("R", bound=Reply)

_DECODER = msgspec.json.Decoder(protocol.REPLIES)


class WorkerDied(RuntimeError):
    """The process ended; replace it."""


class MalformedReply(WorkerDied):
    """The process wrote something else than a reply to its request; replace it."""


class WorkerTimeout(RuntimeError):
    """The process sent no reply in time and may be stuck; replace it."""


class WorkerRefused(RuntimeError):
    """The worker could not do what was asked, and can do the next request."""


class TasksRefused(BadUsage):
    """The workers can't load some modules with a user's own tasks: why, for their authors."""

    def __init__(self, reply: protocol.Refused) -> None:
        super().__init__(one_line(reply.message, len(reply.message)))
        self.traceback, self.modules = reply.traceback, reply.modules


def worker_environment(import_path: str | None = None) -> dict[str, str]:
    """Return the whole environment of a worker, without the parent's keys, tokens and proxies."""
    paths = [import_path, str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path and os.path.isabs(path)),
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


class Connection:
    """Lines to and from a process; `has_replied` says whether one came that was asked for."""

    def __init__(self, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        self._reader, self.writer = streams
        self.patience, self.has_replied = 1, False

    @property
    def ended(self) -> bool:
        """Whether the process has closed its end."""
        return self._reader.at_eof() or self._reader.exception() is not None

    async def receive(self, kind: type[R], seconds: float) -> R:
        """Return the next reply.

        Raises:
            WorkerRefused, TasksRefused: the process could not do the request.
            MalformedReply: what it wrote is not a reply of this kind.
            WorkerDied: it has ended.
            WorkerTimeout: no whole line came in time, `patience` times as many seconds.
        """
        try:
            async with asyncio.timeout(self.patience * seconds):
                line = await self._reader.readuntil()
        except TimeoutError:
            raise WorkerTimeout(f"no reply within {seconds:g} s") from None
        except asyncio.LimitOverrunError:
            raise MalformedReply(f"a line of more than {MAX_LINE_BYTES} bytes") from None
        except (asyncio.IncompleteReadError, OSError):
            raise await self._death(seconds) from None
        try:
            reply = _DECODER.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise MalformedReply(one_line(str(error))) from None
        if isinstance(reply, kind):
            self.has_replied = True
            return reply
        if isinstance(reply, protocol.Failed):
            raise WorkerRefused(one_line(reply.reason))
        if isinstance(reply, protocol.Refused):
            raise TasksRefused(reply)
        raise MalformedReply(f"{type(reply).__name__} in place of {kind.__name__}")

    async def _death(self, seconds: float) -> WorkerDied | WorkerTimeout:
        return WorkerDied("it ended")


class Worker(Connection):
    """A running worker, with its sandbox. It handles one request at a time.

    The kernel ends it when it has used the processor time of a request. `prepared` is the number of
    tasks that its template had prepared.
    """

    confined: Confined

    def __init__(
        self,
        template: Template,
        pid: int,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        super().__init__(streams)
        self.template, self.prepared = template, template.prepared
        self.pid, self.patience = pid, PATIENCE
        self._ending: asyncio.Task[int] | None = None

    @property
    def ended(self) -> bool:
        """Whether it can do no request, as far as is known."""
        return self._ending is not None or super().ended

    def send(self, request: Mapping[str, Any]) -> None:
        """Send a request, or raise what JSON raises if it can't express it.

        The worker may be slow to read it or not read it at all: `receive` says what happened.
        """
        self.writer.write(json.dumps(request, allow_nan=False).encode() + b"\n")

    async def end(self) -> int:
        """Kill the worker, wait until it is gone, and return its exit status; idempotent.

        A caller that is cancelled meanwhile stops waiting, and nothing else.
        """
        self.writer.close()
        if self._ending is None:
            self._ending = asyncio.create_task(self.template.end(self.pid))
        return await asyncio.shield(self._ending)

    async def _death(self, seconds: float) -> WorkerDied | WorkerTimeout:
        if (status := await self.end()) == -signal.SIGPROF:
            return WorkerTimeout(f"no reply within {seconds:g} s")
        return WorkerDied(f"exit status {status}")


async def _streams(end: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_unix_connection(sock=end, limit=MAX_LINE_BYTES)


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """Turn a refusal into WorkerDied: no memory, processes, descriptors or space are left."""
    try:
        yield
    except (OSError, WorkerRefused) as error:
        raise WorkerDied(f"it could not be started: {error}") from None


class Template:
    """A template, which starts at once and does one thing at a time; WorkerDied: it can't start.

    Attributes:
        greeting: what it knows of the library; None until it has greeted.
        prepared: how many tasks it has prepared.
    """

    def __init__(self, settings: WorkerSettings) -> None:
        self.greeting: Greeting | None = None
        self.prepared, self._turn = 0, asyncio.Lock()
        self._owner, self._killed = os.getpid(), False
        self._connection: Connection | None = None
        with _starting(), contextlib.ExitStack() as undo:
            self._socket, theirs = socket.socketpair()
            undo.callback(self._socket.close)
            with theirs:
                self._errors = tempfile.TemporaryFile()  # noqa: SIM115
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "rgenv.worker", msgspec.json.encode(settings).decode()],
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=self._errors,
                    env=worker_environment(settings.import_path),
                    cwd="/",  # a folder of its own would stay behind after kill -9 of this process
                    start_new_session=True,
                )
            undo.pop_all()

    async def greet(self) -> Greeting:
        """Wait until it has imported the library, and return what it knows.

        It raises as `receive` does; the message of a WorkerDied has the reason.
        """
        try:
            self._connection = Connection(await _streams(self._socket))
            self.greeting = await self._connection.receive(Greeting, START_TIMEOUT)
            return self.greeting
        except BaseException as error:
            reason = await self._exit_reason() if type(error) is WorkerDied else ""
            await self.kill()
            raise (WorkerDied(reason) if reason else error) from None

    @property
    def ended(self) -> bool:
        """Whether it can fork no more."""
        return self._killed or self._connection is None or self._connection.ended

    async def fork(self) -> Worker:
        """Return a new worker, which has closed its sandbox."""
        with _starting():
            ours, theirs = socket.socketpair()
            with ours, theirs:
                pid = (await self._ask({"op": "fork"}, protocol.Forked, theirs.fileno())).pid
                worker = Worker(self, pid, await _streams(ours.dup()))
        try:
            worker.confined = await worker.receive(Confined, START_TIMEOUT / PATIENCE)
        except BaseException:
            await worker.end()
            raise
        return worker

    async def prepare(self, task: str) -> None:
        """Do for a task what its first problem would make each worker do."""
        with contextlib.suppress(WorkerRefused):
            await self._ask({"op": "prepare", "task": task}, protocol.Ready)
            self.prepared += 1

    async def end(self, pid: int) -> int:
        """Kill a worker, wait until it is gone, and return its exit status."""
        request = {"op": "end", "pid": pid}
        try:
            return (await self._ask(request, protocol.Ended, seconds=KILL_SECONDS)).status
        except (WorkerDied, WorkerTimeout, WorkerRefused):  # it ends with this process
            return -signal.SIGKILL

    async def _ask(
        self,
        request: dict[str, Any],
        kind: type[R],
        *descriptors: int,
        seconds: float = START_TIMEOUT,
    ) -> R:
        async with self._turn:
            if self._connection is None or self.ended:
                raise WorkerDied("the template ended")
            try:
                socket.send_fds(self._socket, [json.dumps(request).encode()], descriptors)
                return await self._connection.receive(kind, seconds)
            except WorkerRefused:
                raise
            except OSError as error:
                raise WorkerDied(f"the template ended: {error}") from None
            except BaseException:  # its reply would be taken for that to the next request
                self.kill_at_once()
                raise

    async def _exit_reason(self) -> str:
        """Return the exit status and the last line of stderr."""
        status = await self._status(1.0)
        said = "it closed its socket" if status is None else f"exit status {status}"
        errors = b""
        with contextlib.suppress(ValueError):  # the file is closed
            self._errors.seek(0)
            errors = self._errors.read()
        tail = errors.decode(errors="replace").strip().rpartition("\n")[2]
        return f"{said}: {one_line(tail)}" if tail else said

    def kill_at_once(self) -> None:
        """Kill the template, and so its workers, without waiting, from any thread."""
        if os.getpid() == self._owner:  # and not a process that was forked from it
            self._killed = True
            self._process.kill()

    async def kill(self) -> None:
        """Kill the template, and so its workers, and wait until it is gone; idempotent."""
        self.kill_at_once()
        if self._connection is not None:
            self._connection.writer.close()
        self._errors.close()
        await self._status(KILL_SECONDS)

    async def _status(self, seconds: float) -> int | None:
        """Wait for the exit status; None if there is none in time."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < deadline:
            await asyncio.sleep(0.002)
        return self._process.poll()
