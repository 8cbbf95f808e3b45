"""Reach a target with given numbers, each used once."""

import re
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


MAX_SUM = 5_000
"""Sums of numbers are followed up to this size."""


def shortcuts(question: str) -> Answers:
    """Add and subtract all numbers, or multiply them."""
    text = question.split("\n", 1)[0]
    numbers = integers_in(text)
    target = numbers.pop(0 if text.startswith(("Calculate", "Find")) else -1)
    answers = {"multiply all": " * ".join(map(str, numbers))}  # .03
    signed = {0: ""}
    for number in numbers[:12]:
        signed = {
            value + step: f"{text} {sign} {number}"
            for value, text in signed.items()
            for step, sign in ((-number, "-"), (number, "+"))
            if abs(value) < MAX_SUM
        }
    if target in signed:
        answers["add and subtract all"] = signed[target].strip().removeprefix("+ ")  # .43
    return answers


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
    verify=verify,
    guarded={"parse_expr": parser(ARITHMETIC)},
    shortcuts=shortcuts,
    kept={"add and subtract all": 0.12},
    family=question_numbers,
    slow=True,
    # With the curriculum's narrow ranges of targets and numbers, most seeds have no expression,
    # so the ranges are wide here, and the count of numbers grows. Of fewer than four numbers,
    # most targets are sums.
    levels=moving(
        numbers=[(4, 4), (4, 5), (5, 6), (6, 7), (7, 8)],
        min_value=[1],
        max_value=[12, 20, 40, 70, 100],
        target=[(5, 60), (10, 100), (20, 200), (50, 500), (100, 999)],
    ),
    faster={"games.countdown:CountdownDataset:_generate_candidate_expression": candidate},
)
