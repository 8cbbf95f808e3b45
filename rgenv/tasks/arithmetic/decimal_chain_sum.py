"""Add and subtract decimal numbers."""

import re
from decimal import Decimal
from fractions import Fraction

from rgenv.tasks import Entry, Task, moving, question_numbers
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.exact_numbers import decimal_context, exact_value


def correct(entry: Entry) -> Entry | None:
    """Sum all digits; the library uses the decimal precision that another task left behind."""
    value = exact_value(re.findall(r": (.*) =$", entry["question"])[0])
    if value == Fraction(entry["answer"]):
        return entry
    places = max(len(part) for part in re.findall(r"\.(\d+)", entry["question"]))
    scaled = Decimal((value * 10**places).numerator)
    return {**entry, "answer": f"{scaled.scaleb(-places, decimal_context(60)):f}"}


TASK = Task(
    answer=Number(),
    correct=correct,
    family=question_numbers,
    # With two or three terms, the sum of all is right too often, whatever the signs.
    levels=moving(terms=[(4, 4), (5, 5), (6, 7), (8, 9), (10, 10)]),
)
