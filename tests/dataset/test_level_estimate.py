"""rgenv/dataset/level_estimate.py: where a policy reaches a target."""

import base64
import math
import random

import numpy as np
import pytest

from rgenv.dataset.level_estimate import LEVELS, LevelEstimate


def estimate(target: float = 0.7) -> LevelEstimate:
    return LevelEstimate(target=target, start=0.4, spread=0.4)


def chance(level: float, threshold: float, width: float, target: float) -> float:
    """The chance of a success that equals the target at the threshold."""
    return 1 / (1 + math.exp((level - threshold) / width - math.log(target / (1 - target))))


@pytest.mark.parametrize("target", [0.3, 0.7])
@pytest.mark.parametrize("threshold", [0.2, 0.8])
@pytest.mark.parametrize("width", [0.05, 0.15])
def test_groups_at_any_levels_show_the_threshold(
    target: float, threshold: float, width: float
) -> None:
    """Groups at random levels find it within two steps."""
    rng, found = random.Random(f"{target} {threshold} {width}"), estimate(target)
    for _ in range(300):
        level = float(rng.choice(LEVELS))
        right = sum(rng.random() < chance(level, threshold, width, target) for _ in range(8))
        found.observe(level, successes=right, size=8, blind=0.0)
    assert found.best_level() == pytest.approx(threshold, abs=0.11)


def test_luck_is_no_knowledge() -> None:
    """Half of the answers right is far above a target of 0.3, but nothing where half is luck."""
    lucky, able = estimate(0.3), estimate(0.3)
    for _ in range(40):
        lucky.observe(0.3, successes=4, size=8, blind=0.5)
        able.observe(0.3, successes=4, size=8, blind=0.0)
    assert lucky.best_level() < 0.3 < able.best_level()


def test_completions_of_one_group_count_less_than_those_of_several() -> None:
    """A large group is not as many small ones, because its completions share a problem."""
    one, several = estimate(), estimate()
    one.observe(0.1, successes=32, size=32, blind=0.0)
    for _ in range(8):
        several.observe(0.1, successes=4, size=4, blind=0.0)
    assert one.best_level() < several.best_level()


def test_old_evidence_fades() -> None:
    """A policy that was right a thousand times and is now wrong is taken at its new word."""
    found = estimate()
    for _ in range(1000):
        found.observe(1.0, successes=8, size=8, blind=0.0)
    assert found.best_level() == 1.0
    for _ in range(20):
        found.observe(1.0, successes=0, size=8, blind=0.0)
    assert found.best_level() < 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 1e308, 0.0])
def test_a_damaged_state_is_refused(value: float) -> None:
    """Numbers that are no distribution would keep a task at its lowest level for ever."""
    found = estimate()
    chances = np.frombuffer(base64.b64decode(found.state())).copy()
    chances[: chances.size // 2 if value else None] = value
    with pytest.raises(ValueError, match="no distribution"):
        found.load(base64.b64encode(chances.tobytes()).decode())
