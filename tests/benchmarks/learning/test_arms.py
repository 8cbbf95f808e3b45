"""The arms choose what their rules say."""

from collections import Counter
from collections.abc import Sequence

import pytest

pytest.importorskip("torch", reason="groups need requirements-learn.txt")

from benchmarks.learning.arms import ARMS
from benchmarks.learning.arms.base import Arm, Plan, Setting
from benchmarks.learning.grpo import Group
from benchmarks.learning.tasks import HIGHEST
from rgenv.types import Problem

TASKS = ("ab", "dice", "gcd")
CURRICULA = [name for name in ARMS if "curriculum" in name or "ours" in name or "signal" in name]


def probe(plans: Sequence[Plan]) -> list[float]:
    """An oracle's view: one task is half solved, and the others never."""
    return [0.5 if task == "ab" else 0.0 for task, _ in plans]


def arm_named(name: str) -> Arm:
    """An arm for three tasks."""
    return ARMS[name](Setting(tasks=TASKS, seed=1, probe=probe))


def group(plan: Plan, right: int, tokens: int = 5) -> Group:
    """A group of eight of which some are right."""
    problem = Problem(plan[0], 1, plan[1], {}, question="", answer="1")
    rewards = [1.0] * right + [0.0] * (8 - right)
    return Group(problem, [1], [[2] * tokens] * 8, rewards, [False] * 8)


def after(arm: Arm, right: dict[str, int], batches: int = 40) -> Counter[str]:
    """What an arm picks, after batches in which each task has so many right completions."""
    for _ in range(batches):
        arm.observe([group(plan, right[plan[0]]) for plan in arm.choose(16)])
    return Counter(task for _ in range(20) for task, _ in arm.choose(16))


@pytest.mark.parametrize("name", ["mopps", "sec", "pac", "signal_before", "ours", "oracle"])
def test_bandits_prefer_the_task_that_is_half_solved(name: str) -> None:
    """One task is half solved, one is dead and one is mastered."""
    picked = after(arm_named(name), {"ab": 4, "dice": 0, "gcd": 8})
    assert picked["ab"] > 0.55 * picked.total()


@pytest.mark.parametrize("name", ["uniform", "uniform_random", "uniform_curriculum", "rlve"])
def test_uniform_arms_stay_uniform(name: str) -> None:
    """Whatever the groups show, each task has about a third."""
    picked = after(arm_named(name), {"ab": 4, "dice": 0, "gcd": 8})
    assert min(picked.values()) > 0.25 * picked.total()


@pytest.mark.parametrize("name", [name for name in ARMS if name != "uniform"])
def test_no_arm_trains_above_the_highest_level(name: str) -> None:
    """Even where everything is solved."""
    arm = arm_named(name)
    for _ in range(60):
        plans = arm.choose(16)
        assert all(0 <= level <= HIGHEST for _, level in plans if level is not None)
        arm.observe([group(plan, 8) for plan in plans])


@pytest.mark.parametrize("name", [*CURRICULA, "rlve"])
def test_levels_rise_where_all_is_solved(name: str) -> None:
    """A curriculum and a window go up to the end."""
    arm = arm_named(name)
    for _ in range(60):
        arm.observe([group(plan, 8) for plan in arm.choose(16)])
    assert max(level or 0 for _, level in arm.choose(64)) == pytest.approx(HIGHEST)


def test_refill_learns_from_informative_groups_alone() -> None:
    """Groups with equal rewards are dropped; other arms keep them."""
    groups = [group(("ab", 0.3), right) for right in (0, 3, 8)]
    assert arm_named("refill").keep(groups) == groups[1:2]
    assert arm_named("mopps").keep(groups) == groups


def test_pac_prefers_rising_rewards_among_equal_advantages() -> None:
    """Two tasks have the same advantages in the end; one of them got there."""
    arm = arm_named("pac")
    for batch in range(30):
        arm.observe([group(("ab", 0.3), 4), group(("gcd", 0.3), min(4, 1 + batch // 8))])
        arm.observe([group(("dice", 0.3), 0)])
    picked = Counter(task for _ in range(40) for task, _ in arm.choose(16))
    assert picked["gcd"] > picked["ab"] > picked["dice"]


def test_without_luck_a_coin_flip_is_as_good_as_a_skill() -> None:
    """The whole rule asks isomorphic_strings at the accuracy of a guess much less."""
    tasks = ("ab", "isomorphic_strings")
    shares = {}
    for name in ("ours", "ours_without_luck"):
        arm = ARMS[name](Setting(tasks=tasks, seed=1, probe=probe))
        picked = after(arm, {"ab": 4, "isomorphic_strings": 4})
        shares[name] = picked["isomorphic_strings"] / picked.total()
    assert shares["ours"] < 0.25 < 0.4 < shares["ours_without_luck"]


def test_the_control_asks_only_what_can_be_taught() -> None:
    """Its levels are the curriculum's."""
    arm = ARMS["taught_alone"](Setting(tasks=("dice", "ab", "spell_backward"), seed=1, probe=probe))
    assert {task for task, _ in arm.choose(64)} == {"ab", "spell_backward"}
    for _ in range(60):
        arm.observe([group(plan, 8) for plan in arm.choose(16)])
    assert max(level or 0 for _, level in arm.choose(64)) == pytest.approx(HIGHEST)
