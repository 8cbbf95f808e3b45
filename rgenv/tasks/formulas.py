"""Formulas over given numbers, integrals, and sums."""

from __future__ import annotations

import ast
import re
from fractions import Fraction

from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import tail
from rgenv.tasks.record import Answers, LibraryVerifier
from rgenv.tasks.safe_parse import CALCULUS
from rgenv.tasks.verifying import library_score


def shortcuts_of_sums(question: str) -> Answers:
    """Add all numbers, or subtract all from the first, whatever the signs between them are.

    With two or three numbers these are guesses between two or four possible answers.
    """
    found = re.findall(r"\d+(?:\.\d+)?", tail(question))
    places = max((len(value.partition(".")[2]) for value in found), default=0)
    scaled = [
        int(value.partition(".")[0] + value.partition(".")[2].ljust(places, "0"))
        for value in found
        if len(value) <= 60
    ]
    return {
        "add all": _unscaled(sum(scaled), places),  # .19
        "subtract all": _unscaled(2 * scaled[0] - sum(scaled), places),  # .25
        "the first number": found[0],  # .04
    }


def _unscaled(value: int, places: int) -> str:
    digits = str(abs(value)).rjust(places + 1, "0")
    text = digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")
    return "-" * (value < 0) + (text.rstrip("0").rstrip(".") if places else text)


MAX_FORMULA = 500
"""Characters. Right answers have about 60."""
_NAME = re.compile(r"[^\W\d]\w*")
_CONSTANT = re.compile(r"[^\W\d_](?:_?\d{1,3})?|const(?:ant)?", re.I)
"""Names of variables and constants: one letter, perhaps with a number, or the word."""
_ARITHMETIC = re.compile(r"(?:[\d\s()+-]|\*(?!\*)|/(?!/))+", re.ASCII)


def makes_target(answer: str, numbers: list[int], target: int) -> float:
    formula = answer.strip()
    if len(formula) > MAX_FORMULA or not _ARITHMETIC.fullmatch(formula):
        return 0.0
    used = [int(number) for number in re.findall(r"\d+", formula)]
    if sorted(used) != sorted(numbers):
        return 0.0
    try:
        return float(value_of(ast.parse(formula, mode="eval").body) == target)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, MemoryError, RecursionError):
        return 0.0


def value_of(node: ast.expr) -> Fraction:
    """Return the exact value of a formula; raise ValueError for any other operation."""
    match node:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.UnaryOp(op=sign, operand=operand):
            return -value_of(operand) if isinstance(sign, ast.USub) else value_of(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return value_of(left) + value_of(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return value_of(left) - value_of(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return value_of(left) * value_of(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return value_of(left) / value_of(right)
    raise ValueError("not a sum, difference, product or quotient")


def antiderivative_of(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score, or 0.0 for an ``Integral(...)`` that is left unsolved.

    The library gives 1.0 to the question itself, written as an integral. Prose is no constant of
    integration: the library takes ``about -x**2`` for the sum of a constant and ``-x**2``.
    """
    known = {*CALCULUS.functions, *CALCULUS.constants} - {"Integral"}
    words = {name for name in _NAME.findall(answer) if not _CONSTANT.fullmatch(name)}
    if words - known - set(_NAME.findall(str(entry["answer"]))) or "Integral" in words:
        return 0.0
    return library_score(library, answer)
