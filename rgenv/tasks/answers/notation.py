"""One number: read in any of the usual notations, compared to the precision that it shows, written.

Numbers: ``1,134``, ``−5.0``, ``1.5 × 10^{-3}``. Not numbers: ``007``, ``--5``, ``-0``, ``1,1,34``,
``1 134``, ``1/2``, ``nan``, digits of other scripts.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from rgenv.tasks.entry import Entry

MAX_CHARS = 1_500
"""Characters of a number. Right answers have at most 200."""
MAX_EXPONENT = 400
SHOWN_DIGITS = 12
"""Significant digits up to which a number is compared; the rest is the rounding of floats."""

_PLAIN_SIGNS = str.maketrans("０１２３４５６７８９＋－−．，", "0123456789+--.,")
_EQUALS = re.compile(r"\s*(?:=|≈|\\approx)\s*")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SEPARATOR = r"(?:,|\{,\}|\\,|[\u00a0\u2009\u202f])"
_POWER_OF_TEN = (
    r"\s*(?:[×x*·⋅]|\\times|\\cdot)\s*10\s*"
    r"(?:(?:\^|\*\*)\s*(?:\{\s*([-+]?\d+)\s*\}|\(\s*([-+]?\d+)\s*\)|([-+]?\d+))"
    r"|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
)
UNSIGNED = (
    rf"(?:[1-9]\d{{0,2}}(?:{_SEPARATOR}\d{{3}})+(?![\d,])|0|[1-9]\d*)"
    r"(?:\.\d+)?(?:[eE][-+]?\d{1,3})?"
)
"""Pattern of a number without a sign, digits before the point. For use with ``re.ASCII``."""
_NUMBER = re.compile(
    rf"([-+]?)((?:[1-9]\d{{0,2}}({_SEPARATOR})\d{{3}}(?:\3\d{{3}})*|0|[1-9]\d*)?)(?:\.(\d+))?"
    rf"(?:[eE]([-+]?\d+)|{_POWER_OF_TEN})?",
    re.ASCII,
)


@dataclass(frozen=True)
class Numeral:
    """A number as it is written."""

    value: Fraction
    step: Fraction
    """The place value of the last digit that is shown: 1/100 for 2.50, 100 for 2500."""
    digits: int
    """How many digits are shown, without zeros in front."""


def plain_signs(text: str) -> str:
    """Return `text` with ASCII digits, signs and points instead of full-width ones and U+2212."""
    return text.translate(_PLAIN_SIGNS)


def without_equals(text: str) -> str:
    """Return what follows a sign that says that a value is equal, or nearly so: ``≈ 0.75``."""
    sign = _EQUALS.match(text)
    return text[sign.end() :] if sign else text


def read_number(text: str) -> Numeral | None:
    """Return the number that `text` is, or None if it is anything else."""
    if len(text) > MAX_CHARS:
        return None
    match = _NUMBER.fullmatch(plain_signs(text.strip()))
    if match is None or not (match[2] or match[4]):
        return None
    power = next(filter(None, match.groups()[4:]), "0").translate(SUPERSCRIPTS)
    if len(power) > 5 or abs(int(power)) > MAX_EXPONENT:
        return None
    places = match[4] or ""
    digits = re.sub(r"\D", "", match[2], flags=re.ASCII) + places
    exponent = int(power) - len(places)
    value = int(digits) * _power_of_ten(exponent)
    if match[1] == "-" and not value:
        return None
    shown = digits.lstrip("0") or "0"
    zeros = 0 if places or not value else len(shown) - len(shown.rstrip("0"))
    step = _power_of_ten(exponent + zeros)
    return Numeral(-value if match[1] == "-" else value, step, len(shown))


@cache
def _power_of_ten(exponent: int) -> Fraction:
    return Fraction(10) ** exponent  # exponents are bounded, so that few are kept


def place_value(value: Fraction, digits: int) -> Fraction:
    """Return the place value of the last of the first `digits` significant digits of `value`."""
    if not value:
        return Fraction(0)
    size = abs(value)
    place = len(str(size.numerator)) - len(str(size.denominator))
    if size < _power_of_ten(place):
        place -= 1
    return _power_of_ten(place - digits + 1)


def agrees(given: Numeral, right: Fraction, unit: Fraction) -> bool:
    """Return whether `given` is `right`, rounded to the place that it shows.

    Args:
        unit: the place value that an answer has to show at least. A number that shows fewer digits
            is taken for one that leaves out zeros: 0.98 is 0.980.
    """
    finest = max(given.step, place_value(right, SHOWN_DIGITS))
    return abs(given.value - right) <= min(unit, finest) / 2


def plain(value: Fraction) -> str:
    """Write a number as an integer, a decimal or, where it has no end, a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    twos = (value.denominator & -value.denominator).bit_length() - 1
    fives, rest = 0, value.denominator >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        return str(value)
    places = max(twos, fives)
    digits = f"{abs(value.numerator * 10**places // value.denominator):0{places + 1}d}"
    return f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}"


def reference_value(entry: Entry) -> Fraction | None:
    """Return the value of a reference answer that is a number, None for any other one."""
    return _value(str(entry["answer"]).strip())


@lru_cache(maxsize=256)
def _value(reference: str) -> Fraction | None:
    """Return the value of a trusted text; answers to one problem come in groups."""
    try:
        return Fraction(reference)
    except (ValueError, ZeroDivisionError):
        return None


_INTEGER = re.compile(r"0|-?[1-9]\d{0,14}", re.ASCII)
_DECIMAL = re.compile(r"([-+]?)(0|[1-9]\d{0,29}|(?=\.))(?:\.(\d{1,30}))?", re.ASCII)


def item_number(text: str) -> str | None:
    """Return a number without needless signs and zeros, or None.

    It has no exponent, and no thousands separators, because a comma separates items. A list has
    thousands of numbers, so this takes a microsecond where `read_number` takes thirty.
    """
    if _INTEGER.fullmatch(text):
        return text
    match = _DECIMAL.fullmatch(plain_signs(text))
    if match is None:
        return None
    places = (match[3] or "").rstrip("0")
    size = f"{match[2] or 0}.{places}" if places else match[2] or "0"
    return f"-{size}" if match[1] == "-" and size != "0" else size
