"""Fractions and probabilities.

2/3   \\frac{2}{3}   -\\dfrac{2}{3}      a fraction
0.887   88.67%                        a probability
"""

import re

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.notation import (
    MAX_CHARS,
    Numeral,
    plain_signs,
    read_number,
    without_equals,
)
from rgenv.tasks.entry import Entry

_COMMAND = re.compile(r"([-+]?)\s*\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SLASH = re.compile(r"([-+]?)([^/⁄]*)[/⁄]([^/⁄]*)")
_PERCENT = re.compile(r"(.*?)\s*(?:\\?%|percent)", re.I | re.DOTALL)


def read_fraction(text: str) -> tuple[int, int] | None:
    """Return numerator and denominator as they are written, or None if `text` is not a fraction."""
    plainly = plain_signs(text.strip())
    match = _COMMAND.fullmatch(plainly) or _SLASH.fullmatch(plainly)
    if match is None:
        return None
    parts = [read_number(match[2]), read_number(match[3])]
    if match[1] and match[2].strip()[:1] in ("-", "+"):
        return None
    whole = [part.value for part in parts if part is not None and part.value.denominator == 1]
    if len(whole) != 2 or whole[1] <= 0 or match[3].strip()[0] in "-+":
        return None
    numerator = int(whole[0])
    return (-numerator if match[1] == "-" else numerator), int(whole[1])


def read_probability(text: str) -> Numeral | None:
    """Return the number that a decimal or a percentage is; None if it is neither."""
    text = without_equals(text.strip())
    match = _PERCENT.fullmatch(text)
    given = read_number(match[1] if match else text)
    if given is None or match is None:
        return given
    return Numeral(given.value / 100, given.step / 100, given.digits)


class ReducedFraction(Answer):
    """A fraction in lowest terms, in any notation. A fraction that is not reduced is another.

    Some reference answers stand between dollar signs, so these are not a wrapper here.
    """

    name = "number"
    longest = 2 * MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        reference = str(entry["answer"])
        given, right = (read_fraction(each.strip().strip("$")) for each in (text, reference))
        if given is None or text.count("$") not in (0, 2):
            return None
        return reference if given == right else f"{given[0]}/{given[1]}"
