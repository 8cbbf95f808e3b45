"""Work of finding one among many: what is tried or read before the right one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from rgenv.tasks.entry import Entry

OPERATIONS = ("sum", "diff", "prod", "pow")
"""The operations on coordinates that modulo_grid chooses from."""


def countdown(entry: Entry) -> float:
    """Count the operations of an expression that uses every number."""
    return float(len(entry["metadata"]["numbers"]) - 1)


def puzzle24(entry: Entry) -> float:
    """Return the binary logarithm of the expressions a random search tries until it finds 24."""
    results = list(outcomes(tuple(map(float, entry["metadata"]["numbers"]))))
    found = sum(abs(result - 24) < 1e-6 for result in results)
    return math.log2(len(results) / max(found, 1))


def outcomes(numbers: tuple[float, ...]) -> Iterator[float]:
    """Yield the value of each expression that uses every number once, many of them twice."""
    if len(numbers) == 1:
        yield numbers[0]
        return
    for i, j in combinations(range(len(numbers)), 2):
        a, b = numbers[i], numbers[j]
        rest = tuple(x for place, x in enumerate(numbers) if place not in (i, j))
        values = [a + b, a - b, b - a, a * b, *([a / b] if b else []), *([b / a] if a else [])]
        for value in values:
            yield from outcomes((*rest, value))


def modulo_grid(entry: Entry) -> float:
    """Count the rules with a divisor up to the right one, and the cells to fill in.

    A rule is an operation, a divisor and a remainder below it.
    """
    divisor = int(entry["metadata"]["divisor"])
    rules = len(OPERATIONS) * divisor * (divisor + 1) // 2
    return float(rules + entry["question"].count("❔"))


def needle_haystack(entry: Entry) -> float:
    """Count the sentences up to the one that answers the question."""
    story, question = entry["question"].rsplit("\n", 1)
    fact = f"{entry['answer']} {question.removeprefix('Who ').split('?')[0]}"
    return float(1 + story.strip().removesuffix(".").split(". ").index(fact))


def tsumego(entry: Entry) -> float:
    """Count the empty points next to a white stone: the moves that may capture something."""
    board = entry["metadata"]["board"]
    white = {(r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == "O"}
    return float(
        sum(
            cell == "." and bool(white & {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)})
            for r, row in enumerate(board)
            for c, cell in enumerate(row)
        )
    )


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "countdown": countdown,
    "modulo_grid": modulo_grid,
    "needle_haystack": needle_haystack,
    "puzzle24": puzzle24,
    "tsumego": tsumego,
}
