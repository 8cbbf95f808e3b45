"""Policies that do not learn, to see where a curriculum leads them, and how groups come back.

    policy = Policy(right=falling(0.6, 0.1), cut=rising(0.8, 0.05))
    groups = simulate(curriculum, policy, groups=600, workers=16, seed=0)
    mean(groups[300:], "cut")

A completion is cut at the token limit with a chance that depends on the level, and is right with
another, or by luck. A wrong one may earn partial credit and take longer. `ahead` problems are
planned before they are needed and `workers` groups are generated at the same time, so groups come
back late, and the fast ones first.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

GROUP_SIZE = 8
Chance = Callable[[float, int], float]
"""A chance at a level, in the group of a number."""


class Curriculum(Protocol):
    """What chooses the levels."""

    def current(self, task: str) -> float:
        """Return the level of a task."""
        ...

    def observe(
        self, task: str, level: float | None, scores: Sequence[float], cut: Sequence[bool]
    ) -> object:
        """Add a group."""
        ...


def always(chance: float) -> Chance:
    """Return the same chance at every level."""
    return lambda level, group: chance


def rising(middle: float, width: float) -> Chance:
    """Return a chance that rises from 0 to 1 around a level, as a logistic function."""
    return lambda level, group: 1 / (1 + math.exp(max(-50.0, min(50.0, (middle - level) / width))))


def falling(middle: float, width: float) -> Chance:
    """Return a chance that falls from 1 to 0 around a level."""
    return lambda level, group: 1 - rising(middle, width)(level, group)


@dataclass(frozen=True)
class Policy:
    """A policy.

    Attributes:
        right: the chance that a completion that is not cut is known to be right.
        cut: the chance that a completion is cut.
        luck: the chance that a completion that is not known is right all the same.
        partial: the score of a wrong answer.
        slow: how many times as long a wrong answer takes.
        spread: the standard deviation of the difficulty of problems of one level, in logits.
        alike: the correlation of the completions of one problem, by a beta distribution.
        size: the completions of a group.
    """

    right: Chance
    cut: Chance = lambda level, group: 0.0
    luck: float = 0.0
    partial: float = 0.0
    slow: float = 1.0
    spread: float = 0.0
    alike: float = 0.0
    size: int = GROUP_SIZE


class Done(NamedTuple):
    """A group: its level and the shares of its completions that are solved and cut."""

    level: float
    solved: float
    cut: float


class _Running(NamedTuple):
    """A group that is being generated; ordered by the time at which it ends."""

    ends: float
    number: int
    level: float
    scores: list[float]
    cut: list[bool]


def simulate(
    curriculum: Curriculum,
    policy: Policy,
    *,
    groups: int,
    seed: int,
    ahead: int = 1,
    workers: int = 1,
    task: str = "chain_sum",
) -> list[Done]:
    """Return the groups of one task, in the order in which they come back."""
    rng, now, started = random.Random(seed), 0.0, 0
    planned: deque[float] = deque()
    running: list[_Running] = []
    done: list[Done] = []
    while len(done) < groups:
        while len(running) < workers:
            planned.extend(curriculum.current(task) for _ in range(ahead - len(planned)))
            group = answer(policy, planned.popleft(), len(done), rng)
            heapq.heappush(running, group._replace(ends=now + group.ends, number=started))
            started += 1
        group = heapq.heappop(running)
        now = group.ends
        curriculum.observe(task, group.level, group.scores, group.cut)
        solved = sum(score == 1.0 for score in group.scores) / len(group.scores)
        done.append(Done(group.level, solved, sum(group.cut) / len(group.cut)))
    return done


def answer(policy: Policy, level: float, group: int, rng: random.Random) -> _Running:
    """Return a group of completions that starts at time 0."""
    chance = min(1 - 1e-9, max(1e-9, policy.right(level, group)))
    logit = math.log(chance / (1 - chance)) + rng.gauss(0, policy.spread)
    know = 1 / (1 + math.exp(-logit))
    if policy.alike:
        number = 1 / policy.alike - 1
        know = rng.betavariate(know * number, (1 - know) * number)
    scores, cut, longest = [], [], 0.0
    for _ in range(policy.size):
        ended = rng.random() >= policy.cut(level, group)
        right = ended and (rng.random() < know or rng.random() < policy.luck)
        scores.append(1.0 if right else policy.partial if ended else 0.0)
        cut.append(not ended)
        longest = max(longest, rng.uniform(0.2, 1) * (1 if right else policy.slow))
    return _Running(longest, 0, level, scores, cut)


def mean(groups: Sequence[Done], name: str) -> float:
    """Return the mean of an attribute over groups."""
    return float(sum(getattr(group, name) for group in groups) / len(groups))
