"""Integers and decimals, with the unit or the name of the variable that a question uses.

1,134   5.0   +5   −5   1.134e3     the number, wherever a number is asked for
289.0°   120 legs                   where the question itself writes the unit, perhaps in \\text{}
x = 5                               where x is the one unknown
"""

import re
from fractions import Fraction

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.notation import MAX_CHARS, plain, read_number, reference_value
from rgenv.tasks.entry import Entry

DEGREES = r"(?:°|\^\\circ|\^\{\\circ\}|\\degree|\s+degrees?)"
"""Pattern of the unit of an angle."""


class Number(Answer):
    """A number that has to be exact, in any notation.

    Args:
        unit: pattern of what may follow the number, in any case.
    """

    name = "number"
    longest = MAX_CHARS

    def __init__(self, unit: str = "") -> None:
        self.unit = unit
        units = rf"(?:{unit}|\\text\{{\s*(?:{unit})\s*\}})"
        try:
            re.compile(unit)
        except re.error as error:
            raise ValueError(f"unit={unit!r} is not a regular expression: {error}") from None
        self._with_unit = re.compile(rf"(.{{1,{MAX_CHARS}}}?)\s*{units}", re.I) if unit else None

    def read(self, text: str, entry: Entry) -> str | None:
        if (given := self._value(text)) is None:
            return None
        reference, expected = str(entry["answer"]), reference_value(entry)
        if expected is None:  # a user's own may have the unit
            expected = self._value(reference)
        return reference if given == expected else plain(given)

    def _value(self, text: str) -> Fraction | None:
        if self._with_unit and (match := self._with_unit.fullmatch(text)):
            text = match[1]
        number = read_number(text)
        return None if number is None else number.value


def without_name(text: str, name: str) -> str:
    """Return what follows ``name =`` or ``name:`` at the start of `text`, or `text` itself."""
    left, sign, right = text.partition("=" if "=" in text else ":")
    return right if name and sign and left.strip() == name else text
