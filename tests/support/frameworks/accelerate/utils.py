"""What the adapter to TRL imports of accelerate, for one process."""

from typing import Any


def gather_object(mine: list[Any]) -> list[Any]:
    """Return the objects of all processes."""
    return mine
