"""Raise a number to a power, to three digits."""

import random
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import (
    full_width,
    minus_sign,
    place_value,
    plain,
    read_number,
    reference_value,
    without_equals,
)
from rgenv.tasks.answers.numbers import near_decimals


class ThreeFigures(Answer):
    """A number that is right to three significant figures, and as far as it goes."""

    name = "number"

    def read(self, text: str, entry: Entry) -> str | None:
        given = read_number(without_equals(text))
        if given is None:
            return None
        right = _asked(entry["question"])
        third = place_value(right, 3)
        shown = third if given.value % third == 0 else given.step  # -44500.0 is -44500
        is_near = abs(given.value - right) <= min(shown, third) / 2
        same = is_near or given.value == reference_value(entry)
        return str(entry["answer"]) if same else plain(given.value)

    def forms(self, reference: str, question: str) -> Forms:
        value = Decimal(reference)
        if not value.is_finite() or not value:
            return {}
        exponent = value.adjusted()
        mantissa = value.scaleb(-exponent).quantize(Decimal("0.01"), ROUND_HALF_UP)
        if abs(mantissa) == 10:
            mantissa, exponent = mantissa.scaleb(-1).quantize(Decimal("0.01")), exponent + 1
        short = f"{mantissa}e{exponent:+d}"
        forms = {
            "three digits": short,
            "exponent of two digits": f"{mantissa}e{exponent:+03d}",
            "capital E": short.upper(),
            "about": f"≈ {short}",
        }
        if mantissa > 0:
            forms["plus"] = f"+{short}"
        forms |= full_width(short)
        if exponent > 0:
            forms["exponent without sign"] = f"{mantissa}e{exponent}"
        return forms | (minus_sign(short) if mantissa < 0 else {})

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return near_decimals(reference, rng)


MAX_ENDINGS = 40
"""Endings of a base to try."""
NEGATIVE = (0.9, 0.1)
"""The shares of even and of odd powers that have a sign in front."""


def correct(entry: Entry) -> Entry:
    """Move the decimal point behind the first digit, and apply the sign after the power.

    An integer is too near to most of the library's bases. The last two digits are such that without
    them the answer is wrong, where some of MAX_ENDINGS are. By convention, -3^2 is -9, so most even
    powers have a sign: else it would seldom matter.
    """
    rng = random_of(entry)
    base, exponent = _power(entry["question"])
    sign = "-" * (rng.random() < NEGATIVE[int(exponent) % 2])
    digits, _, _ = f"{abs(float(base)):.4e}".partition("e")
    rounded = _three_figures(round(float(digits), 2), exponent)
    for _ in range(MAX_ENDINGS if abs(int(exponent)) > 1 else 0):
        if _three_figures(float(digits), exponent) != rounded:
            break
        digits = f"{digits[:4]}{rng.randrange(100):02d}"
        rounded = _three_figures(round(float(digits), 2), exponent)
    question = entry["question"].replace(f"{base}^", f"{sign}{digits}^")
    return changed(entry, question, f"{sign}{float(digits) ** int(exponent)}")


def _three_figures(base: float, exponent: str) -> str:
    return f"{base ** int(exponent):.2e}"


def _power(question: str) -> tuple[str, str]:
    """Return the base and the exponent."""
    base, exponent = re.findall(r"Compute (\S+)\^(-?\d+)\.", question)[0]
    return base, exponent


def _asked(question: str) -> Fraction:
    """Return the power; reference answers are floats."""
    base, exponent = _power(question)
    size = Fraction(base.removeprefix("-")) ** int(exponent)
    return -size if base.startswith("-") else size


TASK = Task(
    answer=ThreeFigures(),
    correct=correct,
    clarify=((r"Compute -", "By convention, the sign in front is applied after the power."),),
    family=question_numbers,
    # The curriculum has even exponents only. By nature, a program that computes the power and
    # forgets one of two signs is right half of the time, and exponents of 0 and 1 are easy.
    levels=moving(exponent=[(2, 3), (3, 5), (5, 7), (7, 9), (9, 12)]),
)
