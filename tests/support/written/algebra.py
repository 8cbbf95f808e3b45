"""The kinds of answers that only tasks of algebra have."""

import random

from rgenv.tasks import Number
from rgenv.tasks.algebra import complex_arithmetic, polynomial_equations, simple_equations
from tests.support.written.base import Forms, changes, other_forms
from tests.support.written.parts import SHORT_NUMBER, assignments, full_width, minus_sign


@other_forms.register
def _(kind: complex_arithmetic.Complex, reference: str, question: str) -> Forms:
    parts = complex_arithmetic._parts(reference)
    if parts is None or any(part.denominator != 1 for part in parts):
        return {}
    a, b = map(int, parts)
    sign, size = "-" if b < 0 else "+", abs(b)
    whole = f"{a} {sign} {size}i"
    if b == 0:
        forms = {
            "whole number": f"{a}",
            "zero imaginary part": f"{a} + 0i",
            "one decimal": f"{a}.0",
        }
    elif a == 0:
        forms = {"whole number": f"{b}i", "zero real part": f"0 {sign} {size}i"}
    else:
        forms = {
            "whole numbers": whole,
            "no spaces": whole.replace(" ", ""),
            "imaginary part first": f"{b}i {'-' if a < 0 else '+'} {abs(a)}",
            "product with i": f"{a} {sign} {size}*i",
            "two decimals": f"{a}.00 {sign} {size}.00i",
            "brackets": f"({whole})",
        } | minus_sign(whole)
        if b < 0:
            forms |= {"negative added": f"{a} + {b}i", "bracket added": f"{a} + ({b}i)"}
    return forms | ({"i alone": f"{a} {sign} i"} if size == 1 and a else {})


@changes.register
def _(kind: complex_arithmetic.Complex, reference: str, question: str, rng: random.Random) -> Forms:
    a, b = map(float, complex_arithmetic._parts(reference) or (0, 0))
    changes = {"real": (a + rng.randint(1, 9), b), "imaginary": (a, b + rng.randint(1, 9))}
    changes |= {"exchanged": (b, a)} if a != b else {}
    changes |= {"conjugate": (a, -b)} if b else {}
    return {
        name: f"{real} {'-' if imaginary < 0 else '+'} {abs(imaginary)}i"
        for name, (real, imaginary) in changes.items()
    }


@other_forms.register
def _(kind: polynomial_equations.Roots, reference: str, question: str) -> Forms:
    values = reference.split(", ")
    if not all(map(SHORT_NUMBER.fullmatch, values)):
        return assignments(reference, question)
    padded = [f"{float(value):.4f}" for value in values]
    forms = {
        "four decimals": ", ".join(padded),
        "no zeros": ", ".join(value.rstrip("0").rstrip(".") for value in padded),
    } | full_width(reference)
    if len(values) > 1:
        forms |= {
            "reversed": ", ".join(values[::-1]),
            "no spaces": ",".join(values),
            "JSON": f"[{reference}]",
            "lines": "\n".join(values),
        }
    return forms | minus_sign(reference) | assignments(reference, question)


@changes.register
def _(kind: polynomial_equations.Roots, reference: str, question: str, rng: random.Random) -> Forms:
    values = [float(value) for value in reference.split(",") if value.strip()]
    if not values:
        return {"one root": f"{rng.randint(1, 99) / 10}"}
    moved = [*values]
    moved[rng.randrange(len(values))] += rng.choice([-1, 1]) * rng.randint(1, 400) / 100
    changes = {"moved": moved, "added": [*values, max(values) + rng.randint(1, 9)]}
    if len(values) > 1:
        changes["left out"] = values[1:]
    return {
        name: ", ".join(str(round(value, 4)) for value in changed)
        for name, changed in changes.items()
        if sorted(changed) != sorted(values)
    }


@other_forms.register
def _(kind: simple_equations.Unknown, reference: str, question: str) -> Forms:
    return other_forms.dispatch(Number)(kind, reference, question) | assignments(
        reference, question
    )
