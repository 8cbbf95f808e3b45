"""Sequences of moves: items of a list, of which one too few or too many is wrong."""

from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.kind import Answer


class Moves(Answer):
    """A shortest sequence of moves, which must not reach its end before its last move.

    Attributes:
        separator: what stands between two moves.
        extra: a move that spoils the sequence after it, if there is one.
    """

    name = "moves"
    separator = " "
    extra = ""


class JsonMoves(JsonValue):
    """A JSON list of moves, of which the last one is needed.

    Attributes:
        impossible: a move that is not.
    """

    name = "moves"
    impossible = ""
