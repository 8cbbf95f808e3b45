"""Add and subtract decimal numbers."""

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from rgenv.tasks import Entry, Number, Task, moving, question_numbers
from rgenv.tasks.exact_numbers import exact_value


def correct(entry: Entry) -> Entry | None:
    """Sum all digits; the library uses the decimal precision that another task left behind."""
    value = exact_value(re.findall(r": (.*) =$", entry["question"])[0])
    if value == Fraction(entry["answer"]):
        return entry
    places = max(len(part) for part in re.findall(r"\.(\d+)", entry["question"]))
    scaled = Decimal((value * 10**places).numerator)
    context = Context(prec=60, rounding=ROUND_HALF_UP)
    return {**entry, "answer": f"{scaled.scaleb(-places, context):f}"}


TASK = Task(
    answer=Number(),
    correct=correct,
    family=question_numbers,
    # With two or three terms, the sum of all is right too often, whatever the signs.
    levels=moving(terms=[(4, 4), (5, 5), (6, 7), (8, 9), (10, 10)]),
)
