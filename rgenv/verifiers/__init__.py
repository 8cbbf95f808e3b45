"""Verifiers of ours, for the tasks whose own verifier pays for answers that are not right.

::

    verify("puzzle24", "1*1*4*6", entry, library)    # 0.0, unless 1, 1, 4 and 6 were given

`VERIFIERS` names every task that is taken over; for all others the library's verdict stands. A
verifier here gets the answer, the entry and the library's own verifier, and gives a score in
[0, 1]: 1.0 for a right answer and nothing else, and never less for a better answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Entry = dict[str, Any]
Library = Callable[[str], float]
"""The library's verifier for the same entry: answer -> score. It may raise."""
Verifier = Callable[[str, Entry, Library], float]

VERIFIERS: Mapping[str, Verifier] = {}


def verify(task: str, answer: str, entry: Entry, library: Library) -> float:
    """The score of one form of an answer, by our verifier where there is one."""
    ours = VERIFIERS.get(task)
    return library(answer) if ours is None else ours(answer, entry, library)
