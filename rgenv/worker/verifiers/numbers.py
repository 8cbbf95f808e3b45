"""Verifiers for numbers, fractions, factors and matrices.

The library gives 1.0 to ``nan`` as the result of (1 + 2i) + (3 - 4i), 0.8 to ``0`` as the
probability 0.3125, and 0.5 to 12 as the prime factorization of 12. Here they score 0.0.

Not here: the number of digits that a question asks for.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

from rgenv.worker.verifiers.shared import (
    Entry,
    LibraryVerifier,
    credit_above_half,
    is_reference_answer,
    library_score,
)

_NUMBER = re.compile(r"[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_FRACTION = re.compile(r"[$\s]*(\\d?frac(\s*\{\s*\d+\s*\}){2}|-?\d+\s*/\s*-?\d+)[$\s]*", re.I)
_MAX_NUMBER = 300
"""Characters of a single number."""


def gsm_symbolic(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the answer contains exactly one number and it is right.

    The library gives 1.0 to ``-288`` where 288 is right, and 0.01 to ``1,288`` where 1288 is right.
    """
    numbers = _NUMBER.findall(answer)
    if len(numbers) != 1 or len(numbers[0]) > _MAX_NUMBER:
        return 0.0
    return float(_parse_number(numbers[0]) == _parse_number(str(entry["answer"])))


def _parse_number(text: str) -> Fraction:
    return Fraction(text.replace(",", "").replace("−", "-"))


def fraction_simplification(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0 and the answer is nothing but a fraction.

    The library gives 0.1 to a fraction that is not simplified.
    """
    is_fraction = len(answer) <= _MAX_NUMBER and _FRACTION.fullmatch(answer.strip())
    return float(bool(is_fraction) and library_score(library, answer) >= 1.0)


def coin_flip(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0 and the relative error is at most 5 %.

    The library's tolerance is absolute, so it accepts wrong small probabilities. It gives ``0`` a
    score of 0.95, because most probabilities begin with that digit.
    """
    if (
        len(answer) > _MAX_NUMBER
        or re.search(r"[eE][-+]?\d{4}", answer)
        or library_score(library, answer) < 1.0
    ):
        return 0.0
    right, given = (Fraction(text.replace(",", "")) for text in (entry["answer"], answer))
    return float(abs(given - right) <= abs(right) / 20)


def complex_arithmetic(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if the library gives 1.0 and the answer is not ``nan``.

    The library gives ``nan`` 1.0 on every problem. Its credit for nearby numbers favours constant
    answers, so there is none here.
    """
    text = "".join(answer.split()).lower()
    return float(
        len(text) <= _MAX_NUMBER and "nan" not in text and library_score(library, answer) >= 1.0
    )


def number_sorting(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the same numbers in the same order.

    The library gives 1.0 to ``[NaN, NaN]``, and to a list whose numbers are all 0.9 too large.
    """
    try:
        given, right = (_parse_list(text) for text in (answer, str(entry["answer"])))
    except (ValueError, TypeError, RecursionError, OverflowError):
        return 0.0
    return float(
        len(given) == len(right)
        and all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(given, right, strict=True))
    )


def _parse_list(text: str) -> list[float]:
    values = json.loads(text.replace("'", '"'))
    if not isinstance(values, list):
        raise ValueError("not a list")
    return [float(value) for value in values]


def polynomial_equations(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the roots are found; a wrong root counts as another to find.

    The library gives ``0.0`` 0.39 on average, although it is right on only 0.31 of all problems.
    """
    right = [float(root) for root in str(entry["answer"]).split(",") if root.strip()]
    pieces = [piece for piece in answer.strip().strip("\"'").split(",") if piece.strip()]
    if not right or len(pieces) > 100:
        return float(not right and not pieces)
    found = 0
    for piece in pieces:
        root = next((root for root in right if _is_rounded(piece, root)), None)
        if root is not None:
            right.remove(root)
            found += 1
    return credit_above_half(found / (len(pieces) + len(right)))


def _is_rounded(piece: str, root: float) -> bool:
    """Return whether a text is `root` rounded to four decimals, up or down."""
    try:
        return abs(float(piece) - root) < 1.5e-4
    except ValueError:
        return False


def prime_factorization(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit below 0.5 for a right factorization whose factors are not all prime.

    The library gives 0.605 on average to the number itself.
    """
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


def pool_matrix(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if every cell is right within the library's tolerance.

    The library gives 0.1 to a matrix of zeros.
    """
    if is_reference_answer(answer, entry):
        return 1.0
    right, given = (_parse_matrix(text) for text in (str(entry["answer"]), answer))
    if [len(row) for row in right] != [len(row) for row in given]:
        return 0.0
    pairs = ((a, b) for x, y in zip(right, given, strict=True) for a, b in zip(x, y, strict=True))
    return float(all(abs(a - b) <= 1e-8 + 1e-2 * abs(b) for a, b in pairs))


def _parse_matrix(text: str) -> list[list[float]]:
    """Return the rows of a matrix, or no rows if a cell is not a finite number.

    The tolerance grows with the given number, so an infinite one would match anything.
    """
    try:
        rows = [[float(cell) for cell in row.split()] for row in text.strip().splitlines()]
    except ValueError:
        return []
    return rows if all(math.isfinite(cell) for row in rows for cell in row) else []
