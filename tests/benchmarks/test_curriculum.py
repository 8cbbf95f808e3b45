"""The simulated policies answer as stated, and the curriculum leads them where it should."""

import random

import pytest

from benchmarks import curriculum
from benchmarks.policies import Policy, always, answer, falling, mean, simulate

SEEDS = range(1)


def groups_of(policy: Policy, level: float, count: int = 400) -> list[tuple[float, float, float]]:
    """Return the shares right, wrong and cut of groups at a level."""
    rng, found = random.Random(0), []
    for number in range(count):
        group = answer(policy, level, number, rng)
        right = sum(score == 1.0 for score in group.scores) / len(group.scores)
        cut = sum(group.cut) / len(group.cut)
        found.append((right, 1 - right - cut, cut))
    return found


def test_completions_are_right_or_cut_as_often_as_stated() -> None:
    """A cut completion is never right; luck counts for those that are not known."""
    policy = Policy(falling(0.5, 0.1), always(0.3), luck=0.5)
    shares = [sum(share) / 400 for share in zip(*groups_of(policy, 0.5), strict=True)]
    assert shares == pytest.approx([0.7 * 0.75, 0.7 * 0.25, 0.3], abs=0.03)


def test_completions_of_a_problem_are_as_alike_as_stated() -> None:
    """The correlation of two completions of a group is `alike`, and its size `size`."""
    policy = Policy(always(0.5), alike=0.5, size=4)
    rng = random.Random(0)
    groups = [answer(policy, 0.5, number, rng).scores for number in range(4000)]
    assert {len(group) for group in groups} == {4}
    assert sum(group[0] == group[1] for group in groups) / 4000 == pytest.approx(0.75, abs=0.03)


def test_wrong_answers_earn_partial_credit_and_come_back_later() -> None:
    """A group with a wrong answer takes longer."""
    wrong = answer(Policy(always(0.0), partial=0.45, slow=4.0), 0.5, 0, random.Random(0))
    right = answer(Policy(always(1.0), partial=0.45, slow=4.0), 0.5, 0, random.Random(0))
    assert set(wrong.scores) == {0.45} and set(right.scores) == {1.0}
    assert wrong.ends > 1 > right.ends


def test_problems_are_planned_before_they_are_needed() -> None:
    """The level of a group is older, the more groups are planned ahead and in progress."""

    class Counting:
        """Its level counts the groups that it observed."""

        observed = 0

        def current(self, task: str) -> float:
            return float(self.observed)

        def observe(self, *_group: object) -> None:
            self.observed += 1

    done = simulate(Counting(), Policy(always(0.5)), groups=300, seed=0, ahead=8, workers=4)
    ages = [number - group.level for number, group in enumerate(done)]
    assert 10 <= sum(ages[50:]) / len(ages[50:]) <= 13
    assert mean(done, "cut") == 0


def test_few_completions_are_cut_and_partial_credit_is_not_right() -> None:
    """The level stays below the limit; a task that is never right goes to the lowest level."""
    assert all(row["cut"] < 0.4 for row in curriculum.cut(SEEDS).values())
    assert curriculum.partial_credit(SEEDS)["level"] == 0


def test_sixteen_replicas_are_as_fast_as_one() -> None:
    """With shared evidence the groups of all replicas together are as many, within a factor 1.5."""
    one, many = (curriculum.train(0, n, groups=1500) for n in (1, 16))
    assert many["groups_until_close"] <= 1.5 * one["groups_until_close"]
