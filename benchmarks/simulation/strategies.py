"""Strategies that choose the next task and its level, behind one protocol.

    strategy = STRATEGIES["signal, curriculum"](learner, seed)
    task, level = strategy.choose(n)
    strategy.observe(task, level, outcome)

`EnvironmentStrategy` drives the environment's own sampler and curriculum as the environment does.
`ReferenceStrategy` follows the description of the reference's rule. The two oracles know the
learner's true probabilities: `OracleSampler` replaces the sampler alone, `GreedyOracle` the
curriculum as well.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Protocol

import numpy as np

from benchmarks.simulation.learner import TASKS, Floats, Learner, Outcome
from benchmarks.simulation.stepwise import StepwiseCurriculum
from rgenv.dataset.difficulty import Difficulty, Mode
from rgenv.dataset.stream import Stream
from rgenv.dataset.task_sampler import ALL_PARTS, SHARPNESS, Parts, SignalSampler

MIN_SHARE = 0.05
GROUP_SIZE = 8


class Strategy(Protocol):
    """A way to choose items."""

    def choose(self, n: int) -> tuple[str, float | None]:
        """Return task and level of item `n`; level None is the task's default."""
        ...

    def observe(self, task: str, level: float | None, outcome: Outcome) -> None:
        """Take note of a group that came back."""
        ...


class EnvironmentStrategy:
    """The environment's stream and difficulty, and its sampler if `signal`.

    Args:
        mode: of the difficulty.
        parts: of the sampler's rule.
        target: the accuracy that the curriculum aims at.
    """

    def __init__(
        self,
        seed: int,
        mode: Mode,
        *,
        signal: bool = False,
        parts: Parts = ALL_PARTS,
        target: float = 0.7,
    ) -> None:
        tasks = dict.fromkeys(TASKS, 1.0)
        self.stream = Stream(seed=seed, tasks=tasks)
        self.difficulty = Difficulty(mode, target_accuracy=target)
        self.sampler: SignalSampler | None = None
        if signal:
            self.sampler = SignalSampler(tasks, seed=seed, min_share=MIN_SHARE, parts=parts)

    def choose(self, n: int) -> tuple[str, float | None]:
        """Choose as the environment plans its items."""
        draw, band = self.stream.draw(n), None
        task = draw.task
        if self.sampler is not None:
            task, band = self.sampler.pick(n, self.difficulty.bands)
        return task, self.difficulty.level_for(task, draw.uniform, band)

    def observe(self, task: str, level: float | None, outcome: Outcome) -> None:
        """Tell sampler and curriculum about a group, as the environment does."""
        if self.sampler is not None:
            self.sampler.observe(
                *(task, level),
                has_gradient=outcome.informative,
                accuracy=outcome.correct / outcome.size,
                tokens=round(outcome.tokens),
                followed=self.difficulty.can_follow(task, outcome.scores, outcome.cuts),
            )
        self.difficulty.observe(task, level, outcome.scores, outcome.cuts)


class OracleSampler(SignalSampler):
    """The sampler with the learner's true probabilities in place of its beliefs."""

    def __init__(self, learner: Learner, difficulty: Difficulty, seed: int) -> None:
        super().__init__(dict.fromkeys(TASKS, 1.0), seed=seed, min_share=MIN_SHARE)
        self.learner, self.difficulty = learner, difficulty

    def _values(self, sums: Floats) -> Floats:
        """Return for each task the value by its true probability of an informative group."""
        levels = np.array([[self.difficulty.current(task)] for task in TASKS])
        chances = self.learner.chances(levels, GROUP_SIZE)
        return np.broadcast_to(chances**SHARPNESS, sums.shape[1:])


def oracle_sampler(learner: Learner, seed: int) -> EnvironmentStrategy:
    """Return `signal` with the curriculum and `OracleSampler` as its sampler."""
    strategy = EnvironmentStrategy(seed, "curriculum", signal=True, target=0.5)
    strategy.sampler = OracleSampler(learner, strategy.difficulty, seed)
    return strategy


class ReferenceStrategy:
    """Uniform tasks, and a curriculum whose levels reach the parameters of 20 tasks.

    The mean of a task's last five groups, whatever their level, is compared with the target.
    Outside a margin of 0.05 the level moves by 0.05, or less if the groups disagree. It moves by
    0.1 if it is below 0.5 and the mean is very good, or above 0.5 and the mean very bad. The other
    tasks keep their default parameters.
    """

    EFFECTIVE = frozenset(
        {
            "basic_arithmetic",
            "bitwise_arithmetic",
            "codeio",
            "futoshiki",
            "graph_color",
            "jugs",
            "leg_counting",
            "n_queens",
            "number_filtering",
            "palindrome_generation",
            "power_function",
            "prime_factorization",
            "quantum_lock",
            "ransom_note",
            "rearc",
            "self_reference",
            "sudoku",
            "tower_of_hanoi",
            "word_sequence_reversal",
            "word_sorting",
        }
    )

    def __init__(self, seed: int, target: float = 0.7) -> None:
        self.rng, self.target = random.Random(seed), target
        self.levels: dict[str, float] = defaultdict(lambda: 0.3)
        self.means: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=5))

    def choose(self, n: int) -> tuple[str, float | None]:
        """Choose any task with equal probability."""
        task = self.rng.choice(TASKS)
        return task, self.levels[task] if task in self.EFFECTIVE else None

    def observe(self, task: str, level: float | None, outcome: Outcome) -> None:
        """Count every group, whatever level it was made at."""
        means = self.means[task]
        means.append(float(np.mean(outcome.scores)))
        if len(means) < 3:
            return
        mean, calm = float(np.mean(means)), max(0.5, 1 - float(np.std(means)))
        now = self.levels[task]
        step = 0.05 * calm * ((mean > self.target + 0.05) - (mean < self.target - 0.05))
        if calm > 0.8 and mean > 0.9 and now < 0.5:
            step = 0.1 * calm
        if calm > 0.8 and mean < 0.3 and now > 0.5:
            step = -0.1 * calm
        self.levels[task] = min(1.0, max(0.0, now + step))


class GreedyOracle:
    """Knows every probability and asks the most informative tasks, each at its best level.

    As the sampler does, it keeps a minimum share of items for all tasks, so that both pay for
    breadth. It updates its choice every 100 items.
    """

    LEVELS = np.linspace(0, 1, 21)

    def __init__(self, learner: Learner, seed: int) -> None:
        self.learner, self.rng = learner, random.Random(seed)

    def choose(self, n: int) -> tuple[str, float | None]:
        """Choose one of the tasks within 0.01 of the best, or any task for the minimum share."""
        if n % 100 == 0:
            chances = self.learner.chances(self.LEVELS, GROUP_SIZE)
            highest = chances.max(axis=1)
            self.best_levels = self.LEVELS[chances.argmax(axis=1)]
            self.best_tasks = np.nonzero(highest >= highest.max() - 0.01)[0].tolist()
        any_task = self.rng.random() < MIN_SHARE
        i = self.rng.randrange(len(TASKS)) if any_task else self.rng.choice(self.best_tasks)
        return TASKS[i], float(self.best_levels[i])

    def observe(self, task: str, level: float | None, outcome: Outcome) -> None:
        """Ignore the group: the oracle knows better."""


def stepwise(_learner: Learner, seed: int) -> EnvironmentStrategy:
    """Return uniform tasks with the curriculum as it was."""
    strategy = EnvironmentStrategy(seed, "curriculum")
    strategy.difficulty = StepwiseCurriculum(0.7)
    return strategy


PARTS = ("luck", "cost")


def without(part: str, _learner: Learner, seed: int) -> EnvironmentStrategy:
    """Return `signal` with the curriculum, less a part of the sampler's rule."""
    parts = dataclasses.replace(ALL_PARTS, **{part: False})
    return EnvironmentStrategy(seed, "curriculum", signal=True, parts=parts, target=0.5)


STRATEGIES: dict[str, Callable[[Learner, int], Strategy]] = {
    "reference": lambda _, seed: ReferenceStrategy(seed),
    "uniform, none": lambda _, seed: EnvironmentStrategy(seed, None),
    "uniform, random": lambda _, seed: EnvironmentStrategy(seed, "random"),
    "uniform, curriculum": lambda _, seed: EnvironmentStrategy(seed, "curriculum"),
    "uniform, curriculum to 0.5": lambda _, seed: EnvironmentStrategy(
        seed, "curriculum", target=0.5
    ),
    "signal, none": lambda _, seed: EnvironmentStrategy(seed, None, signal=True),
    "signal, random": lambda _, seed: EnvironmentStrategy(seed, "random", signal=True),
    "signal, curriculum": lambda _, seed: EnvironmentStrategy(seed, "curriculum", signal=True),
    "signal, curriculum to 0.5": lambda _, seed: EnvironmentStrategy(
        seed, "curriculum", signal=True, target=0.5
    ),
    **{f"without {part}": functools.partial(without, part) for part in PARTS},
    "uniform, stepwise": stepwise,
    "oracle sampler": oracle_sampler,
    "greedy oracle": GreedyOracle,
}
"""Name -> a strategy for a learner and a seed: sampling, then difficulty mode."""
