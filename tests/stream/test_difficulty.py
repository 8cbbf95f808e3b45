"""rgenv/stream/difficulty.py: the three modes and the rule of the curriculum."""

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from rgenv.stream.difficulty import MAX_MOVE, START, Difficulty, Evidence

pytestmark = pytest.mark.slow


def observe(difficulty: Difficulty, *group: Any) -> float | None:
    """Show a group: task, level, scores, and perhaps which completions were cut."""
    return difficulty.learn(Evidence.of(*group, *[None][: 4 - len(group)]))


def test_the_curriculum_starts_where_it_is_told() -> None:
    """A task begins at its own level, the others where all did; what is saved wins."""
    told = Difficulty("curriculum", start_levels={"gcd": 0.8})
    assert (told.current("gcd"), told.current("lcm")) == (0.8, START)
    assert told.level_for("gcd", 0.5) == 0.8 and told.levels() == {}
    observe(told, "gcd", 0.8, [0.0] * 8)
    assert told.current("gcd") == pytest.approx(0.8 - MAX_MOVE)
    other = Difficulty("curriculum", start_levels={"gcd": 0.1, "lcm": 0.1})
    other.load(told.state())
    assert (other.current("gcd"), other.current("lcm")) == (told.current("gcd"), 0.1)


def test_partial_credit_is_no_evidence_of_solving() -> None:
    difficulty = Difficulty("curriculum", target_accuracy=0.4)
    for _ in range(30):
        observe(difficulty, "gcd", difficulty.current("gcd"), [0.45] * 8)
    assert difficulty.current("gcd") == 0.0


@pytest.mark.parametrize("target", [0.1, 0.7])
def test_guesses_on_a_yes_no_task_lead_to_the_lowest_level(target: float) -> None:
    """Half of the answers right is what luck earns, at any target."""
    difficulty, rng = Difficulty("curriculum", target_accuracy=target), random.Random(0)
    levels = []
    for _ in range(400):
        levels.append(difficulty.current("syllogism"))
        scores = [float(rng.random() < 0.5) for _ in range(8)]
        observe(difficulty, "syllogism", levels[-1], scores)
    assert sum(levels[200:]) / 200 <= 0.05


Chance = Callable[[float, int], float]
"""A chance at a level, in a group of a number."""


def falls(level: float, middle: float, width: float = 0.1) -> float:
    """Return a chance that falls from 1 to 0 around a level."""
    return 1 / (1 + math.exp(min(50.0, (level - middle) / width)))


class Simulated(NamedTuple):
    level: float
    solved: float
    cut: float


def simulate(
    right: Chance,
    cut: Chance = lambda level, group: 0.0,
    *,
    target: float = 0.7,
    groups: int,
    size: int = 8,
    ahead: int = 1,
) -> list[Simulated]:
    """Run a policy; `ahead` groups are in progress, and end in any order."""
    difficulty = Difficulty("curriculum", target_accuracy=target)
    rng, task = random.Random(0), "chain_sum"
    running: list[tuple[float, list[float], list[bool]]] = []
    done: list[Simulated] = []
    while len(done) < groups:
        while len(running) < ahead:
            level = difficulty.current(task)
            cuts = [rng.random() < cut(level, len(done)) for _ in range(size)]
            scores = [float(not end and rng.random() < right(level, len(done))) for end in cuts]
            running.append((level, scores, cuts))
        level, scores, cuts = running.pop(rng.randrange(len(running)))
        observe(difficulty, task, level, scores, cuts)
        done.append(Simulated(level, sum(scores) / size, sum(cuts) / size))
    return done


def average(done: list[Simulated], name: str) -> float:
    return sum(getattr(group, name) for group in done) / len(done)


@pytest.mark.parametrize("target", [0.3, 0.7, 0.9])
@pytest.mark.parametrize(("middle", "size"), [(0.3, 4), (0.8, 4), (0.3, 16)])
def test_the_level_is_the_one_of_the_target_accuracy(
    target: float, middle: float, size: int
) -> None:
    """From any start the accuracy is near the target, and the level stays where it is."""
    done = simulate(lambda at, _: falls(at, middle), target=target, groups=500, size=size)
    late = done[200:]
    wanted = min(1.0, max(0.0, middle - 0.1 * math.log(target / (1 - target))))
    assert sum(abs(group.level - wanted) > 0.151 for group in late) <= 0.01 * len(late)
    if 0 < wanted < 1:
        assert average(late, "solved") == pytest.approx(target, abs=0.06)


SHAPES: dict[str, Chance] = {
    "a sharp limit": lambda level, group: float(level > 0.47),
    "some levels": lambda level, group: float(0.2 < level < 0.5),
    "longer with time": lambda level, group: 1 - falls(level, 1 - group / 900, 0.05),
    "all at once": lambda level, group: float(level > (0.9 if group < 300 else 0.1)),
    "four in ten anywhere": lambda level, group: 0.4,
}


@pytest.mark.parametrize("cut", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("target", [0.1, 0.7])
@pytest.mark.parametrize("ahead", [1, 24])
def test_no_policy_ends_with_most_completions_cut(cut: Chance, target: float, ahead: int) -> None:
    """Whatever the limit's shape, the target and the delay are."""
    done = simulate(lambda level, _: 0.95, cut, target=target, groups=600, ahead=ahead)
    assert average(done[300:], "cut") < 0.5


def test_the_level_follows_a_limit_and_a_learner_that_collapses() -> None:
    """It rises again once completions end in time, and falls when the skill does."""
    done = simulate(lambda level, _: 0.95, lambda level, group: float(group < 100), groups=150)
    assert done[60].level == done[99].level == 0.0 and done[-1].level > 0.5
    middles = [0.9] * 100 + [0.2] * 100
    offset = 0.1 * math.log(0.7 / 0.3)
    done = simulate(lambda level, group: falls(level, middles[group] + offset), groups=200)
    assert done[99].level == pytest.approx(0.9, abs=0.11) and done[130].level <= 0.36
