"""Formulas: sums made of given numbers, and integrals that are solved.

``10*(8 - 5) - 6`` makes 24 of 8, 5, 10 and 6. ``1*1*4*6`` does not, though the library pays 1.0;
nor does ``8 + 5 + 10 + 6``, even with ``- len("aaaaa")`` after it.

Not covered: powers of given numbers, which the questions do not name.
"""

from __future__ import annotations

import ast
import re
from fractions import Fraction

from rgenv.worker.verifiers.shared import Entry, Library, asked

MAX_FORMULA = 500
"""Characters. Right answers have 60."""
_ARITHMETIC = re.compile(r"(?:[\d\s()+-]|\*(?!\*)|/(?!/))+", re.ASCII)


def puzzle24(answer: str, entry: Entry, library: Library) -> float:
    """24 from each given number once; the library paid 1.0 for ``1*1*4*6`` on every item."""
    return _makes(answer, entry["metadata"]["numbers"], 24)


def countdown(answer: str, entry: Entry, library: Library) -> float:
    """The target from each given number once; the library paid 1.0 for a formula that multiplies
    them by 0 and counts letters."""
    return _makes(answer, entry["metadata"]["numbers"], entry["metadata"]["target"])


def _makes(answer: str, numbers: list[int], target: int) -> float:
    formula = answer.strip().rstrip(".")
    if len(formula) > MAX_FORMULA or not _ARITHMETIC.fullmatch(formula):
        return 0.0
    used = [int(number) for number in re.findall(r"\d+", formula)]
    if sorted(used) != sorted(numbers):
        return 0.0
    try:
        return float(_value(ast.parse(formula, mode="eval").body) == target)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, MemoryError, RecursionError):
        return 0.0


def _value(node: ast.expr) -> Fraction:
    """The exact value of a formula."""
    match node:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.UnaryOp(op=sign, operand=operand):
            return -_value(operand) if isinstance(sign, ast.USub) else _value(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(left) + _value(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _value(left) - _value(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _value(left) * _value(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _value(left) / _value(right)
    raise ValueError("no sum, difference, product or quotient")


def integration(answer: str, entry: Entry, library: Library) -> float:
    """As the library, but for an ``Integral(...)`` that is left to solve: it paid 1.0 for the
    question, put so. Some reference answers hold one."""
    unsolved = "Integral" in answer and "Integral" not in str(entry["answer"])
    return 0.0 if unsolved else asked(library, answer)
