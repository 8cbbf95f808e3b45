"""Calculate an expression with brackets."""

from __future__ import annotations

import math

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
    found = numbers_in(question.split("\n", 1)[0])
    values = {"the first number": found[0], "the last number": found[-1]}  # .07 .07
    if len(found) > 2:  # with two numbers, the only operation is the problem
        values |= {
            "add all": sum(found),  # .09
            "multiply all": math.prod(found[:8]),  # .13
            "subtract all": 2 * found[0] - sum(found),  # .08
        }
    return {name: number_shown(value) for name, value in values.items()}


def common_divisors(a: int, b: int) -> list[int]:
    """Return the divisors that two numbers have in common: 1 and the largest, then the next two."""
    greatest = math.gcd(a, b)
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
