"""Progress of a long run: one line, written anew in a terminal, every 10 seconds elsewhere.

::

    with Progress("Evaluating", total=525, unit="samples") as progress:
        progress.advance(note="accuracy 0.512")
        progress.show(note="no answer yet")     # although nothing was counted
        progress.write("gcd: no reply")         # a line of its own
    # Evaluating: 240/525 samples, accuracy 0.512, 3.2/s, 01:29 left
    # Evaluating: 525/525 samples, accuracy 0.530, 3.2/s, took 02:44
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

LINE_SECONDS = 10.0
"""Seconds between two lines."""

TERMINAL_SECONDS = 0.2
"""Seconds between two states of the line in a terminal."""


FEW = 3
"""Fewer tell no rate; the first one does not count, because it had to wait for the start."""


class Progress:
    """Show how much of a run is done, at what rate, and how long the rest will take.

    A context manager. Leaving it prints a last line, unless nothing was counted, or it was `brief`
    and no line was printed before.

    Args:
        title: what is being done, the first words of each line.
        total: how much there is to do; None if unknown.
        unit: what is counted, in the plural.
        initial: how much was done before the run began; it does not count towards the rate.
        stream: where to write, default stderr.
        brief: print nothing if the run takes less than 10 seconds.
    """

    def __init__(
        self,
        title: str,
        *,
        total: int | None = None,
        unit: str = "items",
        initial: int = 0,
        stream: TextIO | None = None,
        brief: bool = False,
    ) -> None:
        self._title, self._total, self._unit = title, total, unit
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream.isatty()
        self._count = self._initial = initial
        self._note = ""
        self._has_shown = not brief
        self._began = self._shown_at = time.monotonic()
        self._first: tuple[int, float] | None = None  # count and time when the first was done

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._count > self._initial and self._has_shown:
            self._show(last=True)

    def advance(self, n: int = 1, note: str = "") -> None:
        """Count `n` more.

        Args:
            note: a short status, shown behind the count until another one replaces it.
        """
        self._count += n
        self._first = self._first or (self._count, time.monotonic())
        self._note = note or self._note
        self._show_if_due()

    def show(self, note: str) -> None:
        """Show a status although nothing was counted, so that a wait is not silent."""
        self._note = note
        self._show_if_due()

    def write(self, line: str) -> None:
        """Print a line of its own, above that of the progress."""
        clear = "\r\x1b[K" if self._is_terminal else ""
        print(f"{clear}{line}", file=self._stream, flush=True)

    def _show_if_due(self) -> None:
        is_line_written_anew = self._is_terminal and self._has_shown
        between = min(LINE_SECONDS, TERMINAL_SECONDS) if is_line_written_anew else LINE_SECONDS
        if time.monotonic() - self._shown_at >= between:
            self._show()

    def _show(self, *, last: bool = False) -> None:
        self._shown_at = time.monotonic()
        self._has_shown = True
        line = f"{self._title}: {', '.join(filter(None, self._parts(last)))}"
        if self._is_terminal:
            fitting = line[: shutil.get_terminal_size().columns - 1]
            print(f"\r{fitting}\x1b[K", end="\n" if last else "", file=self._stream, flush=True)
        else:
            print(line, file=self._stream, flush=True)

    def _parts(self, last: bool) -> list[str]:
        seconds = self._shown_at - self._began
        rate = self._rate(whole=last)
        count = f"{self._count}" if self._total is None else f"{self._count}/{self._total}"
        parts = [f"{count} {self._unit}", self._note]
        if rate > 0:
            parts.append(f"{rate:.{1 if rate >= 1 else 3}f}/s")
        if last:
            parts.append(f"took {_duration(seconds)}")
        elif self._total is not None and rate > 0:
            parts.append(f"{_duration(max(0, self._total - self._count) / rate)} left")
        return parts

    def _rate(self, *, whole: bool) -> float:
        """Return how many are done in a second: in the whole run, or without its start.

        It is 0 as long as too few are done to tell.
        """
        if whole:
            return (self._count - self._initial) / max(1e-9, self._shown_at - self._began)
        count, began = self._first or (self._count, self._began)
        done = self._count - count
        return done / max(1e-9, self._shown_at - began) if done >= FEW else 0.0


def _duration(seconds: float) -> str:
    """Return a time as 01:29 or 1:01:29."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
