"""Find the probability of a number of heads."""

from __future__ import annotations

import math
import random
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from rgenv.tasks.answers.fractions import fraction_forms, read_fraction, read_probability
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import agrees, place_value, plain
from rgenv.tasks.entry import Entry
from rgenv.tasks.limits import bounded_int, max_digits
from rgenv.tasks.questions import integers_in
from rgenv.tasks.record import Answers, Levels, Limit, Task
from rgenv.tasks.verifying import exact as exact_

_SHOWN_DIGITS = 3
"""Significant digits that a rounded probability has to show."""
_WRITTEN_DIGITS = (3, 4, 5)


def _asked(question: str) -> Fraction | None:
    """Return the probability that a question asks for; reference answers are rounded."""
    asked = re.search(r"(exactly|at least) (\d+) heads in (\d+) fair", question)
    if not asked:
        return None
    wanted, flips = int(asked[2]), int(asked[3])
    counts = [wanted] if asked[1] == "exactly" else range(wanted, flips + 1)
    return Fraction(sum(math.comb(flips, count) for count in counts), 2**flips)


def _rounded(value: Decimal, digits: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), ROUND_HALF_UP)


class Chance(Answer):
    """A probability: ``227/256``, or ``0.887`` or ``88.67%`` with three digits or more."""

    name = "number"
    has_wrappers = True

    def read(self, text: str, entry: Entry) -> str | None:
        right = _asked(str(entry["question"])) or Fraction(str(entry["answer"]))
        fraction = read_fraction(text)
        given = read_probability(text) if fraction is None else None
        if fraction is not None:
            value = Fraction(*fraction)
            same = value == right
        elif given is not None:
            value = given.value
            rounded = given.digits >= _SHOWN_DIGITS and agrees(
                given, right, place_value(right, _SHOWN_DIGITS)
            )
            same = value == right or rounded
        else:
            return None
        return str(entry["answer"]) if same else plain(value)

    def forms(self, reference: str, question: str) -> Forms:
        value = Decimal(reference)
        percent = {digits: f"{_rounded(value * 100, digits):f}" for digits in _WRITTEN_DIGITS}
        forms = {f"percent, {digits} digits": f"{text}%" for digits, text in percent.items()}
        forms |= {
            "percent after a space": f"{percent[4]} %",
            "percent in LaTeX": f"{percent[4]}\\%",
        }
        forms |= {
            f"{digits} significant digits": f"{_rounded(value, digits):f}"
            for digits in _WRITTEN_DIGITS
        }
        forms["no zero in front"] = f"{_rounded(value, 4):f}".removeprefix("0")
        exact = _asked(question)
        is_exact = exact is not None and math.isclose(exact, value, rel_tol=1e-6)
        shown = exact if exact is not None and is_exact else Fraction(value)
        return forms | fraction_forms(shown.numerator, shown.denominator)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = Decimal(reference)
        step = Decimal(1).scaleb(value.adjusted() - 1)
        changes = {
            "smaller": f"{value - step * rng.randint(10, 30) / 10:f}",
            "third digit": f"{value + rng.randint(2, 9) * step / 10:f}",
            "half": f"{value / 2:f}",
            "ten times": f"{value / 10:f}",
        }
        return changes | ({} if value == Decimal("0.5") else {"complement": f"{1 - value:f}"})


CERTAIN = 0.9995
"""From this probability on, it rounds to one at three decimals."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the probability is one, or rounds to one.

    The library asks for at least 0 heads, for example. Three decimals of such an answer say
    nothing.
    """
    return entry if float(entry["answer"]) < CERTAIN else None


def _max_decimal_exponent(limit: int) -> Limit:
    """Refuse numbers such as 1e999999999, all of whose digits ``Fraction`` writes out."""
    exponent = re.compile(r"[eE][-+]?([\d_]+)")

    def rule(answer: str) -> str | None:
        sizes = (bounded_int(match[1]) for match in exponent.finditer(answer))
        return "too large a decimal exponent" if any(size > limit for size in sizes) else None

    return rule


def shortcuts(question: str) -> Answers:
    """Answer with a half, or with the share of one outcome."""
    flips = integers_in(question)[1]
    return {
        "a half": "0.5",  # .04
        "one outcome": repr(0.5**flips),  # .18
        "all but one outcome": repr(1 - 0.5**flips),  # .06
        "one kind of outcome": repr(flips * 0.5**flips),  # .14
    }


def family(entry: Entry) -> object:
    """Keep number of flips, and of the rarer side; ignore heads and tails, exactly and at least."""
    some, flips = map(int, re.findall(r"\d+", entry["question"]))
    return flips, min(some, flips - some)


TASK = Task(
    answer=Chance(),
    correct=correct,
    verify=exact_,
    clarify=(("", "Answer with a fraction, or with at least three significant digits."),),
    limits=(max_digits(300), _max_decimal_exponent(300)),
    shortcuts=shortcuts,
    several_answers=True,
    family=family,
    # The easiest level asks for exact numbers of heads only; the number of trials makes
    # problems differ.
    levels=Levels(
        knots={
            "min_trials": [5, 8, 14, 20, 28],
            "max_trials": [22, 22, 28, 36, 44],
            "allow_at_least": [False, True, True, True, True],
            "allow_exact": [True, True, True, True, False],
        }
    ),
    accepted={"tell": "the answer is computed from two numbers in the question"},
)
