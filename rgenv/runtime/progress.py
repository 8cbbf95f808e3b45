"""Progress of a long run: one line, written anew in a terminal, every 10 seconds elsewhere.

::

    # Evaluating: 240/525 samples, accuracy 0.512, 3.20 samples/s, 01:29 left
    # Evaluating: 525/525 samples, accuracy 0.530, 3.20 samples/s, took 02:44
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, ClassVar, TextIO
from weakref import WeakSet

from tqdm import tqdm

log = logging.getLogger(__name__)

LINE_SECONDS, TERMINAL_SECONDS = 10.0, 0.2
"""Seconds between two lines, and between two states of the line of a terminal."""


@contextlib.contextmanager
def say_if_slow(doing: str) -> Iterator[None]:
    """Log every 10 seconds what is being done, while the body does it or waits for it."""
    began, ended = time.monotonic(), threading.Event()

    def say() -> None:
        while not ended.wait(LINE_SECONDS):
            log.warning("%s: %.0f s so far.", doing, time.monotonic() - began)

    threading.Thread(target=say, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


class _Lines:
    """A stream that has each state of a bar as a line of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        if line := text.strip():
            print(line, file=self._stream, flush=True)

    def flush(self) -> None: ...


class Progress(tqdm):
    """Show how much of a run is done, at what rate, and how long the rest will take.

    Leaving its context prints a last line, unless nothing was counted. What was done before the run
    (`initial`) does not count towards the rate. A `brief` run prints nothing in its first seconds.
    """

    # Without the thread of a bar, and the semaphore between processes.
    monitor_interval = 0
    _lock = threading.RLock()
    _instances: ClassVar[WeakSet[Any]] = WeakSet()  # else bars of other libraries shift the line

    def __init__(
        self,
        title: str,
        *,
        total: int | None = None,
        unit: str = "items",
        initial: int = 0,
        brief: bool = False,
    ) -> None:
        self._is_terminal, self._is_brief = sys.stderr.isatty(), brief
        count = "{n_fmt}" if total is None else "{n_fmt}/{total_fmt}"
        self._start = f"{{desc}}: {count} {unit}{{postfix}}, {{rate_noinv_fmt}}, "
        super().__init__(
            desc=title,
            total=total,
            unit=f" {unit}",
            initial=initial,
            file=sys.stderr if self._is_terminal else _Lines(sys.stderr),
            mininterval=TERMINAL_SECONDS if self._is_terminal else LINE_SECONDS,
            miniters=0,
            delay=LINE_SECONDS if brief else 1e-6,  # not at once: nothing is done yet
            bar_format=self._start + ("{elapsed}" if total is None else "{remaining} left"),
        )

    def __str__(self) -> str:
        line: str = super().__str__()
        return line[: shutil.get_terminal_size().columns - 1] if self._is_terminal else line

    def advance(self, n: int = 1, note: str = "") -> None:
        """Count `n` more, and show a short note behind the count until another replaces it."""
        if note:
            self.set_postfix_str(note, refresh=False)
        self.update(n)

    def show(self, note: str) -> None:
        """Show a status although nothing was counted, so that a wait is not silent."""
        self.advance(0, note)

    def write(self, line: str) -> None:
        """Print a line of its own, above the line of progress."""
        super().write(line, file=self.fp) if self._is_terminal else self.fp.write(line)

    def close(self) -> None:
        """Print the last line."""
        if self.n == self.initial:
            self.delay = float("inf")  # so there is none
        elif not self._is_brief:
            self.delay = 0  # so there is one
        self.bar_format = self._start + "took {elapsed}"
        super().close()
