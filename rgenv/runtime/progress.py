"""Progress of a long run: a bar in a terminal, a plain line every 10 seconds elsewhere.

::

    with Progress("Evaluating", total=525, unit="samples") as progress:
        progress.advance(note="accuracy 0.512")
        progress.show(note="no answer yet")     # although nothing was counted
        progress.write("gcd: no reply")         # printed above the bar
    # Evaluating: 240/525 samples, accuracy 0.512, 3.2/s, 01:29 left
    # Evaluating: 525/525 samples, accuracy 0.530, 3.2/s, took 02:44
"""

from __future__ import annotations

import sys
import time
from typing import TextIO

from tqdm import tqdm

LINE_SECONDS = 10.0
"""Seconds between two plain lines."""


class Progress:
    """Show how much of a run is done, at what rate, and how long the rest will take.

    A context manager. Leaving it prints a last line, unless nothing was counted, or it was `brief`
    and no line was printed before.

    Args:
        title: what is being done, the first words of each line.
        total: how much there is to do; None if unknown.
        unit: what is counted, in the plural.
        initial: how much was done before the run began; it does not count towards the rate.
        stream: where to write, default stderr. A terminal gets a bar.
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
        self._has_bar = self._stream.isatty()
        self._count = self._initial = initial
        self._note = ""
        self._says_how_it_ended = not brief
        self._began = self._printed = time.monotonic()
        self._bar = tqdm(
            total=total,
            desc=title,
            unit=f" {unit}",
            initial=initial,
            file=self._stream,
            disable=not self._has_bar,
            delay=LINE_SECONDS if brief else 0,
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
        if not self._has_bar and self._count > self._initial and self._says_how_it_ended:
            self._print_line(last=True)

    def advance(self, n: int = 1, note: str = "") -> None:
        """Count `n` more.

        Args:
            note: a short status, shown behind the count until another one replaces it.
        """
        self._count += n
        if note:
            self._note = note
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(n)
        self._print_line_if_due()

    def show(self, note: str) -> None:
        """Show a status although nothing was counted, so that a wait is not silent."""
        self._note = note
        self._bar.set_postfix_str(note)
        self._print_line_if_due()

    def write(self, line: str) -> None:
        """Print a line of its own, above the bar if there is one."""
        if self._has_bar:
            self._bar.write(line, file=self._stream)
        else:
            print(line, file=self._stream, flush=True)

    def _print_line_if_due(self) -> None:
        if not self._has_bar and time.monotonic() - self._printed >= LINE_SECONDS:
            self._print_line()

    def _print_line(self, *, last: bool = False) -> None:
        self._printed = time.monotonic()
        self._says_how_it_ended = True
        seconds = self._printed - self._began
        rate = (self._count - self._initial) / max(1e-9, seconds)
        count = f"{self._count}" if self._total is None else f"{self._count}/{self._total}"
        parts = [f"{count} {self._unit}", self._note]
        if rate > 0:
            parts.append(f"{rate:.{1 if rate >= 1 else 3}f}/s")
        if last:
            parts.append(f"took {tqdm.format_interval(seconds)}")
        elif self._total is not None and rate > 0:
            left = max(0, self._total - self._count) / rate
            parts.append(f"{tqdm.format_interval(left)} left")
        print(f"{self._title}: {', '.join(filter(None, parts))}", file=self._stream, flush=True)
