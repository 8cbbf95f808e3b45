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
- Length: each task has its own, and completions grow by a factor of 4.5 from level 0 to level 1;
  wrong ones are half as long again. Completions longer than `BUDGET` are cut: they are wrong, and
  the trainer masks them.
- Partial credit: in a third of the tasks, a wrong answer that is not cut earns `PARTIAL`.

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

from rgenv.task_names import COMPOSITE, KNOWN_TASKS

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

BUDGET = 4096
"""Tokens after which a completion is cut."""

LENGTH_SPREAD, WRONG_LONGER = 0.4, 1.5
"""Standard deviation of the logarithm of the lengths within a level; the factor of wrong ones."""

PARTIAL = 0.45

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
    """One group.

    Attributes:
        correct: how many of its `size` completions are correct.
        tokens: of all completions.
        cut: how many completions are cut.
        cut_tokens: of these completions.
        longest: the tokens of the longest completion.
        partial: the score of wrong completions that are not cut.
    """

    correct: int
    size: int
    tokens: float
    cut: int = 0
    cut_tokens: float = 0.0
    longest: float = 0.0
    partial: float = 0.0

    @property
    def informative(self) -> bool:
        """Whether the rewards of the completions that are not masked differ."""
        return 0 < self.correct < self.size - self.cut

    @property
    def gradient_tokens(self) -> float:
        """The tokens that carry gradient."""
        return self.tokens - self.cut_tokens if self.informative else 0.0

    @property
    def scores(self) -> list[float]:
        """The score of each completion: correct ones, wrong ones, cut ones."""
        wrong = self.size - self.correct - self.cut
        return [1.0] * self.correct + [self.partial] * wrong + [0.0] * self.cut

    @property
    def cuts(self) -> list[bool]:
        """For each of the scores, whether the completion is cut."""
        return [False] * (self.size - self.cut) + [True] * self.cut


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
        self.length = np.exp(rng.normal(6.3, 0.7, count))
        self._can_collapse = np.isin(
            self.category, rng.choice(len(CATEGORIES), COLLAPSED_CATEGORIES, False)
        )
        self.partial = np.where(rng.random(count) < 1 / 3, PARTIAL, 0.0)
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
        right = [self._rng.random() < chance for _ in range(group_size)]
        usual = float(self.length[i]) * math.exp(GROWTH * place)
        lengths = [
            usual * self._rng.lognormvariate(0, LENGTH_SPREAD) * (1 if is_right else WRONG_LONGER)
            for is_right in right
        ]
        cut = [length > BUDGET for length in lengths]
        outcome = Outcome(
            correct=sum(is_right and not end for is_right, end in zip(right, cut, strict=True)),
            size=group_size,
            tokens=sum(min(length, BUDGET) for length in lengths),
            cut=sum(cut),
            cut_tokens=float(BUDGET * sum(cut)),
            longest=min(BUDGET, max(lengths)),
            partial=float(self.partial[i]),
        )
        kept = 1 - outcome.cut / group_size
        gain = 4 * able * (1 - able) * (1 - guess) * kept
        self._learn(i, gain if outcome.informative else 0.0)
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
        logarithms = np.log(self.length)[:, None] + GROWTH * levels
        ends = [_chance_to_end(logarithms + math.log(factor)) for factor in (1, WRONG_LONGER)]
        right, wrong = correct * ends[0][:, :, None], (1 - correct) * ends[1][:, :, None]
        none = (1 - right) ** group_size + (1 - wrong) ** group_size
        differ = 1 - none + (1 - right - wrong) ** group_size
        chances: Floats = differ @ (weights / weights.sum())
        return chances


def _chance_to_end(logarithms: Floats) -> Floats:
    """Return the chance that a completion is not cut, by the logarithm of the usual length."""
    spreads = (math.log(BUDGET) - logarithms) / LENGTH_SPREAD
    chances: Floats = 0.5 * (1 + np.vectorize(math.erf)(spreads / math.sqrt(2)))
    return chances
