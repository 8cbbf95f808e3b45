"""The pipes of one worker process: lines out, lines in, and nothing that was not asked for.

A worker may write as many lines as it is asked for. What it writes beyond them, a line that is too
long, and a flood on stderr are a *fault*: the process is killed at once, and nothing that came
after is read.
"""

import asyncio
import contextlib
from collections import deque

STDERR_TAIL_BYTES = 4096

MAX_STDERR_BYTES = 1024 * 1024
"""What a process may write to stderr from one request to the next."""


class Channel(asyncio.SubprocessProtocol):
    """Receives what a process writes, and kills it when it writes what nobody asked for.

    The greeting is asked for from the start.

    Args:
        limit: the most bytes of the greeting.

    Attributes:
        fault: how the process broke the rules; None if it did not.
        ended: whether the process has closed one of its pipes, or has ended.
        exited: set when the process has ended.
        stderr: the last bytes that it wrote there.
    """

    def __init__(self, *, limit: int) -> None:
        self.fault: str | None = None
        self.ended = False
        self.exited = asyncio.Event()
        self.stderr = bytearray()
        self._stderr_left = MAX_STDERR_BYTES
        self._rest = bytearray()
        self._lines: deque[bytes] = deque()
        self._owed, self._limit = 1, limit
        self._changed = asyncio.Event()
        self._killed = False

    def ask(self, data: bytes, *, lines: int, limit: int) -> None:
        """Write to the process, which may be slow to read or not read at all, and expect lines.

        `limit` is the most bytes of each.
        """
        self._owed, self._limit = lines, limit
        self._stderr_left = MAX_STDERR_BYTES
        pipe = self._transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not self.ended:
            pipe.write(data)

    @property
    def is_ready(self) -> bool:
        """Whether `line` returns without waiting."""
        return bool(self._lines) or self.ended or self.fault is not None

    async def line(self) -> bytes | None:
        """Wait for the next line and return it; None if none will come: look at `fault`."""
        while not self.is_ready:
            self._changed.clear()
            await self._changed.wait()
        return self._lines.popleft() if self._lines else None

    def expect_no_more(self) -> None:
        """Take any line that comes from now on, or has come already, for a fault."""
        self._owed = 0
        if self._lines or self._rest:
            self.break_off("a line that was not asked for")

    def break_off(self, fault: str) -> None:
        """Kill the process and believe nothing that comes from now on."""
        self.fault = self.fault or fault
        self._rest.clear()
        self._changed.set()
        self.kill()

    def kill(self) -> None:
        """Kill the process; `exited` is set a moment later. Idempotent."""
        if self._killed:  # Popen would look for its exit status, and asyncio miss that
            return
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            self._transport.kill()

    @property
    def returncode(self) -> int | None:
        """The exit status of the process; None while it runs."""
        return self._transport.get_returncode()

    def close(self) -> None:
        """Close the pipes, also those that a child of the process may keep open."""
        self._transport.close()

    # Called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr += data
            del self.stderr[:-STDERR_TAIL_BYTES]
            self._stderr_left -= len(data)
            if self._stderr_left < 0:
                self.break_off(f"more than {MAX_STDERR_BYTES} bytes on stderr")
        elif self.fault is None:
            self._take(data)

    def _take(self, data: bytes) -> None:
        *whole, rest = data.split(b"\n", self._owed)
        for line in whole:
            self._rest += line
            if len(self._rest) > self._limit:
                break
            self._lines.append(bytes(self._rest))
            self._rest.clear()
            self._owed -= 1
        self._changed.set()
        if len(self._rest) + len(rest) > self._limit and self._owed:
            self.break_off(f"a line of more than {self._limit} bytes")
        elif rest and not self._owed:
            self.break_off("a line that was not asked for")
        else:
            self._rest += rest

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd != 2:
            self.ended = True
            self._changed.set()

    def process_exited(self) -> None:
        self.exited.set()
