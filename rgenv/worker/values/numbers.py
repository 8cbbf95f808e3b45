"""Read integers and decimals, with the unit or the name of the variable that a question uses.

    1,134   5.0   +5   −5   1.134e3     the number, wherever a number is asked for
    x = 5                               where x is the one unknown
    289.0°   120 legs   $349            where the question itself writes the unit
    -0x2a   2a                          where hexadecimal is asked for

Not here: fractions and probabilities (probabilities.py), times and coordinates (measures.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.notation import (
    MAX_CHARS,
    agrees,
    place_value,
    plain,
    plain_signs,
    read_number,
    reference_value,
    settled,
)
from rgenv.worker.values.words import fixed_word

DEGREES = r"(?:°|\^\\circ|\^\{\\circ\}|\\degree|\s+degrees?)"
_NO_UNITS = frozenset(
    "a about and approximately at dozen each either else half hundred in less million more neither "
    "no nor not of off only or over per percent plus minus than that the thousand times to".split()
)
"""Words after a number that change its value, or make a sentence of it."""
_HEXADECIMAL = re.compile(r"([-+]?)(?:0x)?([0-9a-f]+)", re.ASCII | re.I)
FLOAT_ERROR = Fraction(1, 10**15)
"""Relative error of a float that the question shows with 16 digits."""
_PREFIXES = {2: "0b", 8: "0o", 16: "0x"}


def number(text: str, entry: Entry) -> str | None:
    """Read a number that has to be exact."""
    given = read_number(text)
    return None if given is None else settled(given.value, entry)


def number_with(unit: str) -> Kind:
    """Return the kind of a number that may be followed by a unit, given as a pattern."""
    pattern = re.compile(rf"(.{{1,{MAX_CHARS}}}?)\s*{unit}", re.I)

    def read(text: str, entry: Entry) -> str | None:
        match = pattern.fullmatch(text) if len(text) <= MAX_CHARS else None
        return number(match[1] if match else text, entry)

    return read


def named_number(text: str, entry: Entry) -> str | None:
    """Read a number, or the equation ``name = number`` for the unknown of the question."""
    return number(without_name(text, _unknown(entry)), entry)


def without_name(text: str, name: str) -> str:
    """Return what follows ``name =`` at the start of `text`, or `text` itself."""
    left, sign, right = text.partition("=")
    return right if name and sign and left.strip() == name else text


def _unknown(entry: Entry) -> str:
    """Return the name that the question asks for: a variable, or the output of a circuit."""
    name = entry["metadata"].get("variable")
    return str(name) if name else "OUT"


def calendar(text: str, entry: Entry) -> str | None:
    """Read a number, or a day of the week or yes and no where the reference answer is a word."""
    return fixed_word(text, entry) if reference_value(entry) is None else number(text, entry)


def story_number(text: str, entry: Entry) -> str | None:
    """Read a number with a dollar sign, a percent sign or the unit that the question names.

    A unit is one word after the number, or two, as they stand in the question. A percent sign
    belongs there if the sentence that asks has one.
    """
    if len(text) > MAX_CHARS:
        return None
    match = re.fullmatch(
        r"(?:\\?\$ ?)?([^\s$%]+)(?: ?\\?%|((?: [a-z-]+){1,2}))?", text.strip(), re.I
    )
    if match is None:
        return None
    unit = (match[2] or "").strip().lower()
    question = str(entry["question"]).lower()
    if unit and (_NO_UNITS & set(unit.split()) or not re.search(rf"\b{unit}\b", question)):
        return None
    if text.rstrip().endswith("%") and not re.search(r"(?:%|percent)[^.?]*\?", question):
        return None
    return number(match[1], entry)


def hexadecimal(text: str, entry: Entry) -> str | None:
    """Read a hexadecimal number, with or without ``0x``.

    Digits alone are hexadecimal too, since the question asks for such a number: a text must not
    stand for two values.
    """
    match = _HEXADECIMAL.fullmatch(plain_signs(text.strip())) if len(text) <= MAX_CHARS else None
    if match is None:
        return None
    value = int(match[2], 16)
    return None if match[1] == "-" and not value else f"{'-' if match[1] == '-' else ''}{value:#x}"


def digits_of_base(text: str, entry: Entry) -> str | None:
    """Read a number in the base that is asked for, whose prefix or index it may have.

    Digits above 9 are letters of any case. Numbers without letters may be grouped by thousands.
    """
    if len(text) > MAX_CHARS:
        return None
    base = entry["metadata"].get("target_base", 0)
    digits = plain_signs(text.strip()).lower()
    digits = re.sub(rf"_(?:{base}|\{{{base}\}})$", "", digits)
    digits = re.sub(rf"^\+?{_PREFIXES.get(base, '')}(?=[0-9a-z])", "", digits)
    if re.fullmatch(r"0|[1-9a-z][0-9a-z]*", digits, re.ASCII):
        return digits
    given = read_number(digits)
    whole = given is not None and given.value.denominator == 1 and "e" not in digits
    return plain(given.value) if given is not None and whole else None


def candidate(text: str, entry: Entry) -> str | None:
    """Read a number that is the reference answer, or the candidate of the question that shows it.

    A candidate with an exponent shows 16 digits of a float, the reference answer all of them.
    """
    given, right = read_number(text), reference_value(entry)
    if given is None or right is None:
        return None
    if abs(given.value - right) <= abs(right) * FLOAT_ERROR:
        shown = map(read_number, str(entry["question"]).split())
        if given.value in {right, *(number.value for number in shown if number is not None)}:
            return str(entry["answer"])
    if given.value == round(right, 3):  # without the noise of floats: 4.99 for 4.9899999998
        return str(entry["answer"])
    return plain(given.value)


def three_figures(text: str, entry: Entry) -> str | None:
    """Read a number that is the right one to three significant figures, and as far as it goes.

    The reference answer is a float: what goes beyond its digits has to be equal.
    """
    given, right = read_number(text), read_number(str(entry["answer"]))
    if given is None or right is None:
        return None
    same = given.value == right.value or (
        given.step >= right.step and agrees(given, right.value, place_value(right.value, 3))
    )
    return str(entry["answer"]) if same else plain(given.value)


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        **dict.fromkeys(
            """
            aiw basic_arithmetic binary_alternation chain_sum count_bits count_primes
            decimal_arithmetic decimal_chain_sum gcd largest_island lcm letter_counting
            number_sequence products rectangle_count self_reference
            """.split(),
            number,
        ),
        "base_conversion": digits_of_base,
        "bitwise_arithmetic": hexadecimal,
        "calendar_arithmetic": calendar,
        "circuit_logic": named_number,
        "gsm_symbolic": story_number,
        "leg_counting": number_with("legs?"),
        "maze": number_with("steps?"),
        "number_format": candidate,
        "power_function": three_figures,
        "rotten_oranges": number_with("minutes?"),
        "simple_equations": named_number,
        "simple_geometry": number_with(DEGREES),
    }
)
