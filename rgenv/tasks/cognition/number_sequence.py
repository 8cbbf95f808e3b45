"""Continue a sequence of numbers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from random import Random
from typing import Any

import numpy

from rgenv.tasks import (
    Answers,
    Entry,
    Number,
    Task,
    exact,
    integers_in,
    moving,
    question_numbers,
    with_solution,
)
from rgenv.tasks.shortcuts import solving

FEWEST_TERMS, MOST_TERMS, LARGEST = 4, 9, 5000
"""Terms shown, at least and at most, and the largest of them; a sequence that needs others is given
up."""
MOST_FIRST = 30
"""The largest first term."""
KINDS = {"add": 4, "multiply by": 4, "square": 1, "halve": 4, "add previous": 4}
"""Operations without their numbers, and how often each is drawn. Few squares are small enough."""
TRIES, TRIES_OF_KINDS = 60, 8
"""Kinds of operations that are drawn, and rules of the same kinds.

A rule of few operations is dull or grows too fast, most often. If the kinds changed with every
rule, most sequences would be of the few kinds that seldom fail.
"""
FACTORS = [by for by in range(-7, 8) if by not in (0, 1)]
OPERATIONS = 4
"""Rules of at most so many operations are tried, all of the generator's."""
MULTIPLES = 10
"""Sums of two terms are tried with each term up to so many times."""
Columns = Any
"""An array with a row for each term shown and a column for each rule: the rule's next terms."""
_ADDED = [by for by in range(-10, 11) if by]
_FACTORS = [by for by in range(-10, 11) if by not in (0, 1)]
_CHANGES: tuple[Callable[[Columns, Columns], Columns], ...] = (
    lambda now, _before: now * now,
    lambda now, _before: numpy.floor(now * 0.5),
    lambda now, _before: numpy.ceil(now * 0.5),
    lambda now, _before: numpy.trunc(now * 0.5),
    lambda now, before: now + before,
)
_MULTIPLIERS = numpy.array([Random(n).getrandbits(64) | 1 for n in range(64)], numpy.uint64).view(
    numpy.int64
)
_TOO_LARGE = 10.0**6
"""No three operations make a term that may be shown from a larger number."""


def correct(entry: Entry) -> Entry | None:
    """Show another sequence, of a rule of the operations wanted, that goes on in one way only.

    As many terms are shown as it takes for all rules that fit them to agree on the next one. None
    if no sequence is found.
    """
    # The library makes few sequences of two operations, so the seed makes the difference.
    rng = Random(f"{entry['seed']} {entry['question']}")
    # A shortcut continues most sequences of two operations, and all of one.
    most = entry["metadata"]["difficulty"]["max_complexity"]
    operations = (most + rng.randint(6, 8)) // 3
    for _ in range(TRIES):
        kinds = rng.choices(list(KINDS), list(KINDS.values()), k=operations)
        for _ in range(TRIES_OF_KINDS):
            rule = [_operation(rng, kind) for kind in kinds]
            terms = _shown_until_clear(rule, rng.randint(-MOST_FIRST, MOST_FIRST))
            if terms is not None:
                question, named = _question(terms[:-1]), " then ".join(rule)
                return with_solution(entry, question, terms[-1], sequence=terms, rule=named)
    return None


def _operation(rng: Random, kind: str) -> str:
    numbers = {"add": _ADDED, "multiply by": FACTORS}.get(kind)
    return f"{kind} {rng.choice(numbers)}" if numbers else kind


def _shown_until_clear(rule: Sequence[str], first: int) -> list[int] | None:
    """Return the terms to show and the next one; None if they are too many, too large or dull."""
    terms = [first]
    for _ in range(MOST_TERMS):
        terms.append(next_term(rule, terms))
        if abs(terms[-1]) > LARGEST:
            return None
        shown = tuple(terms[:-1])
        if len(shown) >= FEWEST_TERMS:
            if _is_dull(terms[-FEWEST_TERMS:]) or _is_guessed(shown, terms[-1]):
                return None
            if _is_clear(shown, terms[-1]):
                return terms
    return None


def _question(shown: Sequence[int]) -> str:
    return ", ".join(map(str, shown)) + ", ?"


def _is_guessed(shown: Sequence[int], following: int) -> bool:
    """Return whether a shortcut finds the next term, so that the sequence is not to be asked."""
    entry = {"question": _question(shown), "answer": str(following)}
    return solving("number_sequence", entry) is not None


def _is_dull(terms: Sequence[int]) -> bool:
    """Return whether terms are repeated, or have equal steps or equal ratios."""
    ratios_are_equal = all(
        a * c == b * b for a, b, c in zip(terms, terms[1:], terms[2:], strict=False)
    )
    return terms[-1] in terms[:-1] or _has_equal_steps(terms) or ratios_are_equal


def continuations(shown: Sequence[int]) -> Iterator[float]:
    """Yield what comes next by each rule that fits the terms shown, in any order.

    The rules are those of the generator of at most `OPERATIONS`, and plain ones that it lacks.
    """
    targets = shown[1:]
    if any(targets):
        yield from map(float, plain_continuations(shown))
        yield from _by_operations(shown)


@lru_cache(maxsize=1 << 14)
def _is_clear(shown: tuple[int, ...], following: int) -> bool:
    """Return whether a rule fits the terms shown, and each that does goes on with `following`."""
    found = None
    for found in continuations(shown):
        if found != following:
            return False
    return found is not None


LARGE = 2**4000
"""No rule has operations enough to make a term from such a number that the library accepts."""


def next_term(rule: Sequence[str], terms: Sequence[int]) -> int:
    """Return the term that operations of the library, by name, make after the last of `terms`."""
    value = terms[-1]
    for operation in filter(None, rule):
        match operation.split():
            case ["add", "previous"]:
                value += terms[-2] if len(terms) > 1 else 0
            case ["add", by]:
                value += int(by)
            case ["multiply", "by", by]:
                value *= int(by)
            case ["double"]:
                value *= 2
            case ["halve"]:
                value //= 2
            case ["square"]:
                value *= value
            case _:
                raise ValueError(f"unknown operation {operation!r}")
        if abs(value) > LARGE:
            raise OverflowError("the term is too large")
    return value


def plain_continuations(shown: Sequence[int]) -> Iterator[Fraction | int]:
    """Yield what comes next by each of the rules that first come to mind, if it fits.

    A first term may stand apart: "0, 3, 6, 12" doubles, and "7, 1, 2, 3, 4" counts.
    """
    yield from _readings(shown)
    if len(shown) > 4:
        yield from _readings(shown[1:])
    elif len(shown) == 4:
        yield from _continued_ratio(shown[1:])


def _readings(shown: Sequence[int]) -> Iterator[Fraction | int]:
    last, before = shown[-1], shown[-2]
    steps = [b - a for a, b in pairwise(shown)]
    if len({b - a for a, b in pairwise(steps)}) == 1:  # also where all steps are equal
        yield last + 2 * steps[-1] - steps[-2]
    yield from (last + step for step in _continued_ratio(steps))
    yield from _continued_ratio(shown)
    triples = list(zip(shown, shown[1:], shown[2:], strict=False))
    for here, there in product(range(-MULTIPLES, MULTIPLES + 1), repeat=2):
        if there and all(c == here * b + there * a for a, b, c in triples):
            yield here * last + there * before
    if len({c - b - a for a, b, c in triples}) == 1:
        yield last + before + triples[0][2] - triples[0][1] - triples[0][0]
    if all(c == a * b for a, b, c in triples):
        yield last * before
    if len(shown) > 4:
        others, own = shown[1 - len(shown) % 2 :: 2], shown[len(shown) % 2 :: 2]
        if _has_equal_steps(others) and _has_equal_steps(own):
            yield 2 * own[-1] - own[-2]
    if steps[2:] == steps[:-2]:
        yield last + steps[-2]
    if all(shown):
        ratios = [Fraction(b, a) for a, b in pairwise(shown)]
        if ratios[2:] == ratios[:-2]:
            yield last * ratios[-2]
    for period in range(2, len(shown) // 2 + 1):
        if all(b == a for a, b in zip(shown, shown[period:], strict=False)):
            yield shown[-period]


def _has_equal_steps(values: Sequence[int]) -> bool:
    return len({b - a for a, b in pairwise(values)}) == 1


def _continued_ratio(values: Sequence[int]) -> Iterator[Fraction]:
    """Yield what comes next if each value is the one before times the same number."""
    if all(values) and len({Fraction(b, a) for a, b in pairwise(values)}) == 1:
        yield Fraction(values[1], values[0]) * values[-1]


def _by_operations(shown: Sequence[int]) -> Iterator[float]:
    # Floats, which are exact where it matters, do not wrap around as integers of 64 bits do.
    now = numpy.array([shown], dtype=float).T
    before = numpy.array([[0, *shown[:-1]]], dtype=float).T
    for operations in range(OPERATIONS):
        if operations:
            now = _after_each(now, before)
        yield from _after_the_last(now, before, shown[1:])


def _after_each(now: Columns, before: Columns) -> Columns:
    """Return the columns after each operation that a rule may go on with."""
    now = _different(now[:, (abs(now[:-1]) <= _TOO_LARGE).all(axis=0)])
    added = [now + by for by in _ADDED]
    multiplied = [now * by for by in _FACTORS]
    changed = [change(now, before) for change in _CHANGES]
    return numpy.concatenate([*added, *multiplied, *changed], axis=1)


def _different(columns: Columns) -> Columns:
    """Return the columns without repeats: each by a sum of 64 bits, which is faster to sort."""
    bits = numpy.ascontiguousarray(columns).view(numpy.int64) * _MULTIPLIERS[: len(columns), None]
    _, places = numpy.unique(bits.sum(axis=0), return_index=True)
    return columns[:, places]


def _after_the_last(now: Columns, before: Columns, targets: Sequence[int]) -> Iterator[float]:
    """Yield the next terms of the columns that one more operation makes fit, one after another."""
    goal = numpy.array(targets, dtype=float)[:, None]
    by = goal[0] - now[0]
    near = abs(by) <= max(_ADDED)
    yield from _fitting(now[:, near] + by[near], goal)
    # Any number times 0 is 0, so the factor is read off at another term.
    place = next(place for place, target in enumerate(targets) if target)
    factor = goal[place] / numpy.where(now[place], now[place], numpy.inf)
    whole = (abs(factor) <= max(_FACTORS)) & (factor == factor.round()) & (factor != 0)
    yield from _fitting(now[:, whole] * factor[whole], goal)
    for change in _CHANGES:
        chosen = now[:, change(now[0], before[0]) == goal[0]]
        yield from _fitting(change(chosen, before), goal)


def _fitting(columns: Columns, goal: Columns) -> set[float]:
    return set(columns[-1, (columns[:-1] == goal).all(axis=0)].tolist())


RULES: dict[str, Callable[[int, int, int, int], int]] = {
    "the last two differences added": lambda _w, x, _y, z: z + z - x,
    "a multiple of the last term, and the one before": (
        lambda _w, x, y, z: y + _half_up(z * (z - x), y)
    ),
    "the last but one ratio, less its difference": (
        lambda _w, x, y, z: _half_up(z * y, x) - (y - x)
    ),
    "the last ratio of differences": lambda _w, x, y, z: z + (z - y) ** 2 // (y - x),
    "the last ratio of differences, cut off": lambda _w, x, y, z: z + int((z - y) ** 2 / (y - x)),
    "the ratio of the two differences before": (
        lambda w, x, y, z: z + _half_up((z - y) * (y - x), x - w)
    ),
    "multiples of the last two terms": (
        lambda w, x, y, z: _half_up(z * (x * y - w * z) + y * (x * z - y * y), x * x - w * y)
    ),
}
"""What the last four terms go on with."""
KEPT = 0.1
"""The share of the problems that a rule solves which are asked all the same."""


def shortcuts(question: str) -> Answers:
    """Go on with the last differences, or with the ratio of two terms."""
    answers = {}
    for name, rule in RULES.items():
        with suppress(ZeroDivisionError):
            answers[name] = str(rule(*integers_in(question)[-4:]))
    return answers


def _half_up(numerator: int, denominator: int) -> int:
    """Return the nearest integer to a fraction; of two, the larger."""
    return (2 * numerator + denominator) // (2 * denominator)


def library_term(rule: Any, sequence: list[int], position: int) -> int:
    """Return the term that a rule of the library makes after the one at `position`.

    It raises OverflowError for a term that is too large; the library then discards the sequence.
    """
    return next_term(rule.to_string().split(" then "), sequence[: position + 1])


TASK = Task(
    answer=Number(),
    correct=correct,
    verify=exact,
    clarify=(("", "Answer with the number that comes next in the sequence."),),
    shortcuts=shortcuts,
    kept=dict.fromkeys(RULES, KEPT),
    family=question_numbers,
    # The number of terms and their size do not make a rule harder.
    levels=moving(terms=[(4, 5)], max_complexity=[2, 3, 4, 5, 6]),
    faster={"cognition.number_sequences:PatternRule:apply": library_term},
)
