"""Pick the largest or smallest of numbers in many formats."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.notation import plain, read_number, reference_value
from rgenv.tasks.answers.numbers import DecimalNumber
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import exact

_FLOAT_ERROR = Fraction(1, 10**15)
"""Relative error of a float that the question shows with 16 digits."""
_SAME = Decimal("0.0005")
"""Candidates have three decimals; floats add an error to some of them."""


def _candidates(question: str) -> list[str]:
    return question.rpartition("candidates:")[2].split()


def _value(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


class Candidate(DecimalNumber):
    """The number that is asked for, or the candidate of the question that shows it.

    A candidate with an exponent shows 16 digits of a float, the reference answer all of them.
    """

    def read(self, text: str, entry: Entry) -> str | None:
        given, right = read_number(text), reference_value(entry)
        if given is None or right is None:
            return None
        if abs(given.value - right) <= abs(right) * _FLOAT_ERROR:
            shown = map(read_number, str(entry["question"]).split())
            if given.value in {right, *(number.value for number in shown if number is not None)}:
                return str(entry["answer"])
        if given.value == round(right, 3):  # without the noise of floats: 4.99 for 4.9899999998
            return str(entry["answer"])
        return plain(given.value)

    def forms(self, reference: str, question: str) -> Forms:
        right = Decimal(reference)
        same = [text for text in _candidates(question) if abs(_value(text) - right) < _SAME]
        forms = {f"candidate {number}": text for number, text in enumerate(same[:3], 1)}
        return forms | super().forms(reference, question)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        right = Decimal(reference)
        values = set(map(_value, _candidates(question)))
        others = sorted(float(value) for value in values if abs(value - right) >= _SAME)
        changes = {"no candidate": f"{float(reference) + 1:.3f}"}
        if others:
            chosen = {"first": others[0], "last": others[-1], "any": rng.choice(others)}
            changes |= {name: str(value) for name, value in chosen.items()}
        return changes


CLEARLY = Fraction(1, 100)
"""Candidates that are nearer to each other are equal to the verifier."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if another candidate is so near to the right one that it is paid."""
    candidates = sorted(Fraction(_value(text)) for text in _candidates(entry["question"]))
    is_largest = "pick the largest number" in entry["question"]
    second, first = candidates[-2:] if is_largest else candidates[1::-1]
    return entry if abs(first - second) > CLEARLY else None


TASK = Task(
    answer=Candidate(),
    correct=correct,
    verify=exact,
    family=question_numbers,
    # The candidates have to differ, so their number grows, and their distance shrinks to what
    # three decimals can show.
    levels=Levels(
        knots={
            "min_num_candidates": [7, 11, 17, 25, 36],
            "max_num_candidates": [10, 16, 24, 34, 48],
            "max_delta": [500.0, 200.0, 100.0, 60.0, 40.0],
            "min_n": [1000, 4000, 20000, 100000, 1000000],
            "max_n": [20000, 60000, 300000, 2000000, 10000000],
        }
    ),
)
