"""Find the shortest way through a grid."""

from __future__ import annotations

import random
from itertools import zip_longest

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.lists import joined_items, matching, separated_forms
from rgenv.tasks.answers.words import Word
from rgenv.tasks.boards import Cell
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import turned_grid

_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_read_step = matching("|".join(_STEPS))


def _board(question: str) -> tuple[dict[Cell, str], Cell, Cell]:
    """Return the sign of each cell, the start and the goal."""
    lines = question.rsplit("grid:\n", 1)[1].strip().split("\n")
    signs = {(y, x): sign for y, row in enumerate(lines) for x, sign in enumerate(row.split())}
    places = {sign: cell for cell, sign in signs.items()}
    return signs, places["*"], places["#"]


class Directions(Answer):
    """Directions of any case in any form of a list, or the word infeasible."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        if text.strip().lower() == "infeasible":
            return "infeasible"
        return joined_items(text.lower(), _read_step, " ") or None

    def forms(self, reference: str, question: str) -> Forms:
        if len(reference.split()) < 2:
            return Word().forms(reference, question)
        cases = {"upper case": reference.upper(), "title case": reference.title()}
        return separated_forms(reference, arrows=True) | cases

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        if reference == "infeasible":
            return {"a path": rng.choice(["up", "left left", "down right", "right up right"])}
        steps = reference.split()
        turned = rng.choice([step for step in _STEPS if step != steps[-1]])
        return {
            "infeasible": "infeasible",
            "too long": f"{reference} up down",
            "turned": " ".join([*steps[:-1], turned]),
            "shuffled": " ".join(rng.sample(steps, len(steps))),
            "left out": " ".join(steps[:-1]),
        }

    def may_be_right(self, text: str, question: str) -> bool:
        """Steps in another order may be as short a path."""
        signs, (y, x), goal = _board(question)
        for step in text.split():
            if step not in _STEPS:
                return False
            y, x = y + _STEPS[step][0], x + _STEPS[step][1]
            if signs.get((y, x), "X") == "X":
                return False
        return (y, x) == goal


def shortcuts(question: str) -> Answers:
    """Go straight in two lines, as if nothing were in the way."""
    _, (y, x), (v, u) = _board(question)
    down = ["down" if v > y else "up"] * abs(v - y)
    right = ["right" if u > x else "left"] * abs(u - x)
    return {
        "vertical first": " ".join(down + right),  # .46
        "horizontal first": " ".join(right + down),  # .49
        "both in turns": _in_turns(down, right),  # .50
        "both in turns, horizontal first": _in_turns(right, down),  # .48
    }


def _in_turns(one: list[str], other: list[str]) -> str:
    return " ".join(step for pair in zip_longest(one, other) for step in pair if step)


TASK = Task(
    answer=Directions(),
    labels={"infeasible": 0.3},
    shortcuts=shortcuts,
    several_answers=True,
    family=turned_grid,
    # The share of blocked cells falls with the size, so that most grids have a path.
    levels=Levels(
        knots={
            "min_rows": [4, 6, 9, 13, 18],
            "max_rows": [5, 8, 12, 17, 24],
            "min_cols": [4, 6, 9, 13, 18],
            "max_cols": [5, 8, 12, 17, 24],
            "p_blocked": [0.4, 0.38, 0.36, 0.35, 0.34],
        }
    ),
)
