"""A simulated policy: a hidden skill for each task, and how groups of completions change it.

    learner = Learner("weak", seed=0)
    outcome = learner.answer("gcd", level=0.3, group_size=8)    # correct, size, tokens

The model is that of item response theory (Rasch), in logits. A completion is correct with
probability g + (1 - g) / (1 + exp(difficulty - skill)), where g is the probability of a correct
blind guess; the difficulties of items of one level have a standard deviation of 1. A skill is the
sum of a part for the category and a part for the task.

- Learning: only an informative group teaches. It teaches in proportion to 4 q (1 - q) (1 - g),
  where q is the probability without guessing: nothing where the result is all luck. A part of the
  gain goes to the whole category.
- Forgetting: what was learned fades with every group.
- Length: each task has its own, and completions grow by a factor of 4.5 from level 0 to level 1.

The tasks are those of reasoning-gym. Difficulties, spans, lengths and skills are drawn from the
seed. The default levels of the tasks are scattered over the scale, as the real ones are. The
probabilities of a correct guess are the measured accuracies of the best constant answers.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rgenv.tasks import COMPOSITE, KNOWN_TASKS

Floats = NDArray[np.float64]

TASKS = [task for task in KNOWN_TASKS if task != COMPOSITE]
CATEGORIES = sorted({KNOWN_TASKS[task] for task in TASKS})
GUESSED = {
    "acre": 0.39,
    "circuit_logic": 0.56,
    "course_schedule": 0.54,
    "gcd": 0.36,
    "isomorphic_strings": 0.56,
    "letter_counting": 0.36,
    "mahjong_puzzle": 0.35,
    "maze": 0.35,
    "ransom_note": 0.52,
    "rectangle_count": 0.42,
    "rotten_oranges": 0.32,
    "self_reference": 0.49,
    "shortest_path": 0.36,
    "syllogism": 0.5,
    "zebra_puzzles": 0.28,
}
"""Task -> probability of a correct guess, where it is not negligible."""

LEARNED, SHARED = 0.015, 0.002
"""The most that one group adds to the skill of its task and of its category."""

FORGOTTEN, RELEARNED = 1e-5, 0.02
"""The share of learned skill that fades with a group; the share of lost skill that one regains."""

GROWTH = 1.5
"""Natural logarithm of the factor by which completions grow from level 0 to level 1."""

COLLAPSE_AT, COLLAPSE_BY, COLLAPSED_CATEGORIES = 0.4, 5.0, 4
"""The share of the budget after which skill is lost, how much of it, and in how many categories."""


@dataclass(frozen=True)
class Kind:
    """A kind of learner.

    Attributes:
        skill: the mean skill at the start.
        spread: standard deviation of the skill between categories.
        collapses: whether some categories lose skill during the run.
    """

    skill: float
    spread: float
    collapses: bool = False


KINDS = {
    "weak": Kind(-3.0, 1.0),
    "strong": Kind(1.5, 1.0),
    "uneven": Kind(0.0, 3.0),
    "collapsing": Kind(0.5, 1.0, collapses=True),
}


class Outcome(NamedTuple):
    """One group: how many of its `size` completions are correct, and its tokens."""

    correct: int
    size: int
    tokens: float

    @property
    def informative(self) -> bool:
        """Whether the group's rewards differ."""
        return 0 < self.correct < self.size

    @property
    def scores(self) -> list[float]:
        """The score of each completion."""
        return [1.0] * self.correct + [0.0] * (self.size - self.correct)


class Learner:
    """The policy. Vectors have one entry for each of `TASKS`.

    Args:
        kind: one of `KINDS`.
        seed: of its skills and of its completions.
    """

    def __init__(self, kind: str, seed: int) -> None:
        rng = np.random.default_rng([seed, *kind.encode()])
        count, self.kind = len(TASKS), KINDS[kind]
        self.index = {task: number for number, task in enumerate(TASKS)}
        self.category = np.array([CATEGORIES.index(KNOWN_TASKS[task]) for task in TASKS])
        by_category = rng.normal(self.kind.skill, self.kind.spread, len(CATEGORIES))
        self.innate: Floats = by_category[self.category]
        self.learned, self.shared = [0.0] * count, [0.0] * len(CATEGORIES)
        self.retained = 1.0  # a factor of `learned` and `shared`, so that forgetting is one step
        self.lost = [0.0] * count
        self.easiest, self.span = rng.normal(-3, 2.5, count), rng.uniform(3, 9, count)
        self.default_level = rng.uniform(0.1, 0.8, count)
        self.guess = np.array([GUESSED.get(task, 0.0) for task in TASKS])
        self.length = np.exp(rng.normal(5.7, 0.7, count))
        self._can_collapse = np.isin(
            self.category, rng.choice(len(CATEGORIES), COLLAPSED_CATEGORIES, False)
        )
        self._collapsed = False
        self._rng = random.Random(f"{kind} {seed}")

    def skills(self) -> Floats:
        """Return the skill in each task, in logits."""
        gained = np.array(self.learned) + np.array(self.shared)[self.category]
        skills: Floats = self.innate + self.retained * gained - np.array(self.lost)
        return skills

    def collapse(self) -> None:
        """Lose skill in some categories, once, if this kind of learner does."""
        if self.kind.collapses and not self._collapsed:
            self._collapsed = True
            self.lost = [COLLAPSE_BY if collapses else 0.0 for collapses in self._can_collapse]

    def answer(self, task: str, level: float | None, group_size: int) -> Outcome:
        """Return a group of completions and learn from it.

        Args:
            level: difficulty in [0, 1]; None for the task's default.
        """
        i = self.index[task]
        place = float(self.default_level[i]) if level is None else level
        gained = self.retained * (self.learned[i] + self.shared[self.category[i]])
        skill = float(self.innate[i]) + gained - self.lost[i]
        difficulty = float(self.easiest[i]) + float(self.span[i]) * place
        gap = skill - difficulty + self._rng.gauss(0, 1)
        able = 1 / (1 + math.exp(-max(-30.0, min(30.0, gap))))
        guess = float(self.guess[i])
        chance = guess + (1 - guess) * able
        correct = sum(self._rng.random() < chance for _ in range(group_size))
        tokens = group_size * float(self.length[i]) * math.exp(GROWTH * place)
        outcome = Outcome(correct, group_size, tokens)
        self._learn(i, 4 * able * (1 - able) * (1 - guess) if outcome.informative else 0.0)
        return outcome

    def _learn(self, i: int, gain: float) -> None:
        """Forget a little of everything and add `gain` in [0, 1] to task `i`."""
        self.retained *= 1 - FORGOTTEN
        self.learned[i] += LEARNED * gain / self.retained
        self.shared[self.category[i]] += SHARED * gain / self.retained
        self.lost[i] *= 1 - RELEARNED * gain

    def chances(self, levels: Floats, group_size: int) -> Floats:
        """Return the true probability that a group is informative.

        Args:
            levels: levels that are the same for all tasks, or a row for each task.

        Returns:
            A row for each task, a column for each level.
        """
        nodes, weights = np.polynomial.hermite_e.hermegauss(7)
        gap = self.skills()[:, None] - self.easiest[:, None] - self.span[:, None] * levels
        correct = self.guess[:, None, None] + (1 - self.guess[:, None, None]) / (
            1 + np.exp(-(gap[:, :, None] + nodes))
        )
        differ = 1 - correct**group_size - (1 - correct) ** group_size
        chances: Floats = differ @ (weights / weights.sum())
        return chances
