"""Calculate an expression with brackets."""

from __future__ import annotations

import math
from math import gcd

import sympy

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.entry import Entry
from rgenv.tasks.exact_numbers import exact_value
from rgenv.tasks.questions import number_shown, numbers_in
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import exact


def correct(entry: Entry) -> Entry | None:
    """Divide exactly; None if the result is a fraction, as the question names no format for it."""
    try:
        value = exact_value(entry["metadata"]["expression"])
    except ZeroDivisionError:
        return None
    return {**entry, "answer": str(value)} if value.denominator == 1 else None


def shortcuts(question: str) -> Answers:
    """Calculate with one operation only, or answer with a number."""
    expression = question.split("\n", 1)[0]
    found = numbers_in(expression)
    answers = {
        "the first number": number_shown(found[0]),  # .07
        "the last number": number_shown(found[-1]),  # .07
    }
    # With two numbers, the only operation is the problem.
    if len(found) > 2:
        answers["add all"] = number_shown(sum(found))  # .09
        answers["multiply all"] = number_shown(math.prod(found[:8]))  # .13
        answers["subtract all"] = number_shown(2 * found[0] - sum(found))  # .08
    return answers


def common_divisors(a: int, b: int) -> list[int]:
    """Return the divisors that two numbers have in common: 1 and the largest, then the next two."""
    greatest = gcd(a, b)
    divisors = sympy.divisors(greatest) if greatest else []
    pairs = ((small, greatest // small) for small in divisors if small**2 <= greatest)
    return [divisor for pair in pairs for divisor in dict.fromkeys(pair)]


TASK = Task(
    answer=Number(),
    correct=correct,
    verify=exact,
    shortcuts=shortcuts,
    family=question_numbers,
    # The product of two numbers is right in one problem of four, whatever the operation.
    levels=Levels(knots={"min_terms": [3, 4, 5, 6, 7], "max_terms": [3, 4, 5, 6, 7]}),
    faster={"arithmetic.basic_arithmetic:find_common_divisors": common_divisors},
)
