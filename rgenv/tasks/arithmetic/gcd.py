"""Find the greatest common divisor of numbers."""

import math

from rgenv.tasks import Entry, Number, Task, changed, moving, question_numbers, random_of, replaced

MAX_TRIES = 100


def harden(entry: Entry) -> Entry | None:
    """Replace the numbers: a divisor up to ten is right in .90 of the library's, in .10 of these.

    Two numbers at random seldom have another divisor in common, however large they are. Here the
    divisor is drawn evenly, and is so small that Euclid's algorithm takes as many steps.
    """
    rng, meta = random_of(entry), entry["metadata"]
    low, high = meta["difficulty"]["value"]
    divisor = rng.randint(2, min(high // 8, max(100, math.isqrt(high))))
    for _ in range(MAX_TRIES):
        quotients = -(-low // divisor), high // divisor
        numbers = [divisor * rng.randint(*quotients) for _ in meta["numbers"]]
        if math.gcd(*numbers) == divisor:
            break
    else:
        return None
    old, new = (", ".join(map(str, values)) for values in (meta["numbers"], numbers))
    question = replaced(entry["question"], f": {old}.", f": {new}.")
    return changed(entry, question, str(divisor), numbers=numbers, result=divisor)


TASK = Task(
    answer=Number(),
    harden=harden,
    family=question_numbers,
    # Of three numbers or more, most have the divisor 1, so there are two, and their size gives
    # the steps of Euclid's algorithm.
    levels=moving(
        numbers=[(2, 2)],
        value=[(60, 600), (200, 3000), (4000, 60000), (80000, 1200000), (2000000, 40000000)],
    ),
)
