"""Work of finding one among many: what is tried or read before the right one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry

OPERATIONS = ("sum", "diff", "prod", "pow")
"""The operations on coordinates that modulo_grid chooses from."""


def countdown(entry: Entry) -> float:
    """Count the operations of an expression that uses every number."""
    return float(len(entry["metadata"]["numbers"]) - 1)


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
    "tsumego": tsumego,
}
