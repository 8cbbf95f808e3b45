"""Read rows that others made: an entry as reasoning-gym writes it, from a data set.

::

    {"question": "Find the ...", "answer": "6", "metadata": {"source_dataset": "gcd", ...}}

An entry may be a value of its row, at any name, and any mapping may be a JSON string: trainers and
published data sets keep it in ``extra_info``, ``reward_model``, ``verification_info`` and others.
A row is data: it is bounded here, and read in a worker, where its question gets the right answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from rgenv.errors import BadUsage
from rgenv.runtime.files import parse_json
from rgenv.types import Problem

ENTRY = {"question", "answer", "metadata"}

MOST_BYTES = 256 * 1024
"""Of an entry, as JSON. The library's have 20 kB."""


@dataclass(frozen=True)
class RowProblem(Problem):
    """The problem of a row, whose entry travels with each request."""

    row: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def made_from(self) -> dict[str, Any]:
        return {"task": self.task, "config": {}, "seed": 0, "level": None, "row": self.row}


def read(row: Any) -> RowProblem | None:
    """Return the problem of a row, or raise BadUsage; None if it has no entry, as a recipe."""
    outer = _mapping(row)
    if outer is None or {"task", "seed"} <= outer.keys() or (entry := find(outer, ENTRY)) is None:
        return None
    metadata = _mapping(entry["metadata"])
    if metadata is None:
        raise BadUsage(f"The metadata of a row is {str(entry['metadata'])[:60]!r}: no mapping.")
    task = metadata.get("source_dataset") or entry.get("task") or outer.get("task")
    if not isinstance(task, str):
        raise BadUsage('A row names no task: add it, such as {**row, "task": "gcd"}.')
    question, answer = entry["question"], entry["answer"]
    if answer != answer:  # what pandas makes of a missing one
        answer = None
    if not isinstance(question, str) or not isinstance(answer, str | None):
        raise BadUsage(f"Question and answer of a row of {task:.60} have to be texts.")
    try:
        text = json.dumps(
            {"question": question, "answer": answer, "metadata": metadata}, default=_plain
        )
        plain = json.loads(text, parse_constant=lambda _: None)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadUsage(f"A row of {task:.60} can't be read: {str(error)[:100]}.") from None
    if len(text) > MOST_BYTES:
        raise BadUsage(f"A row of {task:.60} has more than {MOST_BYTES:,} bytes.")
    return RowProblem(task, 0, None, {}, question, answer, row=plain)


def find(value: Any, keys: Set[str], depth: int = 3) -> Mapping[str, Any] | None:
    """Return the first mapping in a value with these keys, and up to `depth` mappings around it."""
    mapping = _mapping(value)
    if mapping is None or mapping.keys() >= keys:
        return mapping
    found = (find(part, keys, depth - 1) for part in mapping.values() if depth)
    return next((entry for entry in found if entry is not None), None)


def _mapping(value: Any) -> Mapping[str, Any] | None:
    """Return a mapping, or the one that a JSON string is."""
    if isinstance(value, str) and value.startswith("{") and len(value) <= 4 * MOST_BYTES:
        try:
            value = parse_json(value)
        except ValueError:
            return None
    return value if isinstance(value, Mapping) else None


def _plain(value: Any) -> Any:
    """Return an array or a number of numpy, or any mapping, as JSON has it."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
