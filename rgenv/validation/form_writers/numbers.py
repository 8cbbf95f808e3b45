"""Other forms of integers, decimals, powers of ten and factors."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from rgenv.validation.form_writers.kind import FULL_WIDTH, MINUS, NUMBER, Forms, signs_and_digits

SAME_CANDIDATE = Decimal("0.0005")
"""Candidates of number_format have three decimals; floats add an error to some of them."""


def integer(reference: str, question: str) -> Forms:
    """``1,134``, ``1134.0``, ``+1134``, full-width digits, and U+2212 for a negative sign."""
    if not re.fullmatch(r"-?\d+", reference):
        return {}
    grouped = f"{int(reference):,}"
    forms = {"point zero": f"{reference}.0", "two zeros": f"{reference}.00"}
    if len(grouped) > len(reference):
        forms |= {"thousands": grouped, "thousands, point zero": f"{grouped}.0"}
    return forms | signs_and_digits(reference)


def decimal(reference: str, question: str) -> Forms:
    """``1,134.50``, ``1134.5``, ``+1134.5``, full-width digits, U+2212."""
    if not NUMBER.fullmatch(reference):
        return {}
    whole, point, places = reference.partition(".")
    grouped = f"{int(whole):,}{point}{places}"
    if whole.startswith("-") and not grouped.startswith("-"):
        grouped = f"-{grouped}"
    stripped = f"{whole}.{places}".rstrip("0").rstrip(".")
    forms = {"no zeros at the end": stripped, "thousands": grouped}
    return forms | signs_and_digits(reference)


def padded_decimal(reference: str, question: str) -> Forms:
    """One more zero after the decimal places, where no number of digits is prescribed."""
    whole, _, places = reference.partition(".")
    return decimal(reference, question) | {"zero at the end": f"{whole}.{places}0"}


def assignment(reference: str, question: str) -> Forms:
    """``x = 5`` where the question asks for one variable."""
    asked = re.search(
        r"(?:Solve for|value of|[Ss]olve the polynomial equation for real|for real) ([a-z])\b",
        question,
    )
    if not asked or "," in reference:
        return {}
    name = asked[1]
    return {
        "assignment": f"{name} = {reference}",
        "tight assignment": f"{name}={reference}",
        "assignment in LaTeX": f"${name} = {reference}$",
    }


def candidate(reference: str, question: str) -> Forms:
    """The spelling that the question gives to the number."""
    spelled = question.rpartition("candidates:")[2].split()
    value = Decimal(reference)
    same = [
        text for text in spelled if abs(Decimal(text.replace(",", "")) - value) < SAME_CANDIDATE
    ]
    return {f"candidate {number}": text for number, text in enumerate(same[:3], 1)}


def scientific(reference: str, question: str) -> Forms:
    """Three significant digits with an exponent, as the question asks for."""
    value = Decimal(reference)
    if not value.is_finite() or not value:
        return {}
    exponent = value.adjusted()
    mantissa = value.scaleb(-exponent).quantize(Decimal("0.01"), ROUND_HALF_UP)
    if abs(mantissa) == 10:
        mantissa, exponent = mantissa.scaleb(-1).quantize(Decimal("0.01")), exponent + 1
    forms = {
        "three digits": f"{mantissa}e{exponent:+d}",
        "exponent of two digits": f"{mantissa}e{exponent:+03d}",
        "capital E": f"{mantissa}E{exponent:+d}",
        "plus": f"+{mantissa}e{exponent:+d}",
        "full-width digits": f"{mantissa}e{exponent:+d}".translate(FULL_WIDTH),
    }
    if exponent > 0:
        forms["exponent without sign"] = f"{mantissa}e{exponent}"
    if mantissa < 0:
        del forms["plus"]
        forms["minus sign"] = f"{mantissa}e{exponent:+d}".replace("-", MINUS)
    return forms


def hexadecimal(reference: str, question: str) -> Forms:
    """Capital letters; without 0x only if a letter shows that the number is hexadecimal."""
    sign, digits = reference.partition("0x")[0], reference.partition("0x")[2]
    forms = {"capital digits": f"{sign}0x{digits.upper()}", "capital X": f"{sign}0X{digits}"}
    if re.search("[a-f]", digits):
        forms["no 0x"] = f"{sign}{digits}"
    if sign:
        forms["minus sign"] = f"{MINUS}0x{digits}"
    return forms


def factors(reference: str, question: str) -> Forms:
    """The prime factors in another order and spacing."""
    parts = reference.split(" × ")
    return {"no spaces": "×".join(parts), "reversed": " × ".join(parts[::-1])}
