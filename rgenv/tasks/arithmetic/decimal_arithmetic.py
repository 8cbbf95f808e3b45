"""Calculate with decimal numbers, to some digits."""

import re
from decimal import Decimal

from rgenv.tasks import Entry, Task, moving, question_numbers
from rgenv.tasks.answers.numbers import DecimalNumber
from rgenv.tasks.exact_numbers import decimal_context, exact_value


def correct(entry: Entry) -> Entry | None:
    """Round once, at the end; the library rounds at every step."""
    line = entry["question"].split("\n")[-1]
    digits = int(re.findall(r"maximum of (\d+) significant digits", entry["question"])[0])
    try:
        value = exact_value(line.removesuffix("= ?"))
    except ZeroDivisionError:
        return None
    rounded = decimal_context(digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    return entry if rounded == Decimal(entry["answer"]) else {**entry, "answer": f"{rounded:f}"}


TASK = Task(
    answer=DecimalNumber(),
    correct=correct,
    family=question_numbers,
    # With two terms, the sum of all is right in half of the problems.
    levels=moving(terms=[(3, 4), (5, 5), (6, 7), (8, 8), (9, 10)]),
)
