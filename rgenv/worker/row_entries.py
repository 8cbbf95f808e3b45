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
    none = {name: None for name, value in row["metadata"].items() if value is None}
    own = {name: None for name in none if name in shown}  # parquet has added the others
    return {**row, "metadata": {**_like(row["metadata"], shown), **own}}


def _like(value: Any, example: Any) -> Any:
    if isinstance(value, dict):
        shown = example if isinstance(example, dict) else {}
        known = {
            key: part
            for key, part in value.items()
            if part is not None or shown.get(key, ...) is None
        }
        if shown and all(isinstance(key, int) for key in shown):
            some = next(iter(shown.values()))
            return {_number(key): _like(part, some) for key, part in known.items()}
        return {key: _like(part, shown.get(key)) for key, part in known.items()}
    if isinstance(value, list) and isinstance(example, list | tuple):
        places = [*example, *example[-1:] * (len(value) - len(example))] or [None] * len(value)
        return type(example)(_like(*pair) for pair in zip(value, places, strict=False))
    is_whole = type(example) is int and isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value


def _number(key: str) -> int | str:
    return int(key) if key.removeprefix("-").isdecimal() else key
