"""Find the least common multiple of numbers."""

import math

from rgenv.tasks import Answers, Entry, Number, Task, integers_in, moving, question_numbers
from rgenv.tasks.rewriting import changed, random_of, replaced

LEAST_NUMBERS, SMALL = 3, 8
"""The numbers of a problem, at least, and the part of the range below which they are small.

Of two numbers, the multiple is often the product divided by the difference, or by a small number.
"""


def correct(entry: Entry) -> Entry:
    """Replace two numbers by three of the same range, the small ones left out."""
    meta = entry["metadata"]
    if len(meta["numbers"]) >= LEAST_NUMBERS:
        return entry
    low, high = meta["difficulty"]["value"]
    rng = random_of(entry)
    numbers = [rng.randint(max(low, high // SMALL), high) for _ in range(LEAST_NUMBERS)]
    old, new = (", ".join(map(str, values)) for values in (meta["numbers"], numbers))
    answer = math.lcm(*numbers)
    question = replaced(entry["question"], f": {old}", f": {new}")
    return changed(entry, question, str(answer), numbers=numbers, result=answer)


_PARTS = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth"}


def shortcuts(question: str) -> Answers:
    """Answer with the product, a part of it, or the largest number."""
    found = [abs(value) for value in integers_in(question.split(": ", 1)[1])]
    product, largest = math.prod(found), max(found)
    multiples = {
        "the product": product,  # .22
        "half of the product": product // 2,  # .29
        **{f"a {name} of the product": product // n for n, name in _PARTS.items()},  # .13 to .05
        "the product of the last two": math.prod(found[-2:]),  # .22
        "the product of the first two": math.prod(found[:2]),  # .22
        "the product of the first and the last": found[0] * found[-1],  # .22
        "of the two largest numbers": math.lcm(*sorted(found)[-2:]) if found[2:] else "",  # .27
        "the largest number": largest,  # .15
        "twice the largest number": 2 * largest,  # .06
    }
    return {name: str(value) for name, value in multiples.items()}


TASK = Task(
    answer=Number(),
    correct=correct,
    shortcuts=shortcuts,
    family=question_numbers,
    # More numbers are more work; larger ones are not much.
    levels=moving(
        numbers=[(3, 3), (3, 4), (4, 5), (5, 6), (6, 8)],
        value=[(6, 36), (8, 48), (10, 60), (12, 80), (15, 100)],
    ),
)
