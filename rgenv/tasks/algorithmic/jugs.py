"""Measure an amount of water with jugs."""

import json
import re

from rgenv.tasks import Answer, Entry, Task, all_or_nothing, moving, question_numbers
from rgenv.tasks.answers.lists import items

_MOVE = re.compile(r"(fill|empty) ([A-Z])|pour ([A-Z])\s?(?:->|→|to)\s?([A-Z])", re.IGNORECASE)


class JugMoves(Answer):
    """Moves such as ``fill A`` and ``pour A->B`` in any form of a list.

    The library ignores words after a move.
    """

    name = "moves"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        moves = [
            f"{move[1].lower()} {move[2].upper()}"
            if move[1]
            else f"pour {move[3].upper()}->{move[4].upper()}"
            for move in items(text, _MOVE.fullmatch) or ()
        ]
        return json.dumps(moves) if moves else None


# Pouring one jug into another, over and over, solves the puzzle; a level says how many times. So it
# is not a shortcut. The fewest moves would ask for little more: in nine of ten puzzles with
# many moves, two jugs are equal, and the second one spares a single move.
TASK = Task(
    answer=JugMoves(),
    also_right="any moves that measure the amount, of any number",
    verify=all_or_nothing,
    family=question_numbers,
    # The task's own solver supports three jugs. With more, some answers are 'No solution' and
    # generation takes minutes, so only the number of moves grows. At difficulties below 4 there
    # are fewer than 100 puzzles.
    levels=moving(num_jugs=[3], difficulty=[4, 8, 12, 17, 22]),
)
