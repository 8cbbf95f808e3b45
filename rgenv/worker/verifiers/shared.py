"""What the verifiers share: their types, and how partial credit is rescaled.

::

    beyond_half(0.75)    # 0.25: half of the way from what a guess may reach to all of it

A score is 1.0 for a right answer only; credit for part of one begins where blind answers end, and
ends below 0.5, from where on an answer counts as correct.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Entry = dict[str, Any]
Library = Callable[[str], float]
"""The library's verifier for the same entry: answer -> score. It may raise."""
Verifier = Callable[[str, Entry, Library], float]


def asked(library: Library, answer: str) -> float:
    """The library's score; 0.0 where it raises, which it does on junk only."""
    try:
        return library(answer)
    except Exception:  # foreign code
        return 0.0


def same_text(answer: str, entry: Entry) -> bool:
    """Whether the answer is the entry's own, but for the space around it."""
    return answer.strip() == str(entry["answer"]).strip()


def above(blind: float, share: float) -> float:
    """`share` of an answer right, measured from what a blind answer has right up to all of it."""
    if share >= 1.0:
        return 1.0
    return 0.0 if share <= blind else 0.5 * (share - blind) / (1.0 - blind)


def beyond_half(share: float) -> float:
    """`share` measured from a half, which no constant reaches where a part has many values."""
    return above(0.5, share)
