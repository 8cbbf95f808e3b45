"""Reach a target with given numbers, each used once."""

import re
from itertools import product
from random import Random
from typing import Any

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, integers_in, moving, question_numbers
from rgenv.tasks.answers.expressions import Arithmetic
from rgenv.tasks.formulas import Formula, makes_target, random_formula
from rgenv.tasks.safe_parse import ARITHMETIC, parser


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a formula that makes the target and uses each given number once.

    The library gives 1.0 to a formula that multiplies the numbers by 0 and adds the length of a
    string.
    """
    return makes_target(answer, entry["metadata"]["numbers"], entry["metadata"]["target"])


MAX_NUMBERS = 10
"""Numbers between which the rule tries signs."""


def shortcuts(question: str) -> Answers:
    """Put a plus or a minus before each number."""
    listed = re.findall(r"\d+(?:, \d+)+", question)[0]
    numbers, [target, *_] = integers_in(listed), integers_in(question.replace(listed, ""))
    if len(numbers) > MAX_NUMBERS:
        return {}
    for signs in product((1, -1), repeat=len(numbers)):
        terms = [sign * number for sign, number in zip(signs, numbers, strict=True)]
        if sum(terms) == target:
            return {"signs alone": "".join(f"{term:+}" for term in terms)}  # .39 to .47
    return {}


def candidate(dataset: Any, rng: Random, num_terms: int) -> tuple[Formula, list[int], Any, str]:
    """Return a random formula, its numbers and symbols, and its text if its value may be a target.

    It replaces a function of the library, and draws as that does.
    """
    formula, numbers, symbols = random_formula(dataset, rng, num_terms)
    text = ""
    if dataset.config.min_target <= int(formula.value) <= dataset.config.max_target:
        text = re.sub(r"x(\d+)", lambda name: str(numbers[int(name[1])]), str(formula))
    return formula, numbers, symbols, text


TASK = Task(
    answer=Arithmetic(),
    also_right="any formula of all the numbers that has the value",
    verify=verify,
    guarded={"parse_expr": parser(ARITHMETIC)},
    shortcuts=shortcuts,
    family=question_numbers,
    # With the curriculum's narrow ranges of targets and numbers, most seeds have no expression,
    # so the ranges are wide here, and the count of numbers grows. Of fewer than four numbers,
    # most targets need signs alone.
    levels=moving(
        numbers=[(4, 4), (4, 5), (5, 6), (6, 7), (7, 8)],
        min_value=[1],
        max_value=[12, 20, 40, 70, 100],
        target=[(5, 60), (10, 100), (20, 200), (50, 500), (100, 999)],
    ),
    faster={"games.countdown:CountdownDataset:_generate_candidate_expression": candidate},
)
