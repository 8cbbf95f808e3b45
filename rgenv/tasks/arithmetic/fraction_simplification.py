"""Reduce a fraction to its lowest terms."""

import re

from rgenv.tasks import Answers, Task, exact, moving, question_numbers
from rgenv.tasks.answers.fractions import ReducedFraction


def shortcuts(question: str) -> Answers:
    """Divide once by a small number."""
    match = re.search(r"\$?\\?\w*\{?(\d+)(?:\}\{|/)(\d+)\}?\$?", question)
    if match is None:
        return {}
    whole, above, below = match[0], match[1], match[2]
    answers = {}
    for divisor in (2, 3, 5):  # .08 .06 .08
        if int(above) % divisor == int(below) % divisor == 0:
            halved = whole.replace(below, str(int(below) // divisor))
            halved = halved.replace(above, str(int(above) // divisor), 1)
            answers[f"divide once by {divisor}"] = halved
    return answers


TASK = Task(
    answer=ReducedFraction(),
    verify=exact,
    shortcuts=shortcuts,
    family=question_numbers,
    # By nature, to divide by primes up to 13 solves a third of the problems, a tenth at level 1.
    levels=moving(
        factor=[(2, 9), (3, 32), (10, 100), (30, 300), (100, 1000)],
        value=[(2, 40), (8, 120), (60, 900), (400, 6000), (3000, 40000)],
    ),
)
