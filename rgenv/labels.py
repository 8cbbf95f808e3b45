"""Labels that the library gets wrong, put right where the right one can be proven.

::

    corrected("syllogism", entry)    # the entry with a proven answer, or None: make another

Runs in a worker, when an entry is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Entry = dict[str, Any]
Correction = Callable[[Entry], Entry | None]

CORRECTIONS: Mapping[str, Correction] = {}


def corrected(task: str, entry: Entry) -> Entry | None:
    """`entry` with an answer that can be trusted; None when no answer to it is provably right."""
    correction = CORRECTIONS.get(task)
    return entry if correction is None else correction(entry)
