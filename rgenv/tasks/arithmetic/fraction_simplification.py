"""Reduce a fraction to its lowest terms."""

import math
import re

from rgenv.tasks import Entry, Task, changed, moving, question_numbers
from rgenv.tasks.answers.fractions import ReducedFraction


def correct(entry: Entry) -> Entry | None:
    """Reduce fully what the library leaves as it is, since few fractions keep to its bounds.

    None if the value is 1: the library wants 1/1, and the question does not say so.
    """
    meta = entry["metadata"]
    above, below = meta["simplified_numerator"], meta["simplified_denominator"]
    if above == below:
        return None
    common = math.gcd(above, below)
    reduced = {"simplified_numerator": above // common, "simplified_denominator": below // common}
    numbers = map(str, reduced.values())
    answer = re.sub(r"\d+", lambda _: next(numbers), entry["answer"])
    return changed(entry, entry["question"], answer, **reduced)


TASK = Task(
    answer=ReducedFraction(),
    also_right="other notations of the reduced fraction",
    correct=correct,
    family=question_numbers,
    levels=moving(
        factor=[(2, 9), (3, 32), (10, 100), (30, 300), (100, 1000)],
        value=[(2, 40), (8, 120), (60, 900), (400, 6000), (3000, 40000)],
    ),
)
