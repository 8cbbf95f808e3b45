"""Probabilities of numbers of heads."""

from __future__ import annotations

import math
import random
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from rgenv.tasks.answers.fractions import fraction_forms, read_fraction, read_probability
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import agrees, place_value, plain
from rgenv.tasks.entry import Entry

_SHOWN_DIGITS = 3
"""Significant digits that a rounded probability has to show."""
_WRITTEN_DIGITS = (3, 4, 5)


class Chance(Answer):
    """A probability: ``227/256``, or ``0.887`` or ``88.67%`` with three digits or more."""

    has_wrappers = True

    def read(self, text: str, entry: Entry) -> str | None:
        right = _asked(str(entry["question"])) or Fraction(str(entry["answer"]))
        fraction = read_fraction(text)
        given = read_probability(text) if fraction is None else None
        if fraction is not None:
            value = Fraction(*fraction)
            same = value == right
        elif given is not None:
            value = given.value
            rounded = given.digits >= _SHOWN_DIGITS and agrees(
                given, right, place_value(right, _SHOWN_DIGITS)
            )
            same = value == right or rounded
        else:
            return None
        return str(entry["answer"]) if same else plain(value)

    def forms(self, reference: str, question: str) -> Forms:
        value = Decimal(reference)
        percent = {digits: f"{_rounded(value * 100, digits):f}" for digits in _WRITTEN_DIGITS}
        forms = {f"percent, {digits} digits": f"{text}%" for digits, text in percent.items()}
        forms |= {
            "percent after a space": f"{percent[4]} %",
            "percent in LaTeX": f"{percent[4]}\\%",
        }
        forms |= {
            f"{digits} significant digits": f"{_rounded(value, digits):f}"
            for digits in _WRITTEN_DIGITS
        }
        forms["no zero in front"] = f"{_rounded(value, 4):f}".removeprefix("0")
        exact = _asked(question)
        is_exact = exact is not None and math.isclose(exact, value, rel_tol=1e-6)
        shown = exact if exact is not None and is_exact else Fraction(value)
        return forms | fraction_forms(shown.numerator, shown.denominator)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = Decimal(reference)
        step = Decimal(1).scaleb(value.adjusted() - 1)
        changes = {
            "smaller": f"{value - step * rng.randint(10, 30) / 10:f}",
            "third digit": f"{value + rng.randint(2, 9) * step / 10:f}",
            "half": f"{value / 2:f}",
            "ten times": f"{value / 10:f}",
        }
        return changes | ({} if value == Decimal("0.5") else {"complement": f"{1 - value:f}"})


def _asked(question: str) -> Fraction | None:
    """Return the probability that a question asks for; reference answers are rounded."""
    asked = re.search(r"(exactly|at least) (\d+) heads in (\d+) fair", question)
    if not asked:
        return None
    wanted, flips = int(asked[2]), int(asked[3])
    counts = [wanted] if asked[1] == "exactly" else range(wanted, flips + 1)
    return Fraction(sum(math.comb(flips, count) for count in counts), 2**flips)


def _rounded(value: Decimal, digits: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), ROUND_HALF_UP)
