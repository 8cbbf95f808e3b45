"""rgenv/dataset/difficulty.py: the three modes and the curriculum's rule."""

import json
import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dataset.difficulty import BANDS, FEW_GROUPS, MIN_GROUPS, START, STEP, Difficulty, band_of


def feed(difficulty: Difficulty, accuracy: float, groups: int) -> None:
    for _ in range(groups):
        difficulty.observe("gcd", difficulty.current("gcd"), [accuracy] * 8)


def test_without_a_mode_there_is_no_level() -> None:
    """None means the task's default parameters."""
    assert Difficulty(None).level_for("gcd", 0.5) is None


@given(st.floats(0, 1, exclude_max=True))
def test_random_levels_are_the_uniform_number(uniform: float) -> None:
    """The level follows the draw, so it is a function of n."""
    assert Difficulty("random").level_for("gcd", uniform) == pytest.approx(uniform, abs=1e-3)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 20)), max_size=60))
def test_a_level_stays_between_0_and_1(history: list[tuple[float, int]]) -> None:
    """No history leads out of the scale."""
    difficulty = Difficulty("curriculum")
    for accuracy, groups in history:
        feed(difficulty, accuracy, groups)
        assert 0 <= difficulty.current("gcd") <= 1


def test_it_rises_for_a_good_learner_and_falls_for_a_bad_one() -> None:
    """Far above the target the level climbs to the top, far below it sinks to the bottom."""
    difficulty = Difficulty("curriculum")
    feed(difficulty, 1.0, 200)
    assert difficulty.current("gcd") == 1.0
    feed(difficulty, 0.0, 200)
    assert difficulty.current("gcd") == 0.0


def test_it_waits_for_evidence() -> None:
    """One lucky group moves nothing."""
    difficulty = Difficulty("curriculum")
    feed(difficulty, 1.0, MIN_GROUPS - 1)
    assert difficulty.current("gcd") == START
    feed(difficulty, 1.0, 1)
    assert difficulty.current("gcd") == pytest.approx(START + STEP)


def test_it_needs_less_evidence_where_the_target_is_far() -> None:
    """Two groups of all wrong answers are enough, two of somewhat too few right ones are not."""
    difficulty = Difficulty("curriculum", target_accuracy=0.7)
    feed(difficulty, 0.0, FEW_GROUPS - 1)
    assert difficulty.current("gcd") == START
    feed(difficulty, 0.0, 1)
    assert difficulty.current("gcd") == pytest.approx(START - STEP)
    feed(difficulty, 0.5, MIN_GROUPS - 1)
    assert difficulty.current("gcd") == pytest.approx(START - STEP)
    small = Difficulty("curriculum", target_accuracy=0.7)
    for _ in range(FEW_GROUPS):
        small.observe("gcd", START, [0.0, 0.0])
    assert small.current("gcd") == START


def test_it_tells_whether_groups_like_this_would_move_it() -> None:
    """All wrong or all right: yes, until the end of the scale; near the target, or unheard: no."""
    difficulty = Difficulty("curriculum", target_accuracy=0.7)
    assert difficulty.can_follow("gcd", [0.0] * 8) and difficulty.can_follow("gcd", [1.0] * 8)
    assert not difficulty.can_follow("gcd", [1.0, 1.0, 1.0, 0.0])
    assert not difficulty.can_follow("gcd", [])
    feed(difficulty, 1.0, 200)
    assert not difficulty.can_follow("gcd", [1.0] * 8) and difficulty.can_follow("gcd", [0.0] * 8)
    feed(difficulty, 0.0, 200)
    assert not difficulty.can_follow("gcd", [0.0] * 8) and difficulty.can_follow("gcd", [1.0] * 8)
    assert not Difficulty("random").can_follow("gcd", [0.0] * 8)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1, exclude_max=True))
def test_bands_cover_the_range_and_levels_stay_in_theirs(a: float, b: float, u: float) -> None:
    """Every level of the range lies in a band; a level asked for in a band lies there, in range."""
    low, high = sorted((a, b))
    difficulty = Difficulty("random", random_range=(low, high))
    bands = difficulty.bands("gcd")
    assert band_of(difficulty.level_for("gcd", u)) in [*bands, bands[-1] + 1]
    for band in bands:
        level = difficulty.level_for("gcd", u, band)
        assert low - 5e-4 <= level <= high + 5e-4
        assert band / BANDS - 5e-4 <= level <= (band + 1) / BANDS + 5e-4


def test_one_band_where_the_level_is_given() -> None:
    """The defaults have none, a curriculum only that of its present level."""
    assert Difficulty(None).bands("gcd") == [None]
    assert Difficulty("curriculum").bands("gcd") == [band_of(START)] == [1]
    assert [band_of(level) for level in (0.0, 0.2, 0.99, 1.0)] == [0, 1, 4, 4]


def test_only_groups_of_the_present_level_are_heard() -> None:
    """Stragglers made at an old level, or with default parameters, do not count."""
    difficulty = Difficulty("curriculum")
    for level in (0.9, None):
        for _ in range(50):
            assert difficulty.observe("gcd", level, [1.0]) is None
    assert difficulty.current("gcd") == START


def test_a_group_without_evidence_is_not_heard() -> None:
    """Timeouts and crashes leave no scores and move nothing."""
    difficulty = Difficulty("curriculum")
    for _ in range(50):
        difficulty.observe("gcd", START, [])
    assert difficulty.current("gcd") == START


@given(st.floats(0.05, 0.95), st.sampled_from([0.5, 0.7]))
def test_it_finds_the_level_where_the_target_is_met(skill: float, target: float) -> None:
    """A learner whose accuracy falls with the level ends near the target, and stays there."""
    difficulty = Difficulty("curriculum", target_accuracy=target)

    def step() -> float:
        level = difficulty.current("gcd")
        accuracy = min(1.0, max(0.0, target + 1.5 * (skill - level)))
        difficulty.observe("gcd", level, [accuracy] * 8)
        return level

    for _ in range(400):
        step()
    late = {step() for _ in range(200)}
    assert max(late) - min(late) <= STEP + 1e-9
    assert all(abs(level - skill) <= 0.1 / 1.5 + STEP + 1e-9 for level in late)


def learn(
    skill: Callable[[int], float], *, start: float, groups: int, seed: int, size: int = 8
) -> list[float]:
    """The levels met by a learner whose chance of being right falls with the level."""
    rng, difficulty = random.Random(seed), Difficulty("curriculum", target_accuracy=0.7)
    steps = {"gcd": round(start / STEP)}
    difficulty.load_state_dict({"schema": 1, "steps": steps, "heard": {}})
    levels = []
    for group in range(groups):
        level = difficulty.current("gcd")
        chance = 1 / (1 + math.exp(-8 * (skill(group) - level) - math.log(0.7 / 0.3)))
        difficulty.observe("gcd", level, [float(rng.random() < chance) for _ in range(size)])
        levels.append(level)
    return levels


@pytest.mark.parametrize("start", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("skill", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("size", [4, 8, 16])
def test_chance_does_not_drive_it_away(start: float, skill: float, size: int) -> None:
    """From any start a learner with luck ends within a step of its level and stays there."""
    levels = learn(lambda _: skill, start=start, groups=700, seed=int(10 * skill), size=size)
    assert all(abs(level - skill) <= STEP + 1e-9 for level in levels[400:])


def test_it_follows_a_learner_that_improves_and_one_that_collapses() -> None:
    """Rising skill takes the level along; after a collapse the level comes down to it."""
    rising = learn(lambda group: group / 600, start=0.0, groups=600, seed=1)
    assert all(abs(level - group / 600) <= 3 * STEP for group, level in enumerate(rising))
    falling = learn(lambda group: 0.9 if group < 100 else 0.2, start=0.9, groups=300, seed=1)
    assert falling[99] == pytest.approx(0.9, abs=STEP + 1e-9)
    assert falling[-1] == pytest.approx(0.2, abs=STEP + 1e-9)


def test_state_survives_json() -> None:
    """A restored curriculum goes on exactly as the saved one would have."""
    saved = Difficulty("curriculum")
    feed(saved, 1.0, MIN_GROUPS + 2)
    restored = Difficulty("curriculum")
    restored.load_state_dict(json.loads(json.dumps(saved.state_dict())))
    for difficulty in (saved, restored):
        feed(difficulty, 1.0, 2)
    assert restored.state_dict() == saved.state_dict()


def test_a_foreign_state_is_refused() -> None:
    """A state of another schema is an error, not a guess."""
    with pytest.raises(ValueError, match="schema 99"):
        Difficulty("curriculum").load_state_dict({"schema": 99})
