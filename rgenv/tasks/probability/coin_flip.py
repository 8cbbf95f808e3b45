"""Find the probability of a number of heads."""

import math
import re
from fractions import Fraction

from rgenv.tasks import Answer, Answers, Entry, Task, moving
from rgenv.tasks.answers.fractions import read_fraction, read_probability
from rgenv.tasks.answers.notation import MAX_CHARS, agrees, place_value, plain
from rgenv.tasks.limits import bounded_int, max_digits

SHOWN_DIGITS = 4
"""Significant digits that a rounded probability has to show. The normal distribution has three of
them for half of the sums."""


def _flips(question: str) -> tuple[bool, int, int]:
    """Return whether an exact number of heads is asked for, how many heads, and of how many."""
    [(kind, heads, flips)] = re.findall(r"(exactly|at least) (\d+) heads in (\d+) fair", question)
    return kind == "exactly", int(heads), int(flips)


def _asked(question: str) -> Fraction:
    """Return the probability that a question asks for; reference answers are rounded."""
    exactly, heads, flips = _flips(question)
    most = heads if exactly else flips
    return Fraction(sum(math.comb(flips, n) for n in range(heads, most + 1)), 2**flips)


class Chance(Answer):
    """A probability: ``227/256``, or ``0.887`` or ``88.67%`` with three digits or more."""

    name = "number"
    longest = MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        right = _asked(entry["question"])
        if fraction := read_fraction(text):
            value = Fraction(*fraction)
            same = value == right
        elif given := read_probability(text):
            value = given.value
            same = value == right or (
                given.digits >= SHOWN_DIGITS
                and agrees(given, right, place_value(right, SHOWN_DIGITS))
            )
        else:
            return None
        return str(entry["answer"]) if same else plain(value)


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the probability is too small for a float."""
    return entry if float(entry["answer"]) > 0 else None


def _large_exponent(answer: str) -> str | None:
    """Refuse numbers such as 1e999999999, all of whose digits ``Fraction`` writes out."""
    sizes = map(bounded_int, re.findall(r"[eE][-+]?([\d_]+)", answer))
    return "too large a decimal exponent" if any(size > 300 for size in sizes) else None


def shortcuts(question: str) -> Answers:
    """Say that it is certain, rounded to four digits."""
    return {"certain": "1.0000"}  # .26 at level 1


def family(entry: Entry) -> object:
    """Keep the number of flips, and of the rarer side; ignore exactly and at least."""
    _, heads, flips = _flips(entry["question"])
    return flips, min(heads, flips - heads)


TASK = Task(
    answer=Chance(),
    also_right="a fraction, a percentage, four significant digits or more",
    correct=correct,
    clarify=(("", "Answer with a fraction, or with at least four significant digits."),),
    limits=(max_digits(300), _large_exponent),
    shortcuts=shortcuts,
    family=family,
    # The easiest level asks for exact numbers of heads only; the number of trials makes
    # problems differ.
    levels=moving(
        trials=[(5, 22), (8, 22), (14, 28), (20, 36), (28, 44)],
        allow_at_least=[False, True, True, True, True],
        allow_exact=[True, True, True, True, False],
    ),
)
