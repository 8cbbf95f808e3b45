"""Flat lists: ``['a', 'b']``, ``a b``, ``- a\\n- b``.

A list has one separator: comma, semicolon, bar, arrow, line end or whitespace. A comma always
separates, so ``1,134`` is a list of two numbers.
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.lines import lines
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.answers.notation import item_number, plain_signs
from rgenv.tasks.entry import Entry

Item = TypeVar("Item")

_WORD = re.compile(r"\w+")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_QUOTED = re.compile(r"\s*(\"[^\"]*\"|'[^']*')\s*([,;|]?)")
TEXT = re.compile(r"\\text\{([^{}]*)\}", re.IGNORECASE)
_ARROW = re.compile(r"->|=>|➔|➜|⟶|⇒|\\(?:long)?rightarrow\b|\\to\b", re.IGNORECASE)


def items(text: str, read: Callable[[str], Item | None]) -> list[Item] | None:
    """Return the items of a list; None if `text` is none. Only brackets make an empty list.

    Args:
        text: a list in brackets or without, whose items stand in quotes or without.
        read: returns an item, or None for a text that is none.
    """
    text = TEXT.sub(r"\1", text.strip())
    if in_brackets := text[:1] + text[-1:] in ("[]", "()"):
        text = text[1:-1].strip()
    text = text.removesuffix(",")
    if not text:
        return [] if in_brackets else None
    if text[0] in "\"'":
        return _read_all(_quoted(unescaped(text)), read)
    readings = (_read_all(pieces, read) for pieces in _splits(text))
    return next((found for found in readings if found), None)


def joined_items(text: str, read: Callable[[str], str | None], between: str) -> str | None:
    found = items(text, read)
    return None if found is None else between.join(found)


def unescaped(text: str) -> str:
    """Return `text` with JSON's escapes such as ``\\u00f4`` replaced by their characters."""
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text) if "\\u" in text else text


def _read_all(pieces: list[str], read: Callable[[str], Item | None]) -> list[Item] | None:
    found = [item for piece in pieces if (item := read(piece)) is not None]
    return found if found and len(found) == len(pieces) else None


def matching(pattern: str, flags: int = 0) -> Callable[[str], str | None]:
    """Return a reader of items that match `pattern` as a whole."""
    compiled = re.compile(pattern, flags)
    return lambda text: text if compiled.fullmatch(text) else None


def word(text: str) -> str | None:
    """Return `text` if it is a word: letters, digits and underscores."""
    return text if _WORD.fullmatch(text) else None


def _quoted(text: str) -> list[str]:
    pieces, end, separator = [], 0, ","
    while separator or end < len(text):
        match = _QUOTED.match(text, end)
        if match is None:
            return []
        pieces.append(match[1][1:-1].strip())
        end, separator = match.end(), match[2]
    return pieces


def _splits(text: str) -> Iterator[list[str]]:
    found = lines(text)
    if len(found) > 1 or (found and found[0][0].isalpha()):  # ``- 5`` might be a negative number
        yield found
    for separator in (",", ";", "|", "→"):
        shown = _ARROW.sub("→", text) if separator == "→" else text
        if separator in shown:
            yield [piece.strip() for piece in shown.split(separator)]
    yield text.split()
    yield [text]


class Numbers(Answer):
    """Numbers in any form of a list.

    Args:
        must_be_read: whether a text that can't be read earns nothing.
    """

    name = "list"

    def __init__(self, *, must_be_read: bool = False) -> None:
        self.must_be_read = must_be_read

    def read(self, text: str, entry: Entry) -> str | None:
        return joined_items(text, item_number, " ")


_THINGS = r"(?:(?:machine|part|block)s?\s+)?"


class Counts(Numbers):
    """Numbers in a fixed order, or each with its label: ``0 machine A, 1 part X``, ``A: 0, X: 1``.

    Args:
        labels: the labels, in the order of the numbers.
    """

    def __init__(self, *labels: str) -> None:
        super().__init__()
        self._labels = labels
        self._label = "|".join(map(re.escape, labels))

    def read(self, text: str, entry: Entry) -> str | None:
        return super().read(text, entry) or self._labelled(plain_signs(text))

    def _labelled(self, text: str) -> str | None:
        text = text.strip().removesuffix(".")
        after = rf"(\d{{1,9}})\s+{_THINGS}({self._label})"
        if re.fullmatch(rf"{after}(?:[\s,;]+(?:and\s+)?{after})*", text):
            text = ", ".join(f"{name}={number}" for number, name in re.findall(after, text))
        found = pairs(text, _THINGS + f"(?:{self._label})", r"\d{1,9}")
        if found is None:
            return None
        amounts = {re.sub(rf"\A{_THINGS}", "", name): number for name, number in found.items()}
        if len(found) != len(self._labels) or amounts.keys() != set(self._labels):
            return None
        return " ".join(str(int(amounts[label])) for label in self._labels)


class BracketedNumbers(Answer):
    """Numbers in any form of a list, which the library writes in brackets."""

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        found = joined_items(text, item_number, ", ")
        return None if found is None else f"[{found}]"


class QuotedNumbers(BracketedNumbers):
    """Numbers in brackets and quotes, spelled as in the reference answer: 55 is ``55.0``."""

    def read(self, text: str, entry: Entry) -> str | None:
        found = items(text, lambda item: None if item_number(item) is None else plain_signs(item))
        if found is None:
            return None
        right = items(str(entry["answer"]), str) or []
        spellings = {item_number(item): item for item in right}
        known = set(right)
        return str([i if i in known else spellings.get(item_number(i), i) for i in found])


class Words(Answer):
    """Words in any form of a list."""

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        return joined_items(text, word, ", ")
