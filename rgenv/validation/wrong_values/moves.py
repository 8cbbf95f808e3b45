"""Wrong moves, paths, ladders, assignments and points."""

from __future__ import annotations

import json
import random

from rgenv.validation.wrong_values.kind import STEPS, Changer, Changes


def sequence(separator: str, extra: str = "") -> Changer:
    """Return a changer for a shortest sequence: the last part left out, `extra` added.

    The sequence must not reach its end before its last part.
    """

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        parts = reference.split(separator) if separator else list(reference)
        changes = {"left out": separator.join(parts[:-1])} if len(parts) > 1 else {}
        if extra:
            changes["added"] = separator.join([*parts, extra])
        return changes

    return change


def json_moves(extra: str) -> Changer:
    """Return a changer for a JSON list of moves, of which the last one is needed."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        if not reference.startswith("["):
            return {"moves": f'["{extra}"]'}
        parts = json.loads(reference)
        return {"left out": json.dumps(parts[:-1]), "impossible": json.dumps([extra, *parts])}

    return change


def directions(reference: str, question: str, rng: random.Random) -> Changes:
    """The path without its last step, with one step too many, or turned elsewhere."""
    if reference == "infeasible":
        return {"a path": rng.choice(["up", "left left", "down right", "right up right"])}
    steps = reference.split()
    turned = rng.choice([step for step in STEPS if step != steps[-1]])
    shuffled = " ".join(rng.sample(steps, len(steps)))
    changes = {
        "infeasible": "infeasible",
        "too long": f"{reference} up down",
        "turned": " ".join([*steps[:-1], turned]),
    }
    if shuffled != reference:
        changes["shuffled"] = shuffled
    if len(steps) > 1:
        changes["left out"] = " ".join(steps[:-1])
    return changes


def ladder(reference: str, question: str, rng: random.Random) -> Changes:
    """A word left out or replaced by none, the first or last word missing."""
    steps = reference.split(",")
    changes = {"no last word": ",".join(steps[:-1]), "no first word": ",".join(steps[1:])}
    if len(steps) > 2:
        place = rng.randrange(1, len(steps) - 1)
        changes["left out"] = ",".join(steps[:place] + steps[place + 1 :])
        changes["no word"] = ",".join([steps[0], "XQZJVXQZJV"[: len(steps[0])], *steps[2:]])
    return changes


def letters_to_digits(reference: str, question: str, rng: random.Random) -> Changes:
    """One letter with another digit."""
    pairs = reference.split(",")
    place = rng.randrange(len(pairs))
    letter, digit = pairs[place].split("=")
    other = rng.choice([other for other in "0123456789" if other != digit])
    return {"digit": ",".join([*pairs[:place], f"{letter}={other}", *pairs[place + 1 :]])}


def point(reference: str, question: str, rng: random.Random) -> Changes:
    """Another point of the board."""
    columns = question.split("```")[1].split("\n")[1].split()
    points = [f"{column}{row}" for column in columns for row in range(1, len(columns) + 1)]
    others = [point for point in points if point != reference]
    return {f"other {number}": text for number, text in enumerate(rng.sample(others, 3), 1)}
