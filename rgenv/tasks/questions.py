"""Parts of a question that rules answer with: lines, numbers, and the block of a grid."""

import re
from collections.abc import Iterable, Sequence

_GRID_CHARACTERS = "0123456789 -\t"
MAX_DIGITS = 18
"""Longer numbers are left out: no rule needs them, and arithmetic with them takes long."""

UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What a function raises that looks for something that a question lacks."""


def tail(question: str) -> str:
    """Return what follows the last colon of the question, or its last line."""
    text = question.strip()
    after = text.rsplit(": ", 1)[-1] if ": " in text else text.rsplit(":\n", 1)[-1]
    return after.strip() if after != text else text.rsplit("\n", 1)[-1].strip()


def integers_in(text: str) -> list[int]:
    """Return the runs of digits in a text, with a minus sign where one precedes."""
    return [int(shown) for shown in re.findall(r"-?\d+", text) if len(shown) <= MAX_DIGITS]


def last_grid(question: str) -> list[list[str]]:
    """Return the last block of lines that hold digits and spaces only, as rows of cells."""
    rows: list[list[str]] = []
    for line in reversed(question.strip().split("\n")):
        if line.strip() and not line.strip(_GRID_CHARACTERS):
            rows.append(line.split())
        elif rows:
            break
    return rows[::-1]


def rows_written(rows: Iterable[Sequence[object]]) -> str:
    """Write a grid as lines of cells with a space between them."""
    return "\n".join(" ".join(map(str, row)) for row in rows)
