"""Calculate an expression with brackets."""

import math
from random import Random

import sympy

from rgenv.tasks import Entry, Number, Task, changed, moving, question_numbers, random_of
from rgenv.tasks.exact_numbers import exact_value

FEWEST_TERMS = 4
"""With three, either the brackets or the order of operations can matter, but not both."""
LARGEST_QUOTIENT = 30


def correct(entry: Entry) -> Entry | None:
    """Replace the expression by one in which the brackets and the order of operations matter.

    Without its brackets, or from left to right, most of the library's have the same value. Some
    have a fraction for a value, and the question names no format for it.
    """
    meta, config = entry["metadata"], entry.get("config", {})
    if "operators" in config or not config.get("allow_parentheses", True):
        exact = exact_value(meta["expression"])
        return {**entry, "answer": str(exact)} if exact.denominator == 1 else None
    terms = max(FEWEST_TERMS, meta["num_terms"])
    expression, value = _sum(random_of(entry), terms, 10 ** meta["num_digits"] - 1)
    if " " not in meta["expression"]:
        expression = expression.replace(" ", "")
    question = entry["question"].replace(meta["expression"], expression)
    return changed(entry, question, str(value), expression=expression, num_terms=terms)


def _sum(rng: Random, terms: int, largest: int) -> tuple[str, int]:
    """Return a number or a sum of two products, and its value; a long sum ends with a long one."""
    if terms == 1:
        number = rng.choice((-1, 1)) * rng.randint(1, largest)
        return str(number), number
    first = rng.randrange(1, max(2, terms - 2))
    one, left = _product(rng, first, largest)
    other, right = _product(rng, terms - first, largest)
    if rng.random() < 0.5:
        return f"{one} + {other}", left + right
    return f"{one} - {other}", left - right


def _product(rng: Random, terms: int, largest: int) -> tuple[str, int]:
    """Return a number, a product or a quotient of sums in brackets, and its value."""
    if terms == 1:
        return _sum(rng, terms, largest)
    first = max(rng.choices(range(1, terms), k=3))  # else right to left would often be right
    other, right = _sum(rng, terms - first, largest)
    if right and rng.random() < 0.5:
        sign, value = "/", rng.choice((-1, 1)) * rng.randint(2, LARGEST_QUOTIENT)
        start, left = _sum(rng, first - 1, largest) if first > 1 else ("", 0)
        one = f"{start} + {value * right - left}".removeprefix(" + ")
    else:
        sign = "*"
        one, left = _sum(rng, first, largest)
        value = left * right
    one, other = (f"( {each} )" if " " in each else each for each in (one, other))
    return f"{one} {sign} {other}", value


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
    levels=moving(terms=[(4, 4), (5, 5), (6, 6), (7, 7), (8, 8)]),
    faster={"arithmetic.basic_arithmetic:find_common_divisors": common_divisors},
)
