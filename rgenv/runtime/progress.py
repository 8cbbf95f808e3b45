"""How far a long run is: a bar in a terminal, a plain line now and then elsewhere.

::

    with Progress("Evaluating", total=525) as progress:
        progress.add({"score": 1.0, "correct": True})
    # Evaluating: 1/525, accuracy 1.000, 3.2/s, 2:44 left
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from tqdm import tqdm

LINE_SECONDS = 10.0


class Progress:
    """Counts samples, and their accuracy so far.

    Args:
        done: samples that are there before it begins.
        stream: where it is written; a terminal gets a bar.
    """

    def __init__(
        self,
        title: str,
        *,
        total: int,
        done: Sequence[Mapping[str, Any]] = (),
        stream: TextIO | None = None,
    ) -> None:
        self._stream = stream or sys.stderr
        self._solved = self._scored = 0
        self._bar = tqdm(
            total=total,
            desc=title,
            unit="sample",
            initial=len(done),
            file=self._stream,
            disable=not self._stream.isatty(),
        )
        self._title, self._total = title, total
        self._count = self._before = len(done)
        self._began = self._told = time.monotonic()
        for sample in done:
            self._look_at(sample)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
        if self._bar.disable and self._count > self._before:
            self._tell()

    def add(self, sample: Mapping[str, Any]) -> None:
        """One more."""
        self._count += 1
        self._look_at(sample)
        self._bar.set_postfix_str(self._accuracy, refresh=False)
        self._bar.update()
        if self._bar.disable and time.monotonic() - self._told >= LINE_SECONDS:
            self._tell()

    def _look_at(self, sample: Mapping[str, Any]) -> None:
        if "score" in sample:
            self._scored += 1
            self._solved += bool(sample.get("correct"))

    @property
    def _accuracy(self) -> str:
        return f"accuracy {self._solved / self._scored:.3f}" if self._scored else "no answer yet"

    def _tell(self) -> None:
        self._told = time.monotonic()
        rate = (self._count - self._before) / max(1e-9, self._told - self._began)
        left = int((self._total - self._count) / rate) if rate else 0
        print(
            f"{self._title}: {self._count}/{self._total}, {self._accuracy}, {rate:.1f}/s, "
            f"{left // 60}:{left % 60:02d} left",
            file=self._stream,
            flush=True,
        )
