"""The kinds of answers that only tasks of arithmetic have."""

import random
import re
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from rgenv.tasks.answers.numbers import DecimalNumber
from rgenv.tasks.answers.words import Word
from rgenv.tasks.arithmetic import (
    bitwise_arithmetic,
    calendar_arithmetic,
    number_format,
    power_function,
    prime_factorization,
    time_intervals,
)
from tests.support.written.base import Forms, changes, other_forms
from tests.support.written.parts import (
    SHORT_NUMBER,
    changed_numbers,
    full_width,
    minus_sign,
    near_decimals,
)


@other_forms.register
def _(kind: bitwise_arithmetic.Hexadecimal, reference: str, question: str) -> Forms:
    sign, _, digits = reference.partition("0x")
    forms = {"capital digits": f"{sign}0x{digits.upper()}", "capital X": f"{sign}0X{digits}"}
    if re.search("[a-f]", digits):
        forms["no 0x"] = f"{sign}{digits}"
    return forms | minus_sign(reference)


@changes.register
def _(
    kind: bitwise_arithmetic.Hexadecimal, reference: str, question: str, rng: random.Random
) -> Forms:
    value = int(reference, 16)
    changes = {"next": hex(value + 1), "near": hex(value - rng.randint(2, 300))}
    return changes | ({"sign": hex(-value)} if value else {})


@other_forms.register
def _(kind: calendar_arithmetic.DayOrCount, reference: str, question: str) -> Forms:
    if SHORT_NUMBER.fullmatch(reference):
        return other_forms(kind._number, reference, question)
    return other_forms.dispatch(Word)(kind, reference, question)


@changes.register
def _(
    kind: calendar_arithmetic.DayOrCount, reference: str, question: str, rng: random.Random
) -> Forms:
    if SHORT_NUMBER.fullmatch(reference):
        return changes(kind._number, reference, question, rng)
    words = (
        calendar_arithmetic._WEEKDAYS
        if reference in calendar_arithmetic._WEEKDAYS
        else ["Yes", "No"]
    )
    return {"other": rng.choice([word for word in words if word != reference])}


@other_forms.register
def _(kind: number_format.Candidate, reference: str, question: str) -> Forms:
    right = Decimal(reference)
    same = [
        text for text in number_format._candidates(question) if number_format._value(text) == right
    ]
    forms = {f"candidate {number}": text for number, text in enumerate(same[:3], 1)}
    rounded = {"three decimals": f"{right:.3f}"} if abs(right) < 10**12 else {}
    return forms | rounded | other_forms.dispatch(DecimalNumber)(kind, reference, question)


@changes.register
def _(kind: number_format.Candidate, reference: str, question: str, rng: Random) -> Forms:
    right = Decimal(reference)
    values = set(map(number_format._value, number_format._candidates(question)))
    others = sorted(float(value) for value in values if value != right)
    changes = {"no candidate": f"{float(reference) + 1:.3f}"}
    if others:
        chosen = {"first": others[0], "last": others[-1], "any": rng.choice(others)}
        changes |= {name: str(value) for name, value in chosen.items()}
    return changes


@other_forms.register
def _(kind: power_function.ThreeFigures, reference: str, question: str) -> Forms:
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


@changes.register
def _(
    kind: power_function.ThreeFigures, reference: str, question: str, rng: random.Random
) -> Forms:
    return near_decimals(reference, rng)


@other_forms.register
def _(kind: prime_factorization.Factors, reference: str, question: str) -> Forms:
    parts = reference.split(" × ")
    return {"no spaces": "×".join(parts), "reversed": " × ".join(parts[::-1])}


@changes.register
def _(
    kind: prime_factorization.Factors, reference: str, question: str, rng: random.Random
) -> Forms:
    changes = changed_numbers(reference.split(" × "), " × ".join, rng)
    changes.pop("exchanged", None)  # the factors may come in any order
    return changes


@other_forms.register
def _(kind: time_intervals.Duration, reference: str, question: str) -> Forms:
    forms: Forms = {}
    if "days" in reference:
        forms["capital"] = reference.replace("days", "Days")
        forms |= {"one day": "1 day" + reference[6:]} if reference.startswith("1 days") else {}
    if ", " in reference:
        forms["no space after the comma"] = reference.replace(", ", ",")
    return forms


@changes.register
def _(kind: time_intervals.Duration, reference: str, question: str, rng: random.Random) -> Forms:
    fields = list(re.finditer(r"\d+", reference))
    field = rng.choice(fields)
    value = (int(field[0]) + rng.randint(1, 20)) % (60 if len(fields) > 1 else 10**6)
    changed = f"{reference[: field.start()]}{value:0{len(field[0])}d}{reference[field.end() :]}"
    return {"field": changed} if changed != reference else {}
