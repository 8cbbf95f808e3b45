"""The kinds of answers that only tasks of geometry have."""

import random
import re

from rgenv.tasks.geometry import advanced_geometry
from tests.support.written.base import Forms, changes, other_forms
from tests.support.written.parts import SHORT_NUMBER, full_width, minus_sign, signs_and_digits


@other_forms.register
def _(kind: advanced_geometry.TriangleMeasure, reference: str, question: str) -> Forms:
    values = SHORT_NUMBER.findall(reference)
    short = [f"{float(value):.3f}".rstrip("0").rstrip(".") for value in values]
    if "°" in reference:
        angle = advanced_geometry._angle(question)
        if abs(angle - float(values[0])) > 0.006:
            angle = float(values[0])
        return {"three decimals": f"{angle:.3f}°", "space before the sign": f"{angle:.3f} °"}
    if len(values) == 1:
        return {"no zeros at the end": short[0]} | signs_and_digits(reference)
    forms = {
        "no spaces": f"({values[0]},{values[1]})",
        "no zeros at the end": f"({short[0]}, {short[1]})",
    }
    return forms | full_width(reference) | minus_sign(reference)


@changes.register
def _(
    kind: advanced_geometry.TriangleMeasure, reference: str, question: str, rng: random.Random
) -> Forms:
    numbers = re.findall(r"-?\d+\.\d+", reference)
    old = rng.choice(numbers)
    new = f"{float(old) + rng.choice([-1, 1]) * rng.randint(1, 30) / 10:.3f}"
    changes = {"moved": reference.replace(old, new, 1)}
    if len(numbers) == 2 and numbers[0] != numbers[1]:
        changes["exchanged"] = f"({numbers[1]}, {numbers[0]})"
    return changes
