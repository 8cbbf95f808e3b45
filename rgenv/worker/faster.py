"""Replace inner loops of slow generators of the library, as `Task.faster` says.

tests/worker/test_faster.py compares each replacement with the library's function.
"""

import importlib
from collections.abc import Iterator
from typing import Any

from rgenv.tasks.registry import record_of, records


def install() -> None:
    """Install the replacements of all covered tasks; idempotent."""
    for owner, name, replacement in replacements():
        setattr(owner, name, replacement)


def replacements() -> Iterator[tuple[Any, str, Any]]:
    """Yield the owner (a module or class), the name in it, and the replacement.

    Raise AttributeError if the library has no such name.
    """
    for task in records():
        for path, replacement in record_of(task).faster.items():
            module, *classes, name = path.split(":")
            owner: Any = importlib.import_module(f"reasoning_gym.{module}")
            for class_name in classes:
                owner = getattr(owner, class_name)
            getattr(owner, name)
            yield owner, name, replacement
