"""The parent's side of the template: start it, and have it fork workers.

::

    template = await Template.start(WorkerSettings(), timeout=60)
    await template.prepare("gcd", timeout=60)
    worker = await template.fork(timeout=60)
    await worker.greet(timeout=60)

rgenv/worker/template.py is the process. Workers are its children, so that the kernel ends them when
it ends, and it when this process does. A pidfd of each one lets this process kill it and learn of
its end, whoever got its number afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from rgenv.pool import replies
from rgenv.pool.channel import Channel
from rgenv.pool.process import WorkerDied, WorkerProcess, WorkerTimeout
from rgenv.pool.replies import MAX_LINE_BYTES, WorkerRefused
from rgenv.worker.protocol import WorkerSettings

STATUS_SECONDS = 5.0

T = TypeVar("T")


def _can_fork() -> bool:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):  # not Linux, before 5.3, or a container that refuses it
        return False
    return sys.platform == "linux"


CAN_FORK = _can_fork()
"""Whether workers are forked here; else each one is a process that imports the library itself."""


class Template:
    """A running template. It handles one request at a time.

    Attributes:
        prepared: the number of tasks that it has prepared.
    """

    def __init__(self, process: WorkerProcess, passing: socket.socket) -> None:
        self._process = process
        self._passing = passing
        self._turn = asyncio.Lock()
        self.prepared = 0

    @classmethod
    async def start(cls, settings: WorkerSettings, *, timeout: float) -> Template:
        """Start a template and wait for its handshake; raises what `WorkerProcess.start` raises."""
        ours, theirs = socket.socketpair()
        try:
            process = await WorkerProcess.start(settings, timeout=timeout, passing=theirs.fileno())
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return cls(process, ours)

    @property
    def ended(self) -> bool:
        """Whether it can fork no more."""
        return not self._process.is_usable

    async def fork(self, *, timeout: float) -> WorkerProcess:
        """Fork a worker, whose handshake follows.

        A caller that is cancelled waits until the worker that it has asked for is gone.

        Raises:
            WorkerDied: the template ended, or the system has no room.
            WorkerTimeout: the template did not reply within `timeout` seconds, and was killed.
        """
        await self._turn.acquire()
        forking = asyncio.create_task(self._fork(timeout))
        try:
            return await asyncio.shield(forking)
        except asyncio.CancelledError:
            with contextlib.suppress(WorkerDied, WorkerTimeout):
                await (await forking).kill()
            raise

    async def _fork(self, timeout: float) -> WorkerProcess:
        """Fork a worker in the turn of the caller, which ends with the template's reply.

        Nobody cancels this, so no reply is left for the next request.
        """
        ours: list[int] = []
        try:
            (theirs_in, stdin), (stdout, theirs_out), (stderr, theirs_err) = _three_pipes()
            ours = [stdin, stdout, stderr]
            pid, pidfd = await self._ask_fork([theirs_in, theirs_out, theirs_err], timeout)
        except BaseException:
            for number in ours:
                os.close(number)
            raise
        finally:
            self._turn.release()
        channel = Channel(limit=MAX_LINE_BYTES)
        transport = ForkedProcess(channel, pid, pidfd, self._status)
        channel.connection_made(transport)
        worker = WorkerProcess(channel, pid, prepared=self.prepared)
        try:
            await transport.connect(*ours)
        except BaseException:
            await worker.kill()
            raise
        return worker

    async def _ask_fork(self, descriptors: list[int], timeout: float) -> tuple[int, int]:
        """Return the process id and a pidfd of a worker that gets these descriptors.

        They are closed here.
        """
        try:
            self._process.require_usable()
            socket.send_fds(self._passing, [b"\0"], descriptors)
            pid = await self._ask({"op": "fork"}, replies.forked, timeout)
            _, [pidfd], _, _ = socket.recv_fds(self._passing, 1, 1, socket.MSG_CMSG_CLOEXEC)
            return pid, pidfd
        except WorkerRefused as refusal:
            raise WorkerDied(f"it could not be started: {refusal}") from None
        except OSError as error:
            raise WorkerDied(f"the template ended: {error}") from None
        finally:
            for number in descriptors:
                os.close(number)

    async def prepare(self, task: str, *, timeout: float) -> None:
        """Have the template do for a task what its first problem would make each worker do.

        Raises:
            WorkerDied: the template ended.
            WorkerTimeout: it took longer than `timeout` seconds, and the template was killed.
        """
        preparing = asyncio.create_task(self._prepare(task, timeout))
        preparing.add_done_callback(_retrieve)
        await asyncio.shield(preparing)

    async def _prepare(self, task: str, timeout: float) -> None:
        async with self._turn:
            try:
                await self._ask({"op": "prepare", "task": task}, replies.prepared, timeout)
            except WorkerRefused:
                return
        self.prepared += 1

    async def _status(self, pid: int) -> int:
        """Return the exit status of a worker that has ended: if nobody knows it, that of a kill."""
        try:
            async with self._turn:
                request = {"op": "status", "pid": pid}
                return await self._ask(request, replies.status, STATUS_SECONDS)
        except (WorkerDied, WorkerTimeout, WorkerRefused):
            return -signal.SIGKILL

    async def _ask(
        self, request: dict[str, Any], read: Callable[[replies.Body], T], timeout: float
    ) -> T:
        """Return what the reply to a request says; a template that sends none is killed."""
        self._process.require_usable()
        try:
            self._process.send(request)
            return await self._process.receive(read, timeout=timeout)
        except WorkerTimeout:
            self.kill_at_once()
            raise

    def kill_at_once(self) -> None:
        """Kill the template, and so its workers, without waiting, from any thread."""
        self._process.kill_at_once()

    async def kill(self) -> None:
        """Kill the template, and so its workers, and wait until it is gone; idempotent."""
        await self._process.kill()
        self._passing.close()


class ForkedProcess(asyncio.SubprocessTransport):
    """What asyncio's `subprocess_exec` returns, for a process that a template has forked."""

    def __init__(
        self, channel: Channel, pid: int, pidfd: int, status: Callable[[int], Awaitable[int]]
    ) -> None:
        super().__init__()
        self._channel = channel
        self._pid = pid
        self._pidfd = pidfd
        self._owner = os.getpid()
        self._ask_status = status
        self._status: int | None = None
        self._pipes: dict[int, asyncio.BaseTransport] = {}
        self._loop = asyncio.get_running_loop()

    async def connect(self, *descriptors: int) -> None:
        """Take over the ends of the pipes that are stdin, stdout and stderr of the process."""
        self._loop.add_reader(self._pidfd, self._has_ended)
        for number, descriptor in enumerate(descriptors):
            connect = self._loop.connect_read_pipe if number else self._loop.connect_write_pipe
            pipe = open(descriptor, "rb" if number else "wb", buffering=0)  # noqa: SIM115
            protocol = functools.partial(_Pipe, self._channel, number)
            self._pipes[number], _ = await connect(protocol, pipe)

    def _has_ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        self._reaping = self._loop.create_task(self._reap())

    async def _reap(self) -> None:
        self._status = await self._ask_status(self._pid)
        self._channel.process_exited()

    def get_pid(self) -> int:
        return self._pid

    def get_returncode(self) -> int | None:
        return self._status

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        return self._pipes.get(fd)

    def kill(self) -> None:
        if os.getpid() == self._owner:  # a pidfd works in processes that were forked, too
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Close the pipes and the pidfd; idempotent."""
        for pipe in self._pipes.values():
            pipe.close()
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1


class _Pipe(asyncio.Protocol):
    """Passes on what comes from one pipe of a process."""

    def __init__(self, channel: Channel, number: int) -> None:
        self._channel = channel
        self._number = number

    def data_received(self, data: bytes) -> None:
        self._channel.pipe_data_received(self._number, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._channel.pipe_connection_lost(self._number, exc)


def _retrieve(task: asyncio.Task[None]) -> None:
    """Look at the error of a task for whose end nobody may wait any more."""
    if not task.cancelled():
        task.exception()


def _three_pipes() -> list[tuple[int, int]]:
    """Return three pipes, each as reading and writing end; raise WorkerDied for want of room."""
    pipes: list[tuple[int, int]] = []
    try:
        for _ in range(3):
            pipes.append(os.pipe())
    except OSError as error:
        for pipe in pipes:
            for number in pipe:
                os.close(number)
        raise WorkerDied(f"it could not be started: {error}") from None
    return pipes
