"""Numbers that have to be equal, not close to each other, alike, or not a number at all.

``nan`` is no result of (1 + 2i) + (3 - 4i), ``0`` no probability of 0.3125, and 12 no prime
factor of 12; the library pays 1.0, 0.8 and 0.5 for these.

Not covered: how many digits of a right number were asked for.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

from rgenv.worker.verifiers.shared import Entry, Library, asked, beyond_half, same_text

_NUMBER = re.compile(r"[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_FRACTION = re.compile(r"[$\s]*(\\d?frac(\s*\{\s*\d+\s*\}){2}|-?\d+\s*/\s*-?\d+)[$\s]*", re.I)
_SHORT = 300
"""Characters that a single number may take."""


def gsm_symbolic(answer: str, entry: Entry, library: Library) -> float:
    """The one number in the text. The library paid 1.0 for ``-288`` where 288 is right and 0.01
    for ``1,288`` where 1288 is."""
    numbers = _NUMBER.findall(answer)
    if len(numbers) != 1 or len(numbers[0]) > _SHORT:
        return 0.0
    return float(_plain(numbers[0]) == _plain(str(entry["answer"])))


def _plain(number: str) -> Fraction:
    return Fraction(number.replace(",", "").replace("−", "-"))


def fraction_simplification(answer: str, entry: Entry, library: Library) -> float:
    """What the library takes for right, with no text after it; it paid 0.1 for a fraction that is
    not simplified."""
    shaped = len(answer) <= _SHORT and _FRACTION.fullmatch(answer.strip())
    return float(bool(shaped) and asked(library, answer) >= 1.0)


def coin_flip(answer: str, entry: Entry, library: Library) -> float:
    """As close as the library asks for, and two digits of a small probability; it paid 0.95 for
    ``0``, which begins like most of them."""
    if len(answer) > _SHORT or re.search(r"[eE][-+]?\d{4}", answer) or asked(library, answer) < 1.0:
        return 0.0
    right, given = (Fraction(text.replace(",", "")) for text in (entry["answer"], answer))
    return float(abs(given - right) <= abs(right) / 20)


def complex_arithmetic(answer: str, entry: Entry, library: Library) -> float:
    """What the library takes for right, but for ``nan``, for which it paid 1.0 on every item; its
    credit for what is not far off paid a constant 0.04 more than its share."""
    text = "".join(answer.split()).lower()
    return float(len(text) <= _SHORT and "nan" not in text and asked(library, answer) >= 1.0)


def number_sorting(answer: str, entry: Entry, library: Library) -> float:
    """The same numbers in order. The library paid 1.0 for ``[NaN, NaN]``, and for each of them
    0.9 too large."""
    try:
        given, right = (_listed(text) for text in (answer, str(entry["answer"])))
    except (ValueError, TypeError, RecursionError, OverflowError):
        return 0.0
    return float(
        len(given) == len(right)
        and all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(given, right, strict=True))
    )


def _listed(text: str) -> list[float]:
    values = json.loads(text.replace("'", '"'))
    if not isinstance(values, list):
        raise ValueError("not a list")
    return [float(value) for value in values]


def polynomial_equations(answer: str, entry: Entry, library: Library) -> float:
    """The share of roots that were found beyond a half of them; the library paid 0.39 for ``0.0``,
    which is right in 0.31 of all cases."""
    right = [float(root) for root in str(entry["answer"]).split(",") if root.strip()]
    pieces = [piece for piece in answer.strip().strip("\"'").split(",") if piece.strip()]
    if not right or len(pieces) > 100:
        return float(not right and not pieces)
    found = 0
    for piece in pieces:
        root = next((root for root in right if _rounded(piece, root)), None)
        if root is not None:
            right.remove(root)
            found += 1
    return beyond_half(found / (len(pieces) + len(right)))


def _rounded(piece: str, root: float) -> bool:
    """Whether a number is `root` to four decimals, whichever way it was rounded."""
    try:
        return abs(float(piece) - root) < 1.5e-4
    except ValueError:
        return False


def prime_factorization(answer: str, entry: Entry, library: Library) -> float:
    """Up to 0.5 for a factorization that is not complete. The library paid 0.605 for the number
    itself."""
    right = [int(factor) for factor in str(entry["answer"]).split("×")]
    pieces = [piece.strip() for piece in answer.split("×") if piece.strip()]
    if len(pieces) > len(right) or not all(re.fullmatch(r"\d{1,300}", p) for p in pieces):
        return 0.0
    given = [int(piece) for piece in pieces]
    if sorted(given) == sorted(right):
        return 1.0
    if math.prod(given) != math.prod(right) or 1 in given:
        return 0.0
    return 0.5 * (len(given) - 1) / (len(right) - 1)


def pool_matrix(answer: str, entry: Entry, library: Library) -> float:
    """All cells of it, as close as the library asks for; it paid 0.1 for zeros."""
    if same_text(answer, entry):
        return 1.0
    right, given = (_rows(text) for text in (str(entry["answer"]), answer))
    if [len(row) for row in right] != [len(row) for row in given]:
        return 0.0
    pairs = ((a, b) for x, y in zip(right, given, strict=True) for a, b in zip(x, y, strict=True))
    return float(all(abs(a - b) <= 1e-8 + 1e-2 * abs(b) for a, b in pairs))


def _rows(text: str) -> list[list[float]]:
    """None of its cells is infinite, which would be as close to anything as one likes."""
    try:
        rows = [[float(cell) for cell in row.split()] for row in text.strip().splitlines()]
    except ValueError:
        return []
    return rows if all(math.isfinite(cell) for row in rows for cell in row) else []
