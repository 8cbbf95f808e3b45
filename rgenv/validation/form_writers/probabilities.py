"""Other forms of fractions, percentages and probabilities."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from rgenv.validation.form_writers.kind import Forms

SIGNIFICANT_DIGITS = (3, 4, 5)
"""Digits of a rounded probability: fewer than three do not count where no precision is asked."""


def probability(reference: str, question: str) -> Forms:
    """A fraction, percent, or a decimal with at least three significant digits."""
    value = Decimal(reference)
    forms = percentages(value) | {
        f"{digits} significant digits": _plain(_rounded(value, digits))
        for digits in SIGNIFICANT_DIGITS
    }
    forms["no zero in front"] = _plain(_rounded(value, 4)).removeprefix("0")
    exact = coin_flips(question)
    is_exact = exact is not None and math.isclose(exact, value, rel_tol=1e-6)
    shown = exact if exact is not None and is_exact else Fraction(value)
    return forms | fractions(shown.numerator, shown.denominator)


def percentages(value: Decimal) -> Forms:
    """Percent with three, four and five significant digits."""
    percent = {digits: _plain(_rounded(value * 100, digits)) for digits in SIGNIFICANT_DIGITS}
    forms = {f"percent, {digits} digits": f"{text}%" for digits, text in percent.items()}
    return forms | {
        "percent after a space": f"{percent[4]} %",
        "percent in LaTeX": f"{percent[4]}\\%",
    }


def coin_flips(question: str) -> Fraction | None:
    """Return the probability that a question on coin flips asks for."""
    asked = re.search(r"(exactly|at least) (\d+) heads in (\d+) fair", question)
    if not asked:
        return None
    wanted, flips = int(asked[2]), int(asked[3])
    counts = [wanted] if asked[1] == "exactly" else range(wanted, flips + 1)
    return Fraction(sum(math.comb(flips, count) for count in counts), 2**flips)


def _rounded(value: Decimal, digits: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), ROUND_HALF_UP)


def _plain(value: Decimal) -> str:
    return f"{value:f}"


def fractions(top: int, bottom: int) -> Forms:
    """A fraction with and without spaces, and in LaTeX; it is not reduced."""
    if bottom == 1:
        return {"whole": str(top)}
    return {
        "fraction": f"{top}/{bottom}",
        "fraction with spaces": f"{top} / {bottom}",
        "LaTeX fraction": f"\\frac{{{top}}}{{{bottom}}}",
        "LaTeX fraction in dollars": f"$\\frac{{{top}}}{{{bottom}}}$",
        "LaTeX dfrac": f"\\dfrac{{{top}}}{{{bottom}}}",
        "LaTeX fraction in brackets": f"\\(\\frac{{{top}}}{{{bottom}}}\\)",
    }


def fraction(reference: str, question: str) -> Forms:
    """The forms of a reduced fraction."""
    top, bottom = fraction_parts(reference)
    return fractions(top, bottom) if bottom else {}


def fraction_parts(reference: str) -> tuple[int, int]:
    """Return numerator and denominator of a fraction in any form; 0, 0 if there are not two."""
    numbers = [int(text) for text in re.findall(r"-?\d+", reference)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)
