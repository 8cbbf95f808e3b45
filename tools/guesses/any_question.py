"""Rules for any question: parts of its text, and simple arithmetic with its numbers.

They know nothing about a task. A part of the text is a line, paragraph, quoted piece, number or
word at a fixed place, the most or least frequent word, or what follows the last colon: as it is,
reversed or sorted. Numbers are counted, added, subtracted and multiplied, in the whole question and
in its data, which is the text after the last colon.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from rgenv.tasks.questions import NUMBER, tail
from rgenv.tasks.questions import number_shown as shown
from rgenv.tasks.questions import numbers_in as numbers

MAX_TEXT = 2000
"""Of a longer text, the last characters are read, except where it is copied or reversed."""
MAX_PRODUCT = 12
"""A product has at most so many factors."""

SOLUTIONS = frozenset(
    [
        ("products", "product of the numbers of the question"),
        ("products", "product of the numbers of the data"),
        ("products", "product of the last two of the numbers of the question"),
        ("products", "product of the last two of the numbers of the data"),
        ("spell_backward", "reverse the data"),
        ("word_sequence_reversal", "reverse the words"),
        ("word_sorting", "sort the words"),
        ("word_sorting", "sort the words downwards"),
    ]
)
"""Task and rule: to multiply all factors is no shortcut in products."""

_WORD = re.compile(r"[^\s,;:.!?\"'`()\[\]{}]+")
_QUOTED = re.compile(r'"([^"\n]{1,200})"|\'([^\'\n]{1,200})\'|`([^`\n]{1,200})`')


def answers(question: str) -> dict[str, str]:
    """Return the answer of each rule, by the rule's name."""
    text = question.strip()
    data = tail(text)
    return {
        **_parts(text, data),
        **_arithmetic("question", text[-MAX_TEXT:]),
        **_arithmetic("data", data[-MAX_TEXT:]),
        **_words(data[-MAX_TEXT:]),
    }


def _parts(text: str, data: str) -> dict[str, str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    paragraphs = text.split("\n\n")
    quoted = ["".join(groups) for groups in _QUOTED.findall(text)]
    return {
        **_places("line", lines),
        **_places("paragraph", [paragraph.strip() for paragraph in paragraphs]),
        **_places("quoted piece", quoted),
        "copy the data": data,
        "copy the data without its last character": data[:-1],
        "reverse the data": data[::-1],
        "sort the characters of the data": "".join(sorted(data)),
        "length of the data": str(len(data)),
        "length of the question": str(len(text)),
    }


def _words(data: str) -> dict[str, str]:
    words = _WORD.findall(data)
    if not words:
        return {}
    counts = Counter(words).most_common()
    separator = ", " if ", " in data else "," if "," in data else " "
    return {
        **_places("word", words),
        "most frequent word": counts[0][0],
        "least frequent word": counts[-1][0],
        "number of words": str(len(words)),
        "number of different words": str(len(counts)),
        "reverse the words": separator.join(reversed(words)),
        "sort the words": separator.join(sorted(words)),
        "sort the words downwards": separator.join(sorted(words, reverse=True)),
        "longest word": max(words, key=len),
        "shortest word": min(words, key=len),
    }


def _arithmetic(part: str, text: str) -> dict[str, str]:
    found = numbers(text)
    if not found:
        return {}
    results: dict[str, float | int] = {
        "sum": sum(found),
        "first less the rest": 2 * found[0] - sum(found),
        "largest": max(found),
        "smallest": min(found),
        "range": max(found) - min(found),
        "how many": len(found),
        "mean": sum(found) / len(found),
        "last less first": found[-1] - found[0],
        "last more than first": found[-1] + found[0],
        "last plus one": found[-1] + 1,
        "first plus one": found[0] + 1,
    }
    if len(found) <= MAX_PRODUCT:
        results["product"] = math.prod(found)
    if len(found) > 1:
        results["last less the one before"] = found[-1] - found[-2]
        results["product of the last two"] = found[-1] * found[-2]
    named = {
        f"{name} of the numbers of the {part}": shown(value) for name, value in results.items()
    }
    return named | _places(f"number of the {part}", NUMBER.findall(text))


def _places(kind: str, pieces: list[str]) -> dict[str, str]:
    """Return the first three and the last three pieces."""
    named = zip(("first", "second", "third"), pieces, strict=False)
    from_end = zip(("last", "last but one", "last but two"), reversed(pieces), strict=False)
    return {f"{place} {kind}": piece for place, piece in (*named, *from_end)}
