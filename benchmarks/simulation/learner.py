"""A simulated policy: a hidden skill for each task, and what groups of completions do to it.

    learner = Learner("weak", seed=0)
    outcome = learner.answer("gcd", level=0.3, group_size=8)    # right, tokens, informative

The model, in logits, is that of item response theory (Rasch): a completion is right with chance
g + (1 - g) / (1 + exp(difficulty - skill)), where g is the chance of a blind guess and items of one
level differ by a normal of 1. Skill is a general part, one for each category, one for each task.

- Learning: only an informative group teaches, and by how much a little skill would change the
  chance of being right, 4 q (1 - q) (1 - g): nothing where all is luck. A part goes to the whole
  category.
- Forgetting: what was learned fades with every group.
- Length: a task has its own, and completions grow by a factor of 4.5 from level 0 to level 1.

Tasks are those of reasoning-gym; difficulties, spans, lengths and skills are drawn by the seed. The
tasks' defaults are scattered over their scales, as the real ones are; blind guesses are what the
best constant answer was measured to earn.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rgenv.tasks import COMPOSITE, KNOWN_TASKS

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
LEARNED, SHARED, FORGOTTEN, RELEARNED = 0.015, 0.002, 1e-5, 0.02
GROWTH = 1.5
COLLAPSE_AT, COLLAPSE_BY, COLLAPSED_CATEGORIES = 0.4, 5.0, 4


@dataclass(frozen=True)
class Kind:
    """Mean skill, how far categories lie apart, and whether some of it is lost on the way."""

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
    """One group: how many were right of `size`, and what it cost."""

    right: int
    size: int
    tokens: float

    @property
    def informative(self) -> bool:
        """Whether the group's rewards differ."""
        return 0 < self.right < self.size

    @property
    def scores(self) -> list[float]:
        """One score for each completion."""
        return [1.0] * self.right + [0.0] * (self.size - self.right)


class Learner:
    """The policy. Vectors have one entry for each of `TASKS`."""

    def __init__(self, kind: str, seed: int) -> None:
        rng = np.random.default_rng([seed, *kind.encode()])
        count, self.kind = len(TASKS), KINDS[kind]
        self.places = {task: place for place, task in enumerate(TASKS)}
        self.category = np.array([CATEGORIES.index(KNOWN_TASKS[task]) for task in TASKS])
        by_category = rng.normal(self.kind.skill, self.kind.spread, len(CATEGORIES))
        self.innate = by_category[self.category]
        self.learned, self.shared = [0.0] * count, [0.0] * len(CATEGORIES)
        self.kept = 1.0  # of what these two hold: forgetting is one number
        self.lost = [0.0] * count
        self.easiest, self.span = rng.normal(-3, 2.5, count), rng.uniform(3, 9, count)
        self.default_level = rng.uniform(0.1, 0.8, count)
        self.guess = np.array([GUESSED.get(task, 0.0) for task in TASKS])
        self.length = np.exp(rng.normal(5.7, 0.7, count))
        self._falls = np.isin(
            self.category, rng.choice(len(CATEGORIES), COLLAPSED_CATEGORIES, False)
        )
        self._collapsed = False
        self._rng = random.Random(f"{kind} {seed}")

    def skills(self) -> np.ndarray:
        """The skill in each task."""
        gained = np.array(self.learned) + np.array(self.shared)[self.category]
        return self.innate + self.kept * gained - np.array(self.lost)

    def collapse(self) -> None:
        """Lose some categories, once, where this kind of learner does."""
        if self.kind.collapses and not self._collapsed:
            self._collapsed = True
            self.lost = [COLLAPSE_BY if falls else 0.0 for falls in self._falls]

    def answer(self, task: str, level: float | None, group_size: int) -> Outcome:
        """Write a group and learn from it."""
        i = self.places[task]
        place = float(self.default_level[i]) if level is None else level
        gained = self.kept * (self.learned[i] + self.shared[self.category[i]])
        skill = float(self.innate[i]) + gained - self.lost[i]
        hard = float(self.easiest[i]) + float(self.span[i]) * place
        gap = skill - hard + self._rng.gauss(0, 1)
        able = 1 / (1 + math.exp(-max(-30.0, min(30.0, gap))))
        guess = float(self.guess[i])
        chance = guess + (1 - guess) * able
        right = sum(self._rng.random() < chance for _ in range(group_size))
        tokens = group_size * float(self.length[i]) * math.exp(GROWTH * place)
        outcome = Outcome(right, group_size, tokens)
        self._learn(i, 4 * able * (1 - able) * (1 - guess) if outcome.informative else 0.0)
        return outcome

    def _learn(self, i: int, lesson: float) -> None:
        self.kept *= 1 - FORGOTTEN
        self.learned[i] += LEARNED * lesson / self.kept
        self.shared[self.category[i]] += SHARED * lesson / self.kept
        self.lost[i] *= 1 - RELEARNED * lesson

    def chances(self, levels: np.ndarray, group_size: int) -> np.ndarray:
        """The true chance of an informative group: a row for each task, a column for each level.

        Args:
            levels: the same for all tasks, or a row for each.
        """
        nodes, weights = np.polynomial.hermite_e.hermegauss(7)
        gap = self.skills()[:, None] - self.easiest[:, None] - self.span[:, None] * levels
        right = self.guess[:, None, None] + (1 - self.guess[:, None, None]) / (
            1 + np.exp(-(gap[:, :, None] + nodes))
        )
        mixed = 1 - right**group_size - (1 - right) ** group_size
        return mixed @ (weights / weights.sum())
