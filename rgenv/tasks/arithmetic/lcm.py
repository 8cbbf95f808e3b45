"""Find the least common multiple of numbers."""

import math

from rgenv.tasks import Answers, Number, Task, integers_in, moving, question_numbers

_PARTS = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth"}


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
    shortcuts=shortcuts,
    family=question_numbers,
    # More numbers are more work; larger ones are not much. With two numbers, the multiple is
    # the product divided by a small number, which can be guessed.
    levels=moving(
        numbers=[(3, 3), (3, 4), (4, 5), (5, 6), (6, 8)],
        value=[(6, 36), (8, 48), (10, 60), (12, 80), (15, 100)],
    ),
)
