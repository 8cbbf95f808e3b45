"""rgenv/tasks/answers/moves.py: the last move is needed."""

from __future__ import annotations

import random

from rgenv.tasks.answers.moves import JsonMoves, Moves

RNG = random.Random(0)


def test_moves_have_several_separators_and_need_the_last() -> None:
    """Moves are written with commas, on lines and with spaces."""
    assert {"U, R", "U\nR", "U  R"} == set(Moves().forms("U R", "").values())
    assert Moves().misses("U R", "", RNG) == {"left out": "U"}
    assert Moves().misses("U", "", RNG) == {}


def test_a_move_too_many_is_a_miss_where_it_spoils_the_others() -> None:
    """A kind says what is impossible, or one too many."""

    class Pressed(Moves):
        separator, extra = " → ", "A"

    class Poured(JsonMoves):
        impossible = "pour"

    assert Pressed().misses("B → C", "", RNG) == {"left out": "B", "added": "B → C → A"}
    assert Poured().misses('["fill"]', "", RNG) == {
        "left out": "[]",
        "impossible": '["pour", "fill"]',
    }
    assert Poured().misses("No", "", RNG) == {"moves": '["pour"]'}
