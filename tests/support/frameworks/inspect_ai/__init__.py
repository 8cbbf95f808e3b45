"""What the adapter imports of inspect-ai: values that keep what they are given."""

from types import SimpleNamespace
from typing import Any


class Task(SimpleNamespace):
    """An evaluation."""


def task(function: Any) -> Any:
    return function
