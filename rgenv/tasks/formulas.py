"""Formulas over given numbers, integrals, and sums."""

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any

import sympy

from rgenv.tasks.entry import Entry
from rgenv.tasks.exact_numbers import exact_value
from rgenv.tasks.record import LibraryVerifier
from rgenv.tasks.safe_parse import CALCULUS
from rgenv.tasks.verifying import library_score

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
        return float(exact_value(formula) == target)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, MemoryError, RecursionError):
        return 0.0


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


def derivative(formula: Any, x: Any) -> Any:
    """Return what sympy.diff returns, which asks much of each term of a sum."""
    x = sympy.sympify(x)
    terms = []
    for term in sympy.Add.make_args(formula):
        factors = sympy.Mul.make_args(term)
        for place, factor in enumerate(factors):
            if factor.has(x):
                others = factors[:place] + factors[place + 1 :]
                terms.append(sympy.Mul(*others, _slope(factor, x)))
    return sympy.Add(*terms)


_slope = lru_cache(maxsize=1 << 12)(sympy.diff)  # the library's name for it is replaced


_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


@dataclass
class Formula:
    """A formula over x0, x1, ..., applied from left to right; stands for a sympy expression."""

    signs: Sequence[str]
    value: Fraction

    def subs(self, _numbers: Mapping[Any, int]) -> Fraction:
        return self.value

    def __str__(self) -> str:
        """Return the formula as sympy writes it."""
        expression, *others = sympy.symbols(f"x:{len(self.signs) + 1}")
        for sign, symbol in zip(self.signs, others, strict=True):
            expression = _OPERATIONS[sign](expression, symbol)
        return str(expression)


def random_formula(dataset: Any, rng: Random, num_terms: int) -> tuple[Formula, list[int], Any]:
    """Return a random formula, its numbers and its symbols.

    It replaces a function of puzzle24, and draws as that does.
    """
    config = dataset.config
    numbers = [rng.randint(config.min_value, config.max_value) for _ in range(num_terms)]
    value, signs = Fraction(numbers[0]), []
    for i in range(1, num_terms):
        sign = rng.choice(config.operators)
        if sign not in "+-*":
            sign = _division_or_difference(rng, numbers, i, int(value))
        signs.append(sign)
        value = _OPERATIONS[sign](value, numbers[i])
    return Formula(signs, value), numbers, sympy.symbols(f"x:{num_terms}")


def _division_or_difference(rng: Random, numbers: list[int], place: int, current: int) -> str:
    """Put a divisor of `current` at `place` and return "/", or "-" if no later number is one.

    All numbers are at least 1.
    """
    remaining = numbers[place:]
    rng.shuffle(remaining)
    for divisor in remaining:
        if current % divisor == 0:
            numbers[place] = divisor
            return "/"
    return "-"
