"""Calculate an expression with brackets."""

import math

import sympy

from rgenv.tasks import Entry, Number, Task, moving, question_numbers
from rgenv.tasks.exact_numbers import exact_value


def correct(entry: Entry) -> Entry | None:
    """Divide exactly; None if the value is a fraction, as the question names no format for it."""
    value = exact_value(entry["metadata"]["expression"])
    return {**entry, "answer": str(value)} if value.denominator == 1 else None


def common_divisors(a: int, b: int) -> list[int]:
    """Return the divisors that two numbers have in common: 1 and the largest, then the next two."""
    greatest = math.gcd(a, b)
    divisors = sympy.divisors(greatest) if greatest else []
    pairs = ((small, greatest // small) for small in divisors if small**2 <= greatest)
    return [divisor for pair in pairs for divisor in dict.fromkeys(pair)]


TASK = Task(
    answer=Number(),
    correct=correct,
    family=question_numbers,
    levels=moving(terms=[(3, 3), (4, 4), (5, 5), (6, 6), (8, 8)]),
    faster={"arithmetic.basic_arithmetic:find_common_divisors": common_divisors},
)
