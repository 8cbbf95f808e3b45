"""Turns of a cube, of which neither the first nor the last tells where the answer comes from.

Example::

    color_cube_rotation(entry)    # the same cube, turned at least three times
"""

from __future__ import annotations

import random

from reasoning_gym.cognition.color_cube_rotation import (
    Color,
    ColorCubeRotationConfig,
    ColorCubeRotationDataset,
    Side,
)

from rgenv.worker.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of
from rgenv.worker.work.moves import SOURCES

SIDES = tuple(side.value for side in Side)

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
    colours = {Side(side): Color(colour) for side, colour in meta["initial_state"].items()}
    question = _story(colours, [Side(turn) for turn in turns], Side(asked), rng)
    changed = {**meta, "rotations": turns, "target_side": asked, "num_rotations": count}
    answer = meta["initial_state"][source]
    return {**entry, "question": question, "answer": answer, "metadata": changed}


_story = ColorCubeRotationDataset(ColorCubeRotationConfig())._generate_story


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
