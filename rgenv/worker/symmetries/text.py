"""What the invariants of texts keep: numbers, words, and the pattern of a string.

::

    numbers("gcd of 12 and 8")     # ["12", "8"], however the text orders them
    pattern("noon")                # [0, 1, 1, 0]: any other letters, forwards or backwards
    amounts("noon")                # [2, 2]: any other letters, in any order
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rgenv.tasks.entry import Entry


def numbers(text: str) -> list[str]:
    """Return the runs of digits, sorted, without leading zeros and without signs."""
    return sorted(digits.lstrip("0") for digits in re.findall("[0-9]+", text))


def words(text: str) -> list[str]:
    """Return the words, sorted, in small letters."""
    return sorted(re.findall(r"\w+", text.casefold()))


def small_words(text: str) -> list[str]:
    """Return the words that do not begin with a capital letter, sorted: no names."""
    return sorted(re.findall(r"\b[a-z]+\b", text))


def letters_of_words(text: str) -> list[str]:
    """Return the letters of each word; both are sorted."""
    return sorted("".join(sorted(word)) for word in words(text))


def pattern(symbols: Sequence[Any]) -> list[int]:
    """Number symbols in the order in which they appear, forwards or backwards."""
    return min(order_of_appearance(symbols), order_of_appearance(symbols[::-1]))


def order_of_appearance(symbols: Iterable[Any]) -> list[int]:
    """Replace each symbol by its place among the different symbols."""
    places: dict[Any, int] = {}
    return [places.setdefault(symbol, len(places)) for symbol in symbols]


def amounts(symbols: Iterable[Any]) -> list[int]:
    """Return how often each symbol appears, sorted, without the symbols."""
    return sorted(Counter(symbols).values())


def part(expression: str, entry: Entry) -> str:
    """Return the last match of an expression's group in the question.

    Raises:
        ValueError: there is none.
    """
    found: list[str] = re.findall(expression, entry["question"], re.DOTALL | re.MULTILINE)
    if not found:
        raise ValueError(f"the question has no {expression!r}")
    return found[-1]
