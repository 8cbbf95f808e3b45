"""Reach a target with given numbers, each used once."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from rgenv.tasks import (
    Entry,
    LibraryVerifier,
    Task,
    changed,
    moving,
    question_numbers,
    random_of,
    replaced,
)
from rgenv.tasks.answers.expressions import Arithmetic
from rgenv.tasks.exact_numbers import exact_value
from rgenv.tasks.formulas import Formula, makes_target, random_formula
from rgenv.tasks.safe_parse import ARITHMETIC, parser


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a formula that makes the target and uses each given number once.

    The library gives 1.0 to a formula that multiplies the numbers by 0 and adds the length of a
    string.
    """
    return makes_target(answer, entry["metadata"]["numbers"], entry["metadata"]["target"])


LIBRARY_SHARE = 1 / 6
"""The share of the library's own problems, some of which need a division."""
FEWEST = 4
"""The fewest numbers that a sum times a number and another number need."""
MAX_TRIES = 400
_TARGET = re.compile(r"(?<=equals )\d+|(?<=make )\d+|(?<=Calculate )\d+")


def correct(entry: Entry) -> Entry:
    """Replace most targets by that of a sum times a number, beside another product.

    Two of five targets of the library are sums of the given numbers, with signs.
    """
    rng, meta = random_of(entry), entry["metadata"]
    count, difficulty = len(meta["numbers"]), meta["difficulty"]
    low, high = difficulty["target"]
    if count < FEWEST or "operators" in entry.get("config", {}) or rng.random() < LIBRARY_SHARE:
        return entry
    for _ in range(MAX_TRIES):
        numbers = [rng.randint(*difficulty["value"]) for _ in range(count)]
        formula = _formula(numbers, rng)
        target = int(exact_value(formula))
        if low <= target <= high:
            break
    else:
        return entry
    rng.shuffle(numbers)
    given, listed = (", ".join(map(str, some)) for some in (meta["numbers"], numbers))
    question = replaced(entry["question"], given, listed)
    question = _TARGET.sub(str(target), question, count=1)
    return changed(entry, question, formula, numbers=numbers, target=target, expression=formula)


def _formula(numbers: Sequence[int], rng: Random) -> str:
    """Return ``(a + b) * c - d * e + f``, with drawn signs and two or three numbers within."""
    within = rng.choice((2, 2, 3)) if len(numbers) > 5 else 2
    *terms, last = map(str, numbers[within + 1 :])
    terms = [f"{terms.pop(0)} * {last}", *terms] if terms else [last]
    inner = _signed(numbers[:within], rng)
    return _signed([f"({inner}) * {numbers[within]}", *terms], rng)


def _signed(terms: Sequence[object], rng: Random) -> str:
    first, *others = terms
    return " ".join([str(first), *(f"{rng.choice('+-')} {term}" for term in others)])


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
    correct=correct,
    verify=verify,
    guarded={"parse_expr": parser(ARITHMETIC)},
    family=question_numbers,
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
