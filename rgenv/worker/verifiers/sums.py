"""Verifiers for formulas over given numbers, for integrals and for polynomials.

``10*(8 - 5) - 6`` makes 24 from 8, 5, 10 and 6. ``1*1*4*6`` uses other numbers, yet the library
gives it 1.0. ``8 + 5 + 10 + 6 - len("aaaaa")`` is not a formula over the given numbers.

Not here: powers of the given numbers, which the questions do not mention.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from fractions import Fraction

from rgenv.tasks.entry import Entry
from rgenv.worker.safe_parse import CALCULUS
from rgenv.worker.verifiers.shared import LibraryVerifier, library_score

MAX_FORMULA = 500
"""Characters. Right answers have about 60."""
_NAME = re.compile(r"[^\W\d]\w*")
_CONSTANT = re.compile(r"[^\W\d_](?:_?\d{1,3})?|const(?:ant)?", re.I)
"""Names of variables and constants: one letter, perhaps with a number, or the word."""
_ARITHMETIC = re.compile(r"(?:[\d\s()+-]|\*(?!\*)|/(?!/))+", re.ASCII)


def puzzle24(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a formula that makes 24 and uses each given number once.

    The library gives ``1*1*4*6`` 1.0 on every problem.
    """
    return _makes_target(answer, entry["metadata"]["numbers"], 24)


def countdown(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a formula that makes the target and uses each given number once.

    The library gives 1.0 to a formula that multiplies the numbers by 0 and adds the length of a
    string.
    """
    return _makes_target(answer, entry["metadata"]["numbers"], entry["metadata"]["target"])


def _makes_target(answer: str, numbers: list[int], target: int) -> float:
    formula = answer.strip()
    if len(formula) > MAX_FORMULA or not _ARITHMETIC.fullmatch(formula):
        return 0.0
    used = [int(number) for number in re.findall(r"\d+", formula)]
    if sorted(used) != sorted(numbers):
        return 0.0
    try:
        return float(_evaluate(ast.parse(formula, mode="eval").body) == target)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, MemoryError, RecursionError):
        return 0.0


def _evaluate(node: ast.expr) -> Fraction:
    """Return the exact value of a formula; raise ValueError for any other operation."""
    match node:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.UnaryOp(op=sign, operand=operand):
            return -_evaluate(operand) if isinstance(sign, ast.USub) else _evaluate(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _evaluate(left) + _evaluate(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _evaluate(left) - _evaluate(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _evaluate(left) * _evaluate(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _evaluate(left) / _evaluate(right)
    raise ValueError("not a sum, difference, product or quotient")


def integration(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score, or 0.0 for an ``Integral(...)`` that is left unsolved.

    The library gives 1.0 to the question itself, written as an integral. Prose is no constant of
    integration: the library takes ``about -x**2`` for the sum of a constant and ``-x**2``.
    """
    known = {*CALCULUS.functions, *CALCULUS.constants} - {"Integral"}
    words = {name for name in _NAME.findall(answer) if not _CONSTANT.fullmatch(name)}
    if words - known - set(_NAME.findall(str(entry["answer"]))) or "Integral" in words:
        return 0.0
    return library_score(library, answer)


_POWER = re.compile(r"([A-Za-z])(?:\*\*\d+)?")
_NUMBER = re.compile(r"\d+(?:\.\d*)?")


def polynomial_multiplication(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score for a polynomial that is expanded, with like terms collected.

    The library gives 1.0 to the product of each pair of terms, written down and not calculated.
    """
    return library_score(library, answer) if _is_collected(answer) else 0.0


def _is_collected(text: str) -> bool:
    """Return whether a text is a sum of different powers, each with one coefficient at most."""
    text = re.sub(r"\s+", "", text)
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    terms = re.split(r"[-+]+", text.lstrip("-+"))
    powers = []
    for term in terms:
        factors = re.split(r"(?<!\*)\*(?!\*)", term)
        variables = [factor for factor in factors if _POWER.fullmatch(factor)]
        numbers = [factor for factor in factors if _NUMBER.fullmatch(factor)]
        letters = Counter(factor[0] for factor in variables)
        if len(variables) + len(numbers) < len(factors) or len(numbers) > 1:
            return False
        if letters and max(letters.values()) > 1:
            return False
        powers.append(tuple(sorted(variables)))
    return len(set(powers)) == len(powers)
