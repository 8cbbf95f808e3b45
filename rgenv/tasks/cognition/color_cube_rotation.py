"""Turn a coloured cube, and name the colour of a side."""

import random
import re
from collections.abc import Mapping

from rgenv.tasks import Answers, Entry, Task, changed, moving, random_of
from rgenv.tasks.answers.words import WordOfQuestion
from rgenv.tasks.rewriting import in_turn

HALF_TURN = (
    "When the bottom is brought to the top, the cube is turned over so that its left and right "
    "sides stay where they are."
)


def provable(entry: Entry) -> Entry | None:
    """Add a sentence that says how the cube is turned over, because the answer depends on it."""
    if "bottom" not in entry["metadata"]["rotations"]:
        return entry
    story, rest = entry["question"].split("\n\nWhat is now")
    return {**entry, "question": f"{story}\n\n{HALF_TURN}\n\nWhat is now{rest}"}


SIDES = ("top", "right", "front", "left", "back", "bottom")
SOURCES = {
    "back": {"top": "back", "back": "bottom", "bottom": "front", "front": "top"},
    "bottom": {"top": "bottom", "bottom": "top", "front": "back", "back": "front"},
    "front": {"top": "front", "front": "bottom", "bottom": "back", "back": "top"},
    "left": {"top": "left", "left": "bottom", "bottom": "right", "right": "top"},
    "right": {"top": "right", "right": "bottom", "bottom": "left", "left": "top"},
}
"""A turn, by the side that comes to the top: side after it -> the side it was before. A side that
is not listed stays where it is."""
_INVERSE = {"front": "back", "back": "front", "left": "right", "right": "left", "bottom": "bottom"}
FEWEST_TURNS = 3
"""After two turns, a side can come from two or three others, as the first turn and the side tell.
With three, it can come from any, whatever the first turn was."""
RESTING_SHARE = 0.25
"""The share of turns that leave the side that is followed where it is. It would be a third at
random, so that answers were often right that leave out a turn."""


def rewritten(entry: Entry) -> Entry | None:
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
    place = SOURCES[_INVERSE[first]].get(source, source)  # after the first turn
    turns = [first, *_later_turns(rng, asked, place, count - 1)]
    if rng.random() < 0.5:  # so the last turn is chosen like the first
        asked, source, turns = source, asked, [_INVERSE[turn] for turn in reversed(turns)]
    colours = meta["initial_state"]
    question, answer = _story(colours, turns, asked, rng), colours[source]
    new = {"rotations": turns, "target_side": asked, "num_rotations": count}
    return changed(entry, question, answer, **new)


def _story(colours: Mapping[str, str], turns: list[str], asked: str, rng: random.Random) -> str:
    """Return a question in the library's words."""
    from reasoning_gym.cognition import color_cube_rotation as library  # a release may lack it

    side, maker = library.Side, library.ColorCubeRotationDataset(library.ColorCubeRotationConfig())
    cube = {side(name): library.Color(colour) for name, colour in colours.items()}
    return str(maker._generate_story(cube, [side(turn) for turn in turns], side(asked), rng))


def _first_turn(rng: random.Random) -> tuple[str, str]:
    """Return a turn, and a side that it moves or leaves in place."""
    turn = rng.choice(list(SOURCES))
    moves = rng.random() >= RESTING_SHARE
    return turn, rng.choice([side for side in SIDES if (side in SOURCES[turn]) == moves])


def _later_turns(rng: random.Random, asked: str, source: str, count: int) -> list[str]:
    """Return turns that bring `source` to the place of `asked`."""
    while True:
        side, turns = asked, list[str]()
        for _ in range(count):
            moves = rng.random() >= RESTING_SHARE
            fitting = [turn for turn, sides in SOURCES.items() if (side in sides) == moves]
            turn = rng.choice(fitting or list(SOURCES))  # each moves the top and the bottom
            turns.insert(0, turn)
            side = SOURCES[turn].get(side, side)
        if side == source:
            return turns


def shortcuts(question: str) -> Answers:
    """Turn the cube in reverse order."""
    before, asked, turns = read_cube(question)
    return {"the turns in reverse": turned_cube(before, turns[::-1])[asked]}  # .59


def read_cube(question: str) -> tuple[Mapping[str, str], str, list[str]]:
    """Return the colours of the sides, the side that is asked for, and the turns."""
    before = {side: colour for colour, side in re.findall(r"- an? (\w+) (\w+) side", question)}
    asked = re.findall(r"color of the (\w+) side", question)[-1]
    turns = [
        re.findall("|".join(SOURCES), paragraph)[0]
        for paragraph in question.split("\n\n")[1:-1]
        if not paragraph.startswith("When the bottom")
    ]
    return before, asked, turns


def turned_cube(cube: Mapping[str, str], turns: list[str]) -> Mapping[str, str]:
    """Return the colours of the sides after each of `turns` was brought to the top."""
    for turn in turns:
        cube = {**cube, **{place: cube[source] for place, source in SOURCES[turn].items()}}
    return cube


def family(entry: Entry) -> object:
    """Keep the sides that are named after the first paragraph; ignore colours, order, wording."""
    _, _, turns = entry["question"].partition("\n\n")
    return sorted(re.findall("|".join(SOURCES), turns))


TASK = Task(
    answer=WordOfQuestion(r"a (\w+) \w+ side"),
    correct=in_turn(rewritten, provable),
    shortcuts=shortcuts,
    kept={"the turns in reverse": 0.4},
    family=family,
    # Level 0 of the curriculum has more rotations than the default, and its last level 100.
    # After two, the first one and the side that is asked for often tell the answer.
    levels=moving(rotations=[(3, 3), (3, 4), (5, 7), (8, 12), (13, 20)]),
    accepted={"shortcut": "turning the cube in reverse takes as many turns as the task"},
)
