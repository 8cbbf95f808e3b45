"""Calculate with decimal numbers, to some digits."""

import re
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal

from rgenv.tasks import Entry, Number, Task, changed, moving, obeys, question_numbers, random_of
from rgenv.tasks.exact_numbers import bracketed, exact_value

FEWEST_TERMS = 4
"""The fewest terms of a hardened expression, where they are allowed."""


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


def harden(entry: Entry) -> Entry | None:
    """Draw brackets that matter: without them, .64 of the library's are right, .00 of these."""
    rng, meta = random_of(entry), entry["metadata"]
    terms = max(FEWEST_TERMS if obeys(entry, terms=FEWEST_TERMS) else 1, meta["num_terms"])

    def number(_dividend: str) -> str:
        places = rng.randint(*meta["difficulty"]["decimal_places"])
        return f"{rng.uniform(1, 10):.{places}f}"

    expression = bracketed(rng, terms, "+-*/", number)
    if expression is None:
        return None
    head = entry["question"].rpartition("\n")[0]
    question = f"{head}\n{expression.replace(' ', '')} = ?"
    return correct(changed(entry, question, "0", num_terms=terms))


TASK = Task(
    answer=Number(),
    correct=correct,
    harden=harden,
    family=question_numbers,
    levels=moving(terms=[(2, 4), (4, 5), (5, 7), (7, 8), (9, 10)]),
)
