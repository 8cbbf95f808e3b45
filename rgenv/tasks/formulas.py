"""Formulas over given numbers, integrals, and sums."""

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

import sympy

from rgenv.tasks.entry import Entry
from rgenv.tasks.exact_numbers import exact_value
from rgenv.tasks.record import LibraryVerifier
from rgenv.tasks.safe_parse import CALCULUS, EXACT_CALCULUS, formula

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
    """Return 1.0 for a formula whose derivative is the integrand of the question.

    An ``Integral(...)`` that is left unsolved is none, though the library gives it 1.0. Prose is no
    constant of integration: the library takes ``about -x**2`` for the sum of a constant and
    ``-x**2``. It refuses decimals such as 4.8, and multiples of angles that sympy.simplify does not
    bring together.
    """
    known = {*CALCULUS.functions, *CALCULUS.constants} - {"Integral"}
    words = {name for name in _NAME.findall(answer) if not _CONSTANT.fullmatch(name)}
    if words - known - set(_NAME.findall(str(entry["answer"]))) or "Integral" in words:
        return 0.0
    meta = entry["metadata"]
    x = sympy.Symbol(meta["variable"], real=True)
    try:
        given = formula(answer, EXACT_CALCULUS, {x.name: x, "C": sympy.Symbol("C")})
        integrand = formula(meta["integrand"], EXACT_CALCULUS, {x.name: x})
        return float(_are_equal(sympy.diff(given, x), integrand, x))
    except Exception:  # sympy raises exceptions of any type on junk
        return 0.0


SCALES = (0.03, 0.2, 0.9, 3, 15, 60)
"""Sizes of the numbers at which formulas are compared: some are in the domain of any integrand."""
DIGITS = 200
ERROR = sympy.Rational(1, 10**150)


def _are_equal(one: Any, other: Any, x: Any) -> bool:
    """Return whether two formulas agree to 150 digits wherever the other one is real.

    The numbers depend on the formulas, so that nobody can write a formula that vanishes there.
    Simplifying the difference would prove the same, but may take minutes, or fail.
    """
    if one.has(sympy.Derivative, sympy.Integral) or one.free_symbols - {x}:
        return False
    rng = Random(f"{one} {other}")
    places = []
    for scale, sign in product(SCALES, (1, -1)):
        factor = sympy.Rational(rng.randint(10**6, 2 * 10**6), 10**6)
        places.append({x: sign * sympy.Rational(str(scale)) * factor})
    values = [(place, value) for place in places if (value := _value(other, place)) is not None]
    real = [(place, value) for place, value in values if value.is_real] or values
    return bool(real) and all(_agree(_value(one, place), value) for place, value in real)


def _value(formula: Any, place: Mapping[Any, Any]) -> Any:
    """Return the value of a formula, or None where it has none."""
    value = formula.evalf(DIGITS, subs=place, maxn=2 * DIGITS)
    return value if value.is_number and value.is_finite else None


def _agree(one: Any, other: Any) -> bool:
    return one is not None and bool(abs(one - other) <= ERROR * abs(other))


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
