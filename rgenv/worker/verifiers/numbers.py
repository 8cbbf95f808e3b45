"""Verifiers for roots, factors, and lists and matrices of numbers.

The library gives 0.5 to 12 as the prime factorization of 12, 0.39 on average to ``0.0`` as the
roots of a polynomial, and 1.0 to a list of NaN. Here they score 0.0.

Not here: single numbers, which are right or wrong (exact.py).
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import sympy

from rgenv.tasks.answers.notation import read_number
from rgenv.tasks.entry import Entry
from rgenv.worker.safe_parse import POLYNOMIAL, formula
from rgenv.worker.verifiers.shared import LibraryVerifier, credit_above_half, is_reference_answer

_ROOT_STEP = Fraction(1, 10_000)
"""The questions ask for four decimal places."""
_MAX_ROOTS_TEXT = 5_000
"""Characters. Right answers have at most 50."""


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
    right = [Fraction(root) for root in str(entry["answer"]).split(",") if root.strip()]
    given = _parse_roots(answer)
    if not right or given is None:
        return float(not right and given == [])
    found = 0
    for number in given:
        root = next((root for root in right if _is_rounded(number, root, entry)), None)
        if root is not None:
            right.remove(root)
            found += 1
    return credit_above_half(found / (len(given) + len(right)))


def _parse_roots(text: str) -> list[Fraction] | None:
    """Return the numbers of a list with commas; None if it is longer or holds anything else."""
    if len(text) > _MAX_ROOTS_TEXT:
        return None
    numbers = [read_number(piece) for piece in text.split(",") if piece.strip()]
    values = [number.value for number in numbers if number is not None]
    return values if len(values) == len(numbers) else None


def _is_rounded(given: Fraction, root: Fraction, entry: Entry) -> bool:
    """Return whether a number is a root to four decimals.

    The question says "rounding down when the 5th decimal place is 5 or greater", so the number next
    to the reference answer on the side of zero counts too, if the root lies between them.
    """
    if abs(given - root) <= _ROOT_STEP / 2:
        return True
    if abs(given - root) != _ROOT_STEP or abs(given) > abs(root):
        return False
    expression = entry["metadata"].get("polynomial_expr")
    return expression is not None and _changes_sign(str(expression), given, root)


def _changes_sign(polynomial: str, one: Fraction, other: Fraction) -> bool:
    """Return whether a polynomial in one variable has different signs at two places."""
    expression = formula(polynomial, POLYNOMIAL)
    places = (sympy.Rational(place.numerator, place.denominator) for place in (one, other))
    at_one, at_other = (expression.subs(dict.fromkeys(expression.free_symbols, x)) for x in places)
    return bool(at_one * at_other < 0)


def prime_factorization(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit below 0.5 for a right factorization whose factors are not all prime.

    The library gives 0.605 on average to the number itself.
    """
    right = [int(factor) for factor in str(entry["answer"]).split("×")]
    pieces = [piece.strip() for piece in answer.split("×")]
    if len(pieces) > len(right) or not all(re.fullmatch(r"[1-9][0-9]{0,299}", p) for p in pieces):
        return 0.0
    given = [int(piece) for piece in pieces]
    if sorted(given) == sorted(right):
        return 1.0
    if math.prod(given) != math.prod(right) or 1 in given:
        return 0.0
    return 0.5 * (len(given) - 1) / (len(right) - 1)


def pool_matrix(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if every cell is right to two decimal places, as the question asks.

    The library accepts an error of 1 % in each cell, and gives 0.1 to a matrix of zeros.
    """
    if is_reference_answer(answer, entry):
        return 1.0
    right, given = entry["metadata"]["solution"], _parse_matrix(answer)
    if [len(row) for row in right] != [len(row) for row in given]:
        return 0.0
    pairs = ((a, b) for x, y in zip(right, given, strict=True) for a, b in zip(x, y, strict=True))
    return float(all(abs(a - b) <= HALF_A_HUNDREDTH for a, b in pairs))


HALF_A_HUNDREDTH = 0.005 + 1e-9
"""The largest error of a number that is rounded to two decimal places."""


def _parse_matrix(text: str) -> list[list[float]]:
    """Return the rows of a matrix, or no rows if a cell is not a number."""
    try:
        return [[float(cell) for cell in row.split()] for row in text.strip().splitlines()]
    except ValueError:
        return []
