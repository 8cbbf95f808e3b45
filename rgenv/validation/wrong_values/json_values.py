"""Wrong JSON values: leaves, groups, partitions, colourings."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from rgenv.validation.wrong_values.kind import Changes


def json_value(reference: str, question: str, rng: random.Random) -> Changes:
    """One leaf of a JSON value changed, or an item left out."""
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


def groups(reference: str, question: str, rng: random.Random) -> Changes:
    """A group or a word left out, two words exchanged between groups."""
    value = json.loads(reference)
    changes = {"group left out": value[:-1] or [["q"]], "word left out": [value[0][1:], *value[1:]]}
    if len(value) > 1:
        one, other, *rest = value
        changes["exchanged"] = [[other[0], *one[1:]], [one[0], *other[1:]], *rest]
        changes["merged"] = [one + other, *rest]
    return {name: json.dumps(changed) for name, changed in changes.items()}


def partitions(reference: str, question: str, rng: random.Random) -> Changes:
    """A partition left out, or one that does not make the word."""
    value = json.loads(reference)
    return {
        "left out": json.dumps(value[:-1]),
        "added": json.dumps([*value, ["q", *value[0]]]),
        "changed": json.dumps([[*value[0], "q"], *value[1:]]),
    }


def colours(reference: str, question: str, rng: random.Random) -> Changes:
    """Two neighbours with the same colour, a vertex left out, an impossible colour."""
    value = json.loads(reference)
    vertex = rng.choice(list(value))
    changes = {
        "left out": {key: colour for key, colour in value.items() if key != vertex},
        "impossible": value | {vertex: 99},
    }
    edges = re.findall(r"\((\d+), (\d+)\)", question)
    if edges:
        one, other = rng.choice(edges)
        changes["neighbours"] = value | {one: value[other]}
    return {name: json.dumps(changed) for name, changed in changes.items()}
