"""rgenv/dataset/difficulty.py: the three modes and the rule of the curriculum."""

import json
import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dataset.difficulty import (
    BANDS,
    FEW_GROUPS,
    MIN_GROUPS,
    START,
    STEP,
    Difficulty,
    Mode,
    band_of,
)


def feed(difficulty: Difficulty, accuracy: float, groups: int) -> None:
    for _ in range(groups):
        difficulty.observe("gcd", difficulty.current("gcd"), [accuracy] * 8)


def test_without_a_mode_there_is_no_level() -> None:
    """None stands for the task's default parameters."""
    assert Difficulty(None).level_for("gcd", 0.5) is None


@given(st.floats(0, 1, exclude_max=True))
def test_random_levels_are_the_uniform_number(uniform: float) -> None:
    """The level is a function of the number alone."""
    assert Difficulty("random").level_for("gcd", uniform) == pytest.approx(uniform, abs=1e-3)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 20)), max_size=60))
def test_a_level_stays_between_0_and_1(history: list[tuple[float, int]]) -> None:
    """No sequence of scores leads out of the scale."""
    difficulty = Difficulty("curriculum")
    for accuracy, groups in history:
        feed(difficulty, accuracy, groups)
        assert 0 <= difficulty.current("gcd") <= 1


def test_the_level_rises_for_a_good_learner_and_falls_for_a_bad_one() -> None:
    """It reaches the highest level far above the target, and the lowest far below it."""
    difficulty = Difficulty("curriculum")
    feed(difficulty, 1.0, 200)
    assert difficulty.current("gcd") == 1.0
    feed(difficulty, 0.0, 200)
    assert difficulty.current("gcd") == 0.0


def test_the_level_moves_after_enough_groups() -> None:
    """Fewer than MIN_GROUPS groups do not move it."""
    difficulty = Difficulty("curriculum")
    feed(difficulty, 1.0, MIN_GROUPS - 1)
    assert difficulty.current("gcd") == START
    feed(difficulty, 1.0, 1)
    assert difficulty.current("gcd") == pytest.approx(START + STEP)


def test_fewer_groups_are_enough_far_from_the_target() -> None:
    """Two groups of wrong answers move the level; two of almost enough right ones do not."""
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


def test_can_follow_tells_whether_such_scores_would_move_the_level() -> None:
    """They would if far from the target, except at the end of the scale."""
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
    """A level that is limited to a band lies in the band and in the range."""
    low, high = sorted((a, b))
    difficulty = Difficulty("random", random_range=(low, high))
    bands = difficulty.bands("gcd")
    assert band_of(difficulty.level_for("gcd", u)) in [*bands, bands[-1] + 1]
    for band in bands:
        level = difficulty.level_for("gcd", u, band)
        assert low - 5e-4 <= level <= high + 5e-4
        assert band / BANDS - 5e-4 <= level <= (band + 1) / BANDS + 5e-4


def test_a_given_level_has_one_band() -> None:
    """Default parameters have no band; the curriculum has that of its current level."""
    assert Difficulty(None).bands("gcd") == [None]
    assert Difficulty("curriculum").bands("gcd") == [band_of(START)] == [1]
    assert [band_of(level) for level in (0.0, 0.2, 0.99, 1.0)] == [0, 1, 4, 4]


def test_only_groups_at_the_current_level_are_evidence() -> None:
    """Groups that were made at another level, or with default parameters, do not count."""
    difficulty = Difficulty("curriculum")
    for level in (0.9, None):
        for _ in range(50):
            assert difficulty.observe("gcd", level, [1.0]) is None
    assert difficulty.current("gcd") == START


def test_a_group_without_scores_is_no_evidence() -> None:
    """Failures of the verifier never move the level."""
    difficulty = Difficulty("curriculum")
    for _ in range(50):
        difficulty.observe("gcd", START, [])
    assert difficulty.current("gcd") == START


@given(st.floats(0.05, 0.95), st.sampled_from([0.5, 0.7]))
def test_the_curriculum_finds_the_level_of_the_target_accuracy(skill: float, target: float) -> None:
    """If accuracy falls with the level, the level ends near the target and stays there."""
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
    """Return the levels for a learner whose chance of a right answer falls with the level."""
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
def test_random_scores_do_not_drive_the_level_away(start: float, skill: float, size: int) -> None:
    """From any start the level ends within one step of the learner's skill and stays there."""
    levels = learn(lambda _: skill, start=start, groups=700, seed=int(10 * skill), size=size)
    assert all(abs(level - skill) <= STEP + 1e-9 for level in levels[400:])


def test_the_level_follows_a_learner_that_improves_or_collapses() -> None:
    """It rises with the skill, and falls after a collapse."""
    rising = learn(lambda group: group / 600, start=0.0, groups=600, seed=1)
    assert all(abs(level - group / 600) <= 3 * STEP for group, level in enumerate(rising))
    falling = learn(lambda group: 0.9 if group < 100 else 0.2, start=0.9, groups=300, seed=1)
    assert falling[99] == pytest.approx(0.9, abs=STEP + 1e-9)
    assert falling[-1] == pytest.approx(0.2, abs=STEP + 1e-9)


def test_state_survives_json() -> None:
    """A restored curriculum continues exactly like the saved one."""
    saved = Difficulty("curriculum")
    feed(saved, 1.0, MIN_GROUPS + 2)
    restored = Difficulty("curriculum")
    restored.load_state_dict(json.loads(json.dumps(saved.state_dict())))
    for difficulty in (saved, restored):
        feed(difficulty, 1.0, 2)
    assert restored.state_dict() == saved.state_dict()


def test_a_state_of_another_schema_is_refused() -> None:
    """Loading it is an error."""
    with pytest.raises(ValueError, match="schema 99"):
        Difficulty("curriculum").load_state_dict({"schema": 99})


@pytest.mark.parametrize("mode", ["random", "curriculum"])
def test_a_fixed_task_has_no_level(mode: Mode) -> None:
    """A task that nothing can make harder keeps its defaults, whatever its scores are."""
    difficulty = Difficulty(mode, fixed=["acre"])
    assert difficulty.level_for("acre", 0.7) is None
    assert difficulty.bands("acre") == [None]
    assert not difficulty.can_follow("acre", [1.0] * 8)
    for _ in range(20):
        assert difficulty.observe("acre", None, [1.0] * 8) is None
    assert difficulty.levels() == {}
