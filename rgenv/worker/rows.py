"""Make the entry of a row that others made as the library made it, before it was in a file.

JSON has neither tuples nor keys that are numbers; parquet makes floats of numbers beside floats,
and gives each mapping of a column the keys of all others. What the library makes shows the types.
"""

from typing import Any

from rgenv.tasks.entry import Entry


class NoProvableAnswer(ValueError):
    """No answer to the question of a row is provably right."""

    def __str__(self) -> str:
        return "no answer to the question of this row is provably right"


def entry_of(row: Entry, example: Entry) -> Entry:
    """Return the entry of a row, in the types of another entry of its task, and without a seed."""
    shown = example["metadata"]
    known = {
        key: value
        for key, value in row["metadata"].items()
        if value is not None or key in shown  # parquet has added the others
    }
    return {**row, "metadata": _like(known, shown)}


def _like(value: Any, example: Any) -> Any:
    if isinstance(value, dict) and isinstance(example, dict) and example:
        if all(isinstance(key, int) for key in example):
            some = next(iter(example.values()))
            return {_number(key): _like(part, some) for key, part in value.items()}
        return {key: _like(part, example.get(key)) for key, part in value.items()}
    if isinstance(value, list) and isinstance(example, list | tuple):
        shown = [*example, *example[-1:] * (len(value) - len(example))]
        parts = [_like(*pair) for pair in zip(value, shown, strict=False)] if example else value
        return type(example)(parts)
    if type(example) is int and isinstance(value, float) and value.is_integer():
        return int(value)
    return float(value) if isinstance(example, float) and type(value) is int else value


def _number(key: str) -> int | str:
    return int(key) if key.removeprefix("-").isdecimal() else key
