"""Text comparison and the scale of partial credit, for verifiers."""

import operator
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier

Item = TypeVar("Item")

MAX_ANSWER = 20_000
"""Characters. Right answers have at most 3,000, and some of the library's verifiers are slow."""


def exact(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the reference answer, up to surrounding whitespace."""
    return float(answer.strip() == str(entry["answer"]).strip())


def all_or_nothing(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0."""
    return float(len(answer) <= MAX_ANSWER and library_score(library, answer) >= 1.0)


MAX_MOVES = 4_000
"""Characters of a sequence. Right answers have at most 1,000."""


def moves_score(answer: str, library: LibraryVerifier, moves: str) -> float:
    """Return the library's score, or 0.0 unless the whole answer matches `moves`."""
    text = answer.strip()
    fits = len(text) <= MAX_MOVES and re.fullmatch(moves, text)
    return library_score(library, text) if fits else 0.0


def library_score(library: LibraryVerifier, answer: str) -> float:
    """Return the library's score, or 0.0 if its verifier raises, which only junk makes it do."""
    try:
        return library(answer)
    except Exception:  # the library's code raises exceptions of any type on junk
        return 0.0


def credit_above(share: float, blind: float = 0.5) -> float:
    """Return the credit for an answer that is right in a `share` of its parts.

    It is 0.0 up to `blind`, the share that an answer reaches without reading the question, then
    rises linearly towards 0.5, and is 1.0 at a share of 1. Most constant answers get at most half
    of the parts right.
    """
    if share >= 1.0:
        return 1.0
    return 0.0 if share <= blind else 0.5 * (share - blind) / (1.0 - blind)


MAX_TEXT = 10_000
"""Characters of an answer that are read."""


def order_score(given: list[str], right: list[str], *, blind: float = 0.5) -> float:
    """Give credit above a share of words in place, if no word was added or changed."""
    if sorted(given) != sorted(right):
        return 0.0
    return credit_above(share_in_place(given, right), blind)


def share_in_place(
    given: Sequence[Item], right: Sequence[Item], same: Callable[[Item, Item], bool] = operator.eq
) -> float:
    """Return the share of `right` that is in place, or 0.0 if the lengths differ."""
    return sum(map(same, given, right)) / len(right) if len(given) == len(right) else 0.0
