"""Inputs and outputs of programs."""

from __future__ import annotations

import json
import random
from typing import Any

from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.kind import Forms


class ProgramValue(JsonValue):
    """A JSON value, which the verifier parses."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        try:
            value = json.loads(reference)
        except ValueError:
            return {}
        changed = _change_leaf(json.loads(reference), rng)
        changes = {"leaf": json.dumps(changed)} if changed != value else {}
        if isinstance(value, list) and value:
            changes["left out"] = json.dumps(value[:-1])
        if isinstance(value, dict) and value:
            changes["left out"] = json.dumps(dict(list(value.items())[:-1]))
        return changes

    def may_be_right(self, text: str, question: str) -> bool:
        """Another input may have the same output."""
        return "predict a feasible input" in question


def _change_leaf(value: Any, rng: random.Random) -> Any:
    """Change one leaf of `value`, in place if it is in a container."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + rng.randint(1, 9) if abs(value) < 10**15 else 0
    if isinstance(value, str):
        return f"{value}q"
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value or ())))
    if keys:
        key = rng.choice(keys)
        value[key] = _change_leaf(value[key], rng)
        return value
    return ["q"]
