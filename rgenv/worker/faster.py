"""Replace functions of the library: slow ones by faster ones, and some by other constructions.

Most of the time that problems take is spent in a few generators that search for solutions.
`Task.faster` replaces their inner loops. tests/worker/test_faster.py compares each replacement with
the library's function. `Task.constructs` has other results.
"""

import importlib
from collections.abc import Iterator
from typing import Any

from rgenv.tasks.registry import record_of, records


def install(*, strict: bool) -> None:
    """Install the replacements of all covered tasks, constructions if `strict`; idempotent."""
    for owner, name, replacement in replacements(strict=strict):
        setattr(owner, name, replacement)


def replacements(*, strict: bool = False) -> Iterator[tuple[Any, str, Any]]:
    """Yield the owner (a module or class), the name in it, and the replacement.

    Raise AttributeError if the library has no such name.
    """
    for task in records():
        record = record_of(task)
        for path, replacement in {**record.faster, **(record.constructs if strict else {})}.items():
            module, *classes, name = path.split(":")
            owner: Any = importlib.import_module(f"reasoning_gym.{module}")
            for class_name in classes:
                owner = getattr(owner, class_name)
            getattr(owner, name)
            yield owner, name, replacement
