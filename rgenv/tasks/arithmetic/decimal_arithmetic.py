"""Calculate with decimal numbers, to some digits."""

import re
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal

from rgenv.tasks import Entry, Task, moving, question_numbers
from rgenv.tasks.answers.numbers import DecimalNumber
from rgenv.tasks.exact_numbers import exact_value


def correct(entry: Entry) -> Entry | None:
    """Round once, at the end: the library rounds at every step.

    None if a negative value lies in the middle between two: which one is "up" is not said.
    """
    head, _, line = entry["question"].rpartition("\n")
    digits = int(re.findall(r"maximum of (\d+) significant digits", head)[0])
    value = exact_value(line.removesuffix("= ?"))
    up, down = (
        Context(prec=digits, rounding=way).divide(value.numerator, value.denominator)
        for way in (ROUND_HALF_UP, ROUND_HALF_DOWN)
    )
    if value < 0 and up != down:
        return None
    return entry if up == Decimal(entry["answer"]) else {**entry, "answer": f"{up:f}"}


TASK = Task(
    answer=DecimalNumber(),
    correct=correct,
    family=question_numbers,
    levels=moving(terms=[(2, 4), (4, 5), (5, 7), (7, 8), (9, 10)]),
)
