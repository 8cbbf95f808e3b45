"""Calculate with decimal numbers, to some digits."""

import re
from decimal import Decimal
from random import Random

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of
from rgenv.tasks.answers.numbers import DecimalNumber
from rgenv.tasks.exact_numbers import decimal_context, exact_value

FEWEST = 4
"""Numbers. With fewer, either the brackets or the order of operations often make no difference."""


def correct(entry: Entry) -> Entry | None:
    """Replace signs and brackets by some that matter; None if a divisor is zero.

    Without their brackets, half of the library's expressions have the same value, and the library
    rounds at every step instead of at the end.
    """
    rng, (head, _, line) = random_of(entry), entry["question"].rpartition("\n")
    digits = int(re.findall(r"maximum of (\d+) significant digits", head)[0])
    numbers = re.findall(r"[\d.]+", line)
    places = len(numbers[0].partition(".")[2])
    numbers += [f"{rng.uniform(1, 10):.{places}f}" for _ in range(FEWEST - len(numbers))]
    expression = _sum(rng, numbers)
    try:
        value = exact_value(expression)
    except ZeroDivisionError:
        return None
    rounded = decimal_context(digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    question = f"{head}\n{expression} = ?"
    return changed(entry, question, f"{rounded:f}", num_terms=len(numbers))


def _sum(rng: Random, numbers: list[str]) -> str:
    """Return a number, or a sum or difference of two products; a long one ends with a long one."""
    if len(numbers) == 1:
        return numbers[0]
    first = rng.randrange(1, max(2, len(numbers) - 2))
    return f"{_product(rng, numbers[:first])}{rng.choice('+-')}{_product(rng, numbers[first:])}"


def _product(rng: Random, numbers: list[str]) -> str:
    """Return a number, or a product or quotient of sums in brackets."""
    if len(numbers) == 1:
        return numbers[0]
    first = max(rng.choices(range(1, len(numbers)), k=3))  # else right to left would often be right
    parts = numbers[:first], numbers[first:]
    one, other = (f"({_sum(rng, part)})" if part[1:] else part[0] for part in parts)
    return one + rng.choice("*/") + other


TASK = Task(
    answer=DecimalNumber(),
    correct=correct,
    family=question_numbers,
    levels=moving(terms=[(4, 4), (5, 5), (6, 7), (8, 8), (9, 10)]),
)
