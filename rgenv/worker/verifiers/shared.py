"""Types, text comparison and the scale of partial credit, for all verifiers.

Example::

    credit_above_half(0.75)    # 0.25: halfway between a blind answer and a right one

Only a right answer scores 1.0. Partial credit starts at the share that a blind answer reaches, and
stays below 0.5, so that an answer with partial credit never counts as correct.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rgenv.tasks.entry import Entry

LibraryVerifier = Callable[[str], float]
"""The library's verifier for one entry: maps an answer to a score. It may raise."""
Verifier = Callable[[str, Entry, LibraryVerifier], float]
"""A verifier of ours: maps an answer, its entry and the library's verifier to a score in [0, 1]."""


def library_score(library: LibraryVerifier, answer: str) -> float:
    """Return the library's score, or 0.0 if its verifier raises, which only junk makes it do."""
    try:
        return library(answer)
    except Exception:  # the library's code raises exceptions of any type on junk
        return 0.0


def library_score_above(minimum: float, library: LibraryVerifier, answer: str) -> float:
    """Return the library's score, or 0.0 if it is not above `minimum`."""
    score = library_score(library, answer)
    return score if score > minimum else 0.0


def is_reference_answer(answer: str, entry: Entry) -> bool:
    """Return whether the answer equals the reference answer, up to surrounding whitespace."""
    return answer.strip() == str(entry["answer"]).strip()


def parse_json(text: str) -> Any:
    """Return the value of a JSON text, or None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def credit_above(blind: float, share: float) -> float:
    """Return the credit for an answer that is right to the extent of `share`.

    Args:
        blind: the share that an answer given without reading the question reaches, below 1.
        share: the share of the answer that is right, in [0, 1].

    Returns:
        0.0 up to `blind`, then a value that rises linearly towards 0.5, and 1.0 at a share of 1.
    """
    if share >= 1.0:
        return 1.0
    return 0.0 if share <= blind else 0.5 * (share - blind) / (1.0 - blind)


def credit_above_half(share: float) -> float:
    """Return `credit_above(0.5, share)`: a constant answer gets at most half of the parts right."""
    return credit_above(0.5, share)
