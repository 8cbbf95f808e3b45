"""Read flat lists: of numbers, of words, of cells in a row.

Example::

    items("['a', 'b']", word)     # ["a", "b"]
    items("a b", word)            # ["a", "b"]
    items("- a\\n- b", word)      # ["a", "b"]
    items("a and b, c", word)     # None: "a and b" is not a word

A list has one separator: comma, semicolon, bar, arrow, line end or whitespace. Numbers keep their
value, not their spelling: ``5.0`` is 5. A comma always separates, so ``1,134``
is a list of two numbers.

Not here: lists of moves (moves.py), rows of a board (grids.py), and words that form a sentence
(sentences.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.lines import lines
from rgenv.worker.values.mappings import UNREADABLE, counts
from rgenv.worker.values.notation import plain_signs

Item = TypeVar("Item")

MAX_TEXT = 25_000
"""Characters of a list or grid. Right answers have at most 6,000."""
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+", re.ASCII)
_TOKENS = re.compile(r"(?:[AB]#|#[AB])+")
_INTEGER = re.compile(r"0|-?[1-9]\d{0,14}", re.ASCII)
_DECIMAL = re.compile(r"([-+]?)(0|[1-9]\d{0,29}|(?=\.))(?:\.(\d{1,30}))?", re.ASCII)
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_QUOTED = re.compile(r"\s*(\"[^\"]*\"|'[^']*')\s*([,;|]?)")
_ARROW = re.compile(r"->|=>|➔|➜|⟶|⇒|\\(?:long)?rightarrow\b|\\to\b", re.IGNORECASE)


def items(text: str, read: Callable[[str], Item | None]) -> list[Item] | None:
    """Return the items of a list.

    Args:
        text: a list in brackets or without; its items all in quotes or none of them; separated by
            one kind of sign, or one a line.
        read: returns an item, or None for a text that is none.

    Returns:
        The items, or None if `text` is no such list. Only brackets make an empty list.
    """
    text = text.strip()
    if len(text) > MAX_TEXT:
        return None
    if in_brackets := text[:1] + text[-1:] in ("[]", "()"):
        text = text[1:-1].strip().removesuffix(",")
    if not text:
        return [] if in_brackets else None
    if text[0] in "\"'":
        return _read_all(_quoted(unescaped(text)), read)
    for split in (_by_line, _by(","), _by(";"), _by("|"), _by_arrow, str.split, _whole):
        found = _read_all(split(text), read)
        if found is not None:
            return found
    return None


def unescaped(text: str) -> str:
    """Return `text` with JSON's escapes such as ``\\u00f4`` replaced by their characters."""
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text) if "\\u" in text else text


def _read_all(pieces: list[str], read: Callable[[str], Item | None]) -> list[Item] | None:
    found = []
    for piece in pieces:
        item = read(piece)
        if item is None:
            return None
        found.append(item)
    return found or None


def matching(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    """Return a reader of items that match `pattern` as a whole."""
    return lambda text: text if pattern.fullmatch(text) else None


def word(text: str) -> str | None:
    """Return `text` if it is a word: letters, digits and underscores."""
    return text if _WORD.fullmatch(text) else None


def number(text: str) -> str | None:
    """Return a number without needless signs and zeros, or None.

    It has no exponent, and no thousands separators, because a comma separates items. A list has
    thousands of numbers, so this takes a microsecond where `notation.read_number` takes thirty.
    """
    if _INTEGER.fullmatch(text):
        return text
    match = _DECIMAL.fullmatch(plain_signs(text))
    if match is None:
        return None
    places = (match[3] or "").rstrip("0")
    size = f"{match[2] or 0}.{places}" if places else match[2] or "0"
    return f"-{size}" if match[1] == "-" and size != "0" else size


def _quoted(text: str) -> list[str]:
    """Return the texts within quotes, or none if there is anything but separators between."""
    pieces, end, separator = [], 0, ","
    while separator or end < len(text):
        match = _QUOTED.match(text, end)
        if match is None:
            return []
        pieces.append(match[1][1:-1].strip())
        end, separator = match.end(), match[2]
    return pieces


def _by_line(text: str) -> list[str]:
    """Return the lines, or none where ``- 5`` might be one negative number."""
    found = lines(text)
    return found if len(found) > 1 or (found and found[0][0].isalpha()) else []


def _by(separator: str) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        return [piece.strip() for piece in text.split(separator)] if separator in text else []

    return split


def _by_arrow(text: str) -> list[str]:
    return _by("→")(_ARROW.sub("→", text))


def _whole(text: str) -> list[str]:
    return [text]


def _spaced_numbers(text: str, entry: Entry) -> str | None:
    found = items(text, number)
    return None if found is None else " ".join(found)


def _spiral(text: str, entry: Entry) -> str | None:
    """The library would evaluate what is not a list as Python."""
    found = _spaced_numbers(text, entry)
    return UNREADABLE if found is None else found


def _bracketed_numbers(text: str, entry: Entry) -> str | None:
    found = items(text, number)
    return None if found is None else f"[{', '.join(found)}]"


def _quoted_numbers(text: str, entry: Entry) -> str | None:
    """Write each number as the reference answer does, if it has that number: 55 may be ``55.0``."""
    found = items(text, lambda item: None if number(item) is None else item)
    if found is None:
        return None
    right = items(str(entry["answer"]), str) or []
    spellings = {number(item): item for item in right}
    known = set(right)
    return str([item if item in known else spellings.get(number(item), item) for item in found])


def _digits(text: str, entry: Entry) -> str | None:
    """Read a row of cells that are digits, separated or not."""
    row = plain_signs(text.strip())
    if len(row) <= MAX_TEXT and _DIGITS.fullmatch(row):
        return " ".join(row)
    return _spaced_numbers(text, entry)


def _counts(labels: str) -> Kind:
    """Return a kind that reads numbers in the order of `labels`, or each with its label."""

    def kind(text: str, entry: Entry) -> str | None:
        return _spaced_numbers(text, entry) or counts(plain_signs(text), labels.split())

    return kind


def _tokens(text: str, entry: Entry) -> str | None:
    found = items(text, matching(_TOKENS))
    return None if found is None else " ".join(re.findall("..", "".join(found)))


def _words(separator: str) -> Kind:
    def kind(text: str, entry: Entry) -> str | None:
        found = items(text, word)
        return None if found is None else separator.join(found)

    return kind


def _capital_words(text: str, entry: Entry) -> str | None:
    found = items(text, word)
    return None if found is None else ",".join(found).upper()


KINDS: Mapping[str, Kind] = {
    "ab": _tokens,
    "arc_1d": _digits,
    "list_functions": _bracketed_numbers,
    "number_filtering": _quoted_numbers,
    "number_sorting": _quoted_numbers,
    "path_star": _words(" "),
    "spiral_matrix": _spiral,
    "string_splitting": _counts("A B C X Y Z"),
    "string_synthesis": _counts("[A] [B] [C] {A} {B} {C} (A) (B) (C)"),
    "word_ladder": _capital_words,
    "word_sequence_reversal": _words(", "),
    "word_sorting": _words(", "),
}
