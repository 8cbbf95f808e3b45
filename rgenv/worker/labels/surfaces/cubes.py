"""Turns of a cube, of which neither the first nor the last tells where the answer comes from.

Example::

    color_cube_rotation(entry)    # the same cube, turned at least three times
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of
from rgenv.worker.work.moves import SOURCES

SIDES = ("top", "right", "front", "left", "back", "bottom")

_INVERSE = {
    "front": "back",
    "back": "front",
    "left": "right",
    "right": "left",
    "bottom": "bottom",
}
"""A turn, by the side that comes to the top -> the turn that undoes it."""

FEWEST_TURNS = 3
"""After two turns, a side can come from two or three others, as the first turn and the side tell.
With three, it can come from any, whatever the first turn was."""

RESTING_SHARE = 0.25
"""The share of turns that leave the side that is followed where it is. It would be a third at
random, so that answers were often right that leave out a turn."""


def color_cube_rotation(entry: Entry) -> Entry | None:
    """Turn the cube in other ways and ask for another side.

    The first turn, the side that is asked for, and the side that the answer comes from are chosen
    apart from each other, but for `RESTING_SHARE`. Fewer than three turns become three if the
    parameters allow it, and stay as they are otherwise.
    """
    meta = entry["metadata"]
    most = meta["difficulty"]["rotations"][1]
    if most < FEWEST_TURNS:
        return entry
    rng = random_of(entry)
    count = max(FEWEST_TURNS, len(meta["rotations"]))
    asked = rng.choice(SIDES)
    first, source = _first_turn(rng)
    turns = [first, *_later_turns(rng, asked, _place(first, source), count - 1)]
    if rng.random() < 0.5:  # so the last turn is chosen like the first
        asked, source, turns = source, asked, [_INVERSE[turn] for turn in reversed(turns)]
    question = _story(meta["initial_state"], turns, asked, rng)
    changed = {**meta, "rotations": turns, "target_side": asked, "num_rotations": count}
    answer = meta["initial_state"][source]
    return {**entry, "question": question, "answer": answer, "metadata": changed}


def _story(colours: Mapping[str, str], turns: list[str], asked: str, rng: random.Random) -> str:
    """Return a question in the library's words."""
    from reasoning_gym.cognition import color_cube_rotation as library  # a release may lack it

    side, maker = library.Side, library.ColorCubeRotationDataset(library.ColorCubeRotationConfig())
    cube = {side(name): library.Color(colour) for name, colour in colours.items()}
    return str(maker._generate_story(cube, [side(turn) for turn in turns], side(asked), rng))


def _first_turn(rng: random.Random) -> tuple[str, str]:
    """Return a turn, and a side that it moves or leaves in place."""
    turn = rng.choice(sorted(SOURCES))
    moves = rng.random() >= RESTING_SHARE
    return turn, rng.choice([side for side in SIDES if (side in SOURCES[turn]) == moves])


def _later_turns(rng: random.Random, asked: str, source: str, count: int) -> list[str]:
    """Return turns that bring `source` to the place of `asked`."""
    while True:
        side, turns = asked, list[str]()
        for _ in range(count):
            moves = rng.random() >= RESTING_SHARE
            fitting = [turn for turn in sorted(SOURCES) if (side in SOURCES[turn]) == moves]
            turn = rng.choice(fitting or sorted(SOURCES))  # each moves the top and the bottom
            turns.insert(0, turn)
            side = SOURCES[turn].get(side, side)
        if side == source:
            return turns


def _place(turn: str, side: str) -> str:
    """Return the place of `side` after a turn."""
    return next((new for new, old in SOURCES[turn].items() if old == side), side)
