"""Continue a sequence of numbers."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from random import Random
from typing import Any

import numpy

from rgenv.tasks import Entry, Number, Task, exact, moving, question_numbers, with_solution

KINDS = {"add": 4, "multiply by": 4, "square": 1, "halve": 4, "add previous": 4}
"""Operations without their numbers, and how often each is drawn. Few squares are small enough."""
TRIES = 400
"""Rules to draw. One of a few operations is dull or grows too fast, most often."""
MOST_FIRST, LARGEST = 30, 1000
"""The largest first term, and the largest of all, as in the library."""
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
    """Return the entry; None unless all rules that fit the terms shown agree on the next one."""
    *shown, following = entry["metadata"]["sequence"]
    return entry if _is_clear(tuple(shown), following) else None


def harden(entry: Entry) -> Entry | None:
    """Show terms that no plain rule fits: the last ratio of steps solves .63 before, .06 after.

    As many terms are shown as it takes for all rules that fit them to agree on the next one.
    """
    # The library makes few sequences of two operations, so the seed makes the difference.
    rng = Random(f"{entry['seed']} {entry['question']}")
    config, settings = entry["config"], entry["metadata"]["difficulty"]
    least, largest = config.get("min_value", -LARGEST), config.get("max_value", LARGEST)
    fewest, most = settings["terms"]
    complexity = settings["max_complexity"]
    operations = min((complexity + rng.randint(6, 8)) // 3, complexity + 1)
    for _ in range(TRIES):
        kinds = rng.choices(list(KINDS), list(KINDS.values()), k=operations)
        rule = [_operation(rng, kind) for kind in kinds]
        terms = [rng.randint(-MOST_FIRST, MOST_FIRST)]
        while len(terms) <= most and least <= terms[-1] <= largest:
            terms.append(next_term(rule, terms))
            shown, following = tuple(terms[:-1]), terms[-1]
            if len(shown) < fewest or following in shown or not least <= following <= largest:
                continue
            if not [*plain_continuations(shown)] and _is_clear(shown, following):
                question = f"{', '.join(map(str, shown))}, ?"
                return with_solution(
                    entry, question, following, sequence=terms, rule=" then ".join(rule)
                )
    return None


def _operation(rng: Random, kind: str) -> str:
    numbers = {"add": _ADDED, "multiply by": _FACTORS}.get(kind)
    return f"{kind} {rng.choice(numbers)}" if numbers else kind


def continuations(shown: Sequence[int]) -> Iterator[float]:
    """Yield what comes next by each rule that fits the terms shown, in any order.

    These are the generator's rules of at most `OPERATIONS`, and plain ones that it lacks.
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
    if _has_equal_steps(steps):  # also where all steps are equal
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
    harden=harden,
    family=question_numbers,
    # The number of terms and their size do not make a rule harder.
    # Nor do the least and the largest value, which the library ignores.
    levels=moving(terms=[(4, 5)], value=[(-LARGEST, LARGEST)], max_complexity=[2, 3, 4, 5, 6]),
    faster={"cognition.number_sequences:PatternRule:apply": library_term},
)
