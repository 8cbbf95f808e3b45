"""Text comparison and the scale of partial credit, for verifiers."""

import re
from collections.abc import Sequence

from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier

MAX_ANSWER = 20_000
"""Characters. Right answers have at most 3,000, and some of the library's verifiers are slow."""


def exact(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the reference answer."""
    return float(is_reference_answer(answer, entry))


def all_or_nothing(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0."""
    return float(len(answer) <= MAX_ANSWER and library_score(library, answer) >= 1.0)


MAX_MOVES = 4_000
"""Characters of a sequence. Right answers have at most 1,000."""


def moves_score(answer: str, library: LibraryVerifier, moves: re.Pattern[str]) -> float:
    """Return the library's score, or 0.0 unless the whole answer matches `moves`."""
    text = answer.strip()
    if len(text) > MAX_MOVES or not moves.fullmatch(text):
        return 0.0
    return library_score(library, text)


def library_score(library: LibraryVerifier, answer: str) -> float:
    """Return the library's score, or 0.0 if its verifier raises, which only junk makes it do."""
    try:
        return library(answer)
    except Exception:  # the library's code raises exceptions of any type on junk
        return 0.0


def is_reference_answer(answer: str, entry: Entry) -> bool:
    """Return whether the answer equals the reference answer, up to surrounding whitespace."""
    return answer.strip() == str(entry["answer"]).strip()


def credit_above(blind: float, share: float) -> float:
    """Return the credit for an answer that is right in a `share` of its parts.

    It is 0.0 up to `blind`, the share that an answer reaches without reading the question, then
    rises linearly towards 0.5, and is 1.0 at a share of 1.
    """
    if share >= 1.0:
        return 1.0
    return 0.0 if share <= blind else 0.5 * (share - blind) / (1.0 - blind)


def credit_above_half(share: float) -> float:
    """Return `credit_above(0.5, share)`: a constant answer gets at most half of the parts right."""
    return credit_above(0.5, share)


MAX_TEXT = 10_000
"""Characters of an answer that are read."""


def order_score(given: list[str], right: list[str], *, blind: float = 0.5) -> float:
    """Give credit above a share of words in place, if no word was added or changed."""
    if sorted(given) != sorted(right):
        return 0.0
    return credit_above(blind, share_in_place(given, right))


def share_in_place(given: Sequence[str], right: Sequence[str]) -> float:
    """Return the share of `right` that is in place, or 0.0 if the lengths differ."""
    if len(given) != len(right):
        return 0.0
    return sum(a == b for a, b in zip(given, right, strict=True)) / len(right)
