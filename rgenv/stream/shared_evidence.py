"""What groups showed, exchanged between processes through one file that all of them append to.

Each process appends its own groups, and reads the new lines of the others, in a thread, every
`SECONDS`. A folder that is slow or broken delays or loses evidence and nothing else: every replica
also learns from its own groups. What was written before a process starts is not read.

A line is a JSON list: the name of the process that wrote it, and the values of an `Evidence`.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines, line_of
from rgenv.stream.difficulty import Evidence

log = logging.getLogger(__name__)

SECONDS = 2.0
"""Seconds between two exchanges."""

NAME = "evidence.jsonl"

MOST_BYTES = 1 << 15
"""Of more new lines, one exchange reads the last: each takes a millisecond to learn."""

LINE = msgspec.json.Decoder(tuple[str, Evidence])


class SharedEvidence:
    """One process's access to the file.

    Args:
        name: differs between the processes that use the folder.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / NAME
        self._name = name
        self._to_send: list[Evidence] = []
        self._received: list[Evidence] = []
        self._read: int | None = None
        self._thread: threading.Thread | None = None
        self._due = 0.0
        self._warned = False

    def add(self, evidence: Evidence) -> None:
        """Send evidence with the next exchange."""
        self._to_send.append(evidence)

    def poll(self) -> list[Evidence]:
        """Return what was received since the last call; start an exchange if one is due."""
        if self._thread is not None and self._thread.is_alive():
            return []
        received, self._received = self._received, []
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + SECONDS
            sent, self._to_send = self._to_send, []
            self._thread = self._started(self.exchange, sent)
        return received

    async def send(self, evidence: Evidence) -> None:
        """Write evidence at once, as the process may end at any time; wait up to `SECONDS`."""
        await asyncio.to_thread(self._started(self._write, [evidence]).join, SECONDS)

    def _started(
        self, work: Callable[[list[Evidence]], None], sent: list[Evidence]
    ) -> threading.Thread:
        def run() -> None:
            try:
                work(sent)
            except OSError as error:
                if not self._warned:
                    log.warning("No evidence is exchanged with other replicas: %s.", error)
                self._warned = True

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def exchange(self, sent: list[Evidence]) -> None:
        """Write evidence and read that of others; raise OSError if the folder can't be used."""
        self._write(sent)
        with self._path.open("rb") as file:
            size = file.seek(0, 2)
            start = size if self._read is None else min(size, max(self._read, size - MOST_BYTES))
            file.seek(start)
            lines = file.read().rpartition(b"\n")[0]
        self._read = start + len(lines) + bool(lines)
        for line in lines.splitlines():
            with contextlib.suppress(msgspec.MsgspecError):  # the first one may be incomplete
                name, evidence = LINE.decode(line)
                if name != self._name:
                    self._received.append(evidence)

    def _write(self, sent: list[Evidence]) -> None:
        make_folder(self._path.parent)
        with contextlib.closing(JsonLines(self._path)) as file:  # with threads
            if sent:
                file.write(b"".join(line_of([self._name, evidence]) for evidence in sent))
