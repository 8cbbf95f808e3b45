"""rgenv/dataset/room.py: which levels of a task have prompts that leave room for an answer."""

from random import Random

import pytest

from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.plans import Plans
from rgenv.dataset.room import TRIES_OF_A_TASK, Room, lowered
from rgenv.dataset.stream import Stream
from tests.support.rollouts import problem


def room_of(*counts: tuple[float | None, int, int]) -> Room:
    """What is known after prompts of one task: level, fitting and too long."""
    room = Room()
    for level, fits, too_long in counts:
        room.observe("maze", level, fits=fits, too_long=too_long)
    return room


def test_nothing_is_known_of_a_task_whose_prompts_fit() -> None:
    """Nothing is counted of it, and every level may be asked."""
    room = room_of((0.5, 100, 0))
    assert not room.watches("maze") and room.state_dict() == {}
    assert room.ceiling("maze") == 1.0 and room.serves("maze")


def test_a_level_is_too_high_if_most_of_its_prompts_are_too_long() -> None:
    """The first five show nothing yet, and a level is left for the one below it."""
    assert room_of((0.8, 0, 5)).ceiling("maze") == 1.0
    assert room_of((0.8, 0, 6)).ceiling("maze") == 0.75
    assert room_of((0.8, 5, 10)).ceiling("maze") == 1.0
    assert room_of((0.5, 9, 0), (0.8, 5, 11)).ceiling("maze") == 0.75
    assert room_of((1.0, 0, 6)).ceiling("maze") == 0.95
    assert room_of((0.0, 0, 6)).ceiling("maze") == 0.0


def test_a_lower_level_is_not_too_high_by_chance() -> None:
    """Where a higher level has more room, both are judged together."""
    assert room_of((0.4, 0, 6), (0.6, 9, 1)).ceiling("maze") == 1.0
    assert room_of((0.4, 1, 5), (0.6, 1, 5), (0.9, 0, 6)).ceiling("maze") == 0.35


@pytest.mark.parametrize("share", [0.95, 0.8, 0.65])
def test_a_task_most_of_whose_prompts_fit_keeps_its_levels(share: float) -> None:
    """Chance misses at any level do not shrink its range."""
    random, room = Random(4), Room()
    levels = []
    for _ in range(3000):
        level = random.random() * room.ceiling("maze")
        while random.random() > share:
            room.observe("maze", level, fits=0, too_long=1)
        room.observe("maze", level, fits=1, too_long=0)
        levels.append(level)
    last = levels[1000:]
    assert sum(level > 0.9 for level in last) / len(last) > 0.07


def test_a_task_whose_lowest_level_has_no_room_is_not_served() -> None:
    """That takes a dozen prompts, and as many more for each that fits."""
    for level in (None, 0.0):
        assert room_of((level, 0, TRIES_OF_A_TASK - 1)).serves("maze")
        assert not room_of((level, 0, TRIES_OF_A_TASK)).serves("maze")
        assert room_of((level, 1, TRIES_OF_A_TASK)).serves("maze")
    assert room_of((0.3, 0, 100)).serves("maze")


def test_lower_levels_are_tried_after_three_misses() -> None:
    """They fall to the lowest in equal steps; a task without levels keeps its parameters."""
    levels = [lowered(0.6, misses) for misses in range(TRIES_OF_A_TASK)]
    assert levels == [0.6, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0, 0.0]
    assert lowered(None, 11) is None


def test_a_state_of_another_limit_is_not_used(caplog: pytest.LogCaptureFixture) -> None:
    """The log says so once; nothing is said where nothing was known."""
    state, empty = room_of((0.9, 0, 8)).state_dict(), room_of().state_dict()
    room = Room("8192")
    room.load_state_dict(empty)
    assert not caplog.records
    for _ in range(2):
        room.load_state_dict(state)
        assert room.ceiling("maze") == 1.0
    assert not room.watches("maze")
    assert len(caplog.records) == 1


def test_another_task_is_drawn_after_so_many_prompts_that_are_too_long() -> None:
    plans = Plans(Stream(seed=1, tasks={"gcd": 1, "lcm": 1}), Difficulty(None))
    tasks = []
    for attempt in range(TRIES_OF_A_TASK + 1):
        task, seed, level = plans.attempt(0, attempt)
        plans.missed(problem(seed, task, level))
        tasks.append(task)
    *first, last = tasks
    assert {last, *first} == {"gcd", "lcm"} and len({*first}) == 1
