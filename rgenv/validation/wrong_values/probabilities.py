"""Wrong fractions and probabilities."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

from rgenv.validation.form_writers.probabilities import fraction_parts
from rgenv.validation.wrong_values.kind import Changes


def probability(reference: str, question: str, rng: random.Random) -> Changes:
    """Another probability, by at least one in the second significant digit."""
    value = Decimal(reference)
    step = Decimal(1).scaleb(value.adjusted() - 1)
    changes = {
        "smaller": f"{value - step * rng.randint(10, 30) / 10:f}",
        "third digit": f"{value + rng.randint(2, 9) * step / 10:f}",
        "half": f"{value / 2:f}",
        "ten times": f"{value / 10:f}",
    }
    return changes | ({} if value == Decimal("0.5") else {"complement": f"{1 - value:f}"})


def fraction(reference: str, question: str, rng: random.Random) -> Changes:
    """Another numerator or denominator, both exchanged, or multiplied by a number."""
    top, bottom = fraction_parts(reference)
    if not bottom:
        return {}
    right = Fraction(top, bottom)
    changed = {
        "numerator": Fraction(top + rng.randint(1, 5), bottom),
        "denominator": Fraction(top, bottom + rng.randint(1, 5)),
        "exchanged": Fraction(bottom, top or 1),
        "complement": Fraction(bottom - top, bottom),
    }
    factor = rng.randint(2, 9)
    return {"not reduced": f"{factor * top}/{factor * bottom}"} | {
        name: f"{value.numerator}/{value.denominator}"
        for name, value in changed.items()
        if value != right
    }
