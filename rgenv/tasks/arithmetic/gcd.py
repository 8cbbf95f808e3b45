"""Find the greatest common divisor of numbers."""

import math
from random import Random

from rgenv.tasks import Answers, Entry, Number, Task, integers_in, moving, question_numbers
from rgenv.tasks.rewriting import changed, random_of

COPRIME_SHARE = 0.35
"""The share of numbers without a common divisor."""
SMOOTH_SHARE = 0.2
"""The share of the common divisors, 1 left out, that small primes make up. They are found by
dividing by small primes until that is no longer possible."""
SMALL_PRIMES = 2 * 3 * 5 * 7
LEAST_QUOTIENT, USUAL = 8, 100
"""The largest number is at least so many times the divisor; a divisor is usually below the other,
and larger only where numbers are much larger."""
MAX_TRIES = 100


def correct(entry: Entry) -> Entry:
    """Replace the numbers; which small primes divide all of them says little of the answer.

    Most common divisors of the library's numbers are 1, 2, 3 or 4.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    low, high = meta["difficulty"]["value"]
    divisor = 1 if rng.random() < COPRIME_SHARE else _divisor(rng, high)
    for _ in range(MAX_TRIES):
        quotients = (-(-low // divisor), high // divisor)
        numbers = [divisor * rng.randint(*quotients) for _ in meta["numbers"]]
        if math.gcd(*numbers) == divisor and len(set(numbers)) == len(numbers):
            break
    else:
        return entry
    old, new = (", ".join(map(str, values)) for values in (meta["numbers"], numbers))
    question = entry["question"].replace(f": {old}. Give", f": {new}. Give")
    return changed(entry, question, str(divisor), numbers=numbers, result=divisor)


def _divisor(rng: Random, largest: int) -> int:
    most = min(largest // LEAST_QUOTIENT, max(USUAL, math.isqrt(largest) // 4))
    smooth, others = list[int](), list[int]()
    for number in range(2, most + 1):
        is_smooth = SMALL_PRIMES ** number.bit_length() % number == 0
        (smooth if is_smooth else others).append(number)
    return rng.choice((smooth if rng.random() < SMOOTH_SHARE or not others else others) or [1])


def shortcuts(question: str) -> Answers:
    found = [abs(value) for value in integers_in(question.split(": ", 1)[1])]
    smallest, second, *_ = sorted(found)
    return {
        "the smallest number": str(smallest),  # .12
        "the difference of the two smallest": str(second - smallest),  # .14
        "half of the smallest number": str(smallest // 2),  # .07
    }


TASK = Task(
    answer=Number(),
    correct=correct,
    labels={"1": 0.3},
    shortcuts=shortcuts,
    family=question_numbers,
    # Of three numbers or more, most have the divisor 1, so there are two, and their size gives
    # the steps of Euclid's algorithm.
    levels=moving(
        numbers=[(2, 2)],
        value=[(60, 600), (200, 3000), (4000, 60000), (80000, 1200000), (2000000, 40000000)],
    ),
    accepted={"shortcut": "the answer is computed from the last digits and sizes of two numbers"},
)
