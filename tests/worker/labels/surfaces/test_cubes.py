"""The first and the last turn do not tell the answer."""

import re
from collections import Counter
from collections.abc import Hashable

import pytest
from reasoning_gym import create_dataset
from reasoning_gym.cognition.color_cube_rotation import Color, Cube, Side

from rgenv.tasks.cognition.color_cube_rotation import HALF_TURN
from rgenv.tasks.cognition.color_cube_rotation import rewritten as color_cube_rotation
from rgenv.tasks.entry import Entry
from rgenv.worker.problem_maker import corrected
from tests.worker.labels.surfaces.served import LEVELS, made, served

TASK = "color_cube_rotation"


def shown(entry: Entry) -> tuple[dict[str, str], list[str], str]:
    """Return the colours, the sides that come to the top, and the side that is asked for."""
    cube, *steps, ask = entry["question"].replace(f"\n\n{HALF_TURN}", "").split("\n\n")
    colours = {side: colour for colour, side in re.findall(r"- an? (\w+) (\w+) side", cube)}
    turns = [re.findall("front|back|left|right|bottom", step) for step in steps]
    assert all(len(sides) == 1 for sides in turns)
    return colours, [sides[0] for sides in turns], re.findall(r"the (\w+) side of", ask)[0]


@pytest.mark.parametrize("level", LEVELS)
def test_the_answer_is_the_colour_after_all_turns(level: float | None) -> None:
    """The library's cube, turned as the question says, has the answer where it asks for it."""
    for entry in made(TASK, level, 100):
        result = corrected(TASK, entry)
        assert result is not None
        colours, turns, asked = shown(result)
        cube = Cube({Side(side): Color(colour) for side, colour in colours.items()})
        steps = {"front": cube.rotate_front_to_top, "back": cube.rotate_back_to_top}
        steps |= {"left": cube.rotate_left_to_top, "right": cube.rotate_right_to_top}
        steps |= {"bottom": cube.rotate_bottom_to_top}
        for turn in turns:
            steps[turn]()
        assert cube.colors[Side(asked)] == result["answer"]
        assert (HALF_TURN in result["question"]) == ("bottom" in turns)
        metadata = result["metadata"]
        assert colours == metadata["initial_state"] == entry["metadata"]["initial_state"]
        assert (turns, asked) == (metadata["rotations"], metadata["target_side"])
        assert len(turns) == metadata["num_rotations"] == max(3, entry["metadata"]["num_rotations"])


def right(seen: list[tuple[Hashable, str]]) -> float:
    """Return how often a table made of one half of the pairs is right for the other."""
    table: dict[Hashable, Counter[str]] = {}
    for key, source in seen[::2]:
        table.setdefault(key, Counter())[source] += 1
    best = {key: max(counts, key=counts.__getitem__) for key, counts in table.items()}
    return sum(best.get(key) == source for key, source in seen[1::2]) / len(seen[1::2])


@pytest.mark.parametrize("level", LEVELS)
def test_one_turn_and_the_asked_side_do_not_tell_where_the_answer_was(level: float | None) -> None:
    """A table of the first or the last turn, or of the asked side, is right in a quarter."""
    seen = list[tuple[str, str, str, str]]()
    for entry in served(color_cube_rotation, TASK, level, 3000):
        colours, turns, asked = shown(entry)
        source = next(side for side, colour in colours.items() if colour == entry["answer"])
        seen.append((turns[0], turns[-1], asked, source))
    assert right([((first, asked), source) for first, _, asked, source in seen]) < 0.26
    assert right([((last, asked), source) for _, last, asked, source in seen]) < 0.26
    assert right([(asked, source) for _, _, asked, source in seen]) < 0.23
    assert right([(first, source) for first, _, _, source in seen]) < 0.23
    assert right([(last, source) for _, last, _, source in seen]) < 0.23


def test_a_cube_of_two_turns_at_most_stays() -> None:
    """Where the parameters allow no third turn, the entry is the library's."""
    entry = create_dataset(TASK, size=1, seed=1, min_rotations=1, max_rotations=2)[0]
    assert color_cube_rotation(entry) is entry
