"""Other forms of complex numbers, roots, coordinates, formulas and expressions."""

from __future__ import annotations

import math
import re

from rgenv.validation.form_writers.kind import FULL_WIDTH, MINUS, NUMBER, Forms, signs_and_digits


def complex_number(reference: str, question: str) -> Forms:
    """The parts in either order, with and without decimals and spaces."""
    real, imaginary = complex_parts(reference)
    if real != int(real) or imaginary != int(imaginary):
        return {}
    a, b = int(real), int(imaginary)
    sign, size = "-" if b < 0 else "+", abs(b)
    whole = f"{a} {sign} {size}i"
    forms = {
        "whole numbers": whole,
        "no spaces": whole.replace(" ", ""),
        "imaginary part first": f"{b}i {'-' if a < 0 else '+'} {abs(a)}",
        "product with i": f"{a} {sign} {size}*i",
        "two decimals": f"{a}.00 {sign} {size}.00i",
        "brackets": f"({whole})",
    }
    if "-" in whole:
        forms["minus sign"] = whole.replace("-", MINUS)
    if b == 0:
        forms = {
            "whole number": str(a),
            "zero imaginary part": f"{a} + 0i",
            "one decimal": f"{a}.0",
        }
    elif a == 0:
        forms = {"whole number": f"{b}i", "zero real part": f"0 {sign} {size}i"}
    if size == 1 and a:
        forms["i alone"] = f"{a} {sign} i"
    return forms


def complex_parts(text: str) -> tuple[float, float]:
    """Return the real and the imaginary part of ``-15.0 + 3.0i``."""
    number = complex(text.replace(" ", "").replace("i", "j"))
    return number.real, number.imag


def roots(reference: str, question: str) -> Forms:
    """Roots in another order, spacing or number of zeros."""
    values = reference.split(", ")
    if not all(map(NUMBER.fullmatch, values)):
        return {}
    forms = {
        "four decimals": ", ".join(f"{float(value):.4f}" for value in values),
        "no zeros": ", ".join(f"{float(value):.4f}".rstrip("0").rstrip(".") for value in values),
        "full-width digits": reference.translate(FULL_WIDTH),
    }
    if len(values) > 1:
        forms |= {
            "reversed": ", ".join(values[::-1]),
            "no spaces": ",".join(values),
            "JSON": f"[{reference}]",
            "lines": "\n".join(values),
        }
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    return forms


def geometry(reference: str, question: str) -> Forms:
    """Coordinates and radii without zeros at the end; angles with the three decimals asked for."""
    values = NUMBER.findall(reference)
    short = [f"{float(value):.3f}".rstrip("0").rstrip(".") for value in values]
    if "°" in reference:
        angle = angle_at_b(question)
        if abs(angle - float(values[0])) > 0.006:
            angle = float(values[0])
        return {"three decimals": f"{angle:.3f}°", "space before the sign": f"{angle:.3f} °"}
    if len(values) == 1:
        return {"no zeros at the end": short[0]} | signs_and_digits(reference)
    forms = {
        "no spaces": f"({values[0]},{values[1]})",
        "no zeros at the end": f"({short[0]}, {short[1]})",
        "full-width digits": reference.translate(FULL_WIDTH),
    }
    return forms | ({"minus sign": reference.replace("-", MINUS)} if "-" in reference else {})


def angle_at_b(question: str) -> float:
    """Return the angle ABC in degrees, from the coordinates in the question."""
    a, b, c = re.findall(r"[ABC]=\((-?\d+), (-?\d+)\)", question)
    bearings = [
        math.atan2(int(point[1]) - int(b[1]), int(point[0]) - int(b[0])) for point in (a, c)
    ]
    turn = abs(math.degrees(bearings[0] - bearings[1])) % 360
    return min(turn, 360 - turn)


def formula(reference: str, question: str) -> Forms:
    """A formula with other spaces, in brackets, with U+2212."""
    forms = {"no spaces": reference.replace(" ", ""), "brackets": f"({reference})"}
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    return forms


def expression(reference: str, question: str) -> Forms:
    """A polynomial or an integral with other spaces or in another order."""
    forms = {"no spaces": reference.replace(" ", "")}
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    first, *others = re.split(r" ([-+]) ", reference)
    signed = [f"- {first[1:]}" if first.startswith("-") else f"+ {first}"]
    signed += [f"{sign} {term}" for sign, term in zip(others[::2], others[1::2], strict=True)]
    if len(signed) > 1 and "(" not in reference:
        head, *rest = signed[::-1]
        forms["reversed"] = " ".join([head.removeprefix("+ ").replace("- ", "-"), *rest])
    return forms
