"""Sequences of moves: items of a list, of which one too few or too many is wrong."""

import json
import random

from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.kind import Answer, Forms


class Moves(Answer):
    """A shortest sequence of moves, which must not reach its end before its last move.

    Attributes:
        separator: what stands between two moves.
        extra: a move that spoils the sequence after it, if there is one.
    """

    name = "moves"
    separator = " "
    extra = ""

    def forms(self, reference: str, question: str) -> Forms:
        separators = {"commas": ", ", "lines": "\n", "two spaces": "  "}
        return {name: between.join(reference.split()) for name, between in separators.items()}

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        between = self.separator
        parts = reference.split(between) if between else list(reference)
        changes = {"left out": between.join(parts[:-1])} if len(parts) > 1 else {}
        return changes | ({"added": between.join([*parts, self.extra])} if self.extra else {})


class JsonMoves(JsonValue):
    """A JSON list of moves, of which the last one is needed.

    Attributes:
        impossible: a move that is not.
    """

    name = "moves"
    impossible = ""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        if not reference.startswith("["):
            return {"moves": json.dumps([self.impossible])}
        parts = json.loads(reference)
        return {
            "left out": json.dumps(parts[:-1]),
            "impossible": json.dumps([self.impossible, *parts]),
        }
