"""The kinds of answers that only tasks of probability have."""

import math
import random
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from rgenv.tasks.probability import coin_flip
from tests.support.written.base import Forms, changes, other_forms
from tests.support.written.parts import fraction_forms

WRITTEN_DIGITS = (4, 5, 6)


def _rounded(value: Decimal, digits: int) -> str:
    """Write a number with some significant digits."""
    return f"{value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), ROUND_HALF_UP):f}"


@other_forms.register
def _(kind: coin_flip.Chance, reference: str, question: str) -> Forms:
    value, right = Decimal(reference), coin_flip._asked(question)
    percent = {digits: _rounded(value * 100, digits) for digits in WRITTEN_DIGITS}
    forms = {f"percent, {digits} digits": f"{text}%" for digits, text in percent.items()}
    forms["percent after a space"] = f"{percent[4]} %"
    forms["percent in LaTeX"] = f"{percent[4]}\\%"
    for digits in WRITTEN_DIGITS:
        forms[f"{digits} significant digits"] = _rounded(value, digits)
    forms["about"] = f"≈ {_rounded(value, 4)}"
    forms["no zero in front"] = _rounded(value, 4).removeprefix("0")
    shown = right if math.isclose(right, value, rel_tol=1e-6) else Fraction(value)
    return forms | fraction_forms(shown.numerator, shown.denominator)


@changes.register
def _(kind: coin_flip.Chance, reference: str, question: str, rng: random.Random) -> Forms:
    value = Decimal(reference)
    step = Decimal(1).scaleb(value.adjusted() - 1)
    changes = {
        "smaller": f"{value - step * rng.randint(10, 30) / 10:f}",
        "third digit": f"{value + rng.randint(2, 9) * step / 10:f}",
        "half": f"{value / 2:f}",
        "ten times": f"{value / 10:f}",
    }
    return changes | ({} if value == Decimal("0.5") else {"complement": f"{1 - value:f}"})
