"""rgenv/tasks/answers/moves.py: the last move is needed."""

from __future__ import annotations

import random

from rgenv.tasks.answers.moves import Moves

RNG = random.Random(0)


def test_moves_have_several_separators_and_need_the_last() -> None:
    """Moves are written with commas, on lines and with spaces."""
    assert {"U, R", "U\nR", "U  R"} == set(Moves().forms("U R", "").values())
    assert Moves().misses("U R", "", RNG) == {"left out": "U"}
    assert Moves().misses("U", "", RNG) == {}
