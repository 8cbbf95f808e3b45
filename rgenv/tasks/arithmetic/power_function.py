"""Raise a number to a power, to three digits."""

import re
from fractions import Fraction

from rgenv.tasks import Answer, Entry, Task, moving, question_numbers
from rgenv.tasks.answers.notation import (
    place_value,
    plain,
    read_number,
    reference_value,
    without_equals,
)


class ThreeFigures(Answer):
    """A number that is right to three significant figures, and as far as it goes."""

    name = "number"

    def read(self, text: str, entry: Entry) -> str | None:
        given = read_number(without_equals(text))
        if given is None:
            return None
        base, exponent = _power(entry["question"])
        right = base**exponent
        third = place_value(right, 3)
        shown = third if given.value % third == 0 else given.step  # -44500.0 is -44500
        is_near = abs(given.value - right) <= min(shown, third) / 2
        same = is_near or given.value == reference_value(entry)
        return str(entry["answer"]) if same else plain(given.value)


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the base is zero, or a float can't hold the power."""
    base, exponent = _power(entry["question"])
    right = base**exponent
    is_near = abs(Fraction(str(entry["answer"])) - right) <= abs(right) / 10**9
    return entry if base and is_near else None


def _power(question: str) -> tuple[Fraction, int]:
    """Return the base, with its sign, and the exponent."""
    base, exponent = re.findall(r"Compute (\S+)\^(-?\d+)\.", question)[0]
    return Fraction(base), int(exponent)


TASK = Task(
    answer=ThreeFigures(),
    also_right="more digits than asked",
    correct=correct,
    clarify=((r"Compute -", "The sign belongs to the base: -3^2 means (-3)^2, which is 9."),),
    family=question_numbers,
    # The curriculum has even exponents only.
    levels=moving(exponent=[(2, 3), (3, 5), (5, 7), (7, 9), (9, 12)]),
)
