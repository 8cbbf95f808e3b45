"""Ways to choose task and level, behind one protocol: ask for item n, hear of groups.

    strategy = STRATEGIES["signal"](learner, seed)
    task, level = strategy.ask(n)
    strategy.hear(task, level, outcome)

`Ours` drives the environment's own sampler and curriculum in the way the environment does. The
reference's rule is written here after its description; the oracles read the learner's mind, one in
the place of the sampler alone, the other in that of the curriculum as well.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from benchmarks.simulation.learner import TASKS, Learner, Outcome
from rgenv.dataset.difficulty import Difficulty, Mode, band_of
from rgenv.dataset.stream import Stream
from rgenv.dataset.task_sampler import Arm, SignalSampler

MIN_SHARE = 0.05
GROUP_SIZE = 8


class Strategy(Protocol):
    """What a run asks next, and what it is told."""

    def ask(self, n: int) -> tuple[str, float | None]:
        """Task and level of item n."""
        ...

    def hear(self, task: str, level: float | None, outcome: Outcome) -> None:
        """One group came back."""
        ...


class Ours:
    """The environment's stream, difficulty and, where `signal`, its sampler."""

    def __init__(self, seed: int, mode: Mode, *, signal: bool = False, target: float = 0.7) -> None:
        tasks = dict.fromkeys(TASKS, 1.0)
        self.stream = Stream(seed=seed, tasks=tasks)
        self.difficulty = Difficulty(mode, target_accuracy=target)
        self.sampler = SignalSampler(tasks, seed=seed, min_share=MIN_SHARE) if signal else None

    def ask(self, n: int) -> tuple[str, float | None]:
        """As the environment plans its items."""
        draw, band = self.stream.draw(n), None
        task = draw.task
        if self.sampler is not None:
            task, band = self.sampler.pick(n, self.difficulty.bands)
        return task, self.difficulty.level_for(task, draw.uniform, band)

    def hear(self, task: str, level: float | None, outcome: Outcome) -> None:
        """As the environment books its groups."""
        if self.sampler is not None:
            follows = self.difficulty.can_follow(task, outcome.scores)
            band = band_of(level)
            self.sampler.observe(task, band, outcome.informative, followed=follows)
        self.difficulty.observe(task, level, outcome.scores)


class Told(SignalSampler):
    """The sampler with the true chances in place of its beliefs."""

    def __init__(self, learner: Learner, difficulty: Difficulty, seed: int) -> None:
        super().__init__(dict.fromkeys(TASKS, 1.0), seed=seed, min_share=MIN_SHARE)
        self.learner, self.difficulty = learner, difficulty

    def _draws(self, arms: Sequence[Arm], rng: np.random.Generator) -> np.ndarray:
        """The chance of each task at its present level."""
        levels = np.array([[self.difficulty.current(task)] for task in TASKS])
        chances = self.learner.chances(levels, GROUP_SIZE)[:, 0]
        return np.array([chances[self.learner.places[task]] for task, _ in arms])


def oracle_sampler(learner: Learner, seed: int) -> Ours:
    """Everything as recommended, but the sampler need not listen."""
    strategy = Ours(seed, "curriculum", signal=True, target=0.5)
    strategy.sampler = Told(learner, strategy.difficulty, seed)
    return strategy


class Reference:
    """Uniform tasks; a curriculum whose levels reach the parameters of 20 tasks.

    The mean of a task's last five groups, whatever their level, is held against the target: outside
    a margin of 0.05 the level moves by 0.05, less when the groups disagree, and by 0.1 more at very
    good ones below 0.5 or very bad ones above. The other tasks keep their default parameters.
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

    def ask(self, n: int) -> tuple[str, float | None]:
        """Any task, uniformly."""
        task = self.rng.choice(TASKS)
        return task, self.levels[task] if task in self.EFFECTIVE else None

    def hear(self, task: str, level: float | None, outcome: Outcome) -> None:
        """Every group counts, whatever level it was made at."""
        means = self.means[task]
        means.append(outcome.right / outcome.size)
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
    """Knows every chance: asks what is most surely informative, each task at its best level.

    It keeps the same share of items for all tasks as the sampler does, so that both pay for
    breadth; it looks again every 100 items.
    """

    LEVELS = np.linspace(0, 1, 21)

    def __init__(self, learner: Learner, seed: int) -> None:
        self.learner, self.rng = learner, random.Random(seed)

    def ask(self, n: int) -> tuple[str, float | None]:
        """One of the best tasks, ties within 0.01; at times any."""
        if n % 100 == 0:
            chances = self.learner.chances(self.LEVELS, GROUP_SIZE)
            best = chances.max(axis=1)
            self.where = self.LEVELS[chances.argmax(axis=1)]
            self.best = np.nonzero(best >= best.max() - 0.01)[0].tolist()
        any_task = self.rng.random() < MIN_SHARE
        place = self.rng.randrange(len(TASKS)) if any_task else self.rng.choice(self.best)
        return TASKS[place], float(self.where[place])

    def hear(self, task: str, level: float | None, outcome: Outcome) -> None:
        """Nothing is news."""


STRATEGIES: dict[str, Callable[[Learner, int], Strategy]] = {
    "reference": lambda _, seed: Reference(seed),
    "uniform, none": lambda _, seed: Ours(seed, None),
    "uniform, random": lambda _, seed: Ours(seed, "random"),
    "uniform, curriculum": lambda _, seed: Ours(seed, "curriculum"),
    "uniform, curriculum to 0.5": lambda _, seed: Ours(seed, "curriculum", target=0.5),
    "signal, none": lambda _, seed: Ours(seed, None, signal=True),
    "signal, random": lambda _, seed: Ours(seed, "random", signal=True),
    "signal, curriculum": lambda _, seed: Ours(seed, "curriculum", signal=True),
    "signal, curriculum to 0.5": lambda _, s: Ours(s, "curriculum", signal=True, target=0.5),
    "oracle sampler": oracle_sampler,
    "greedy oracle": GreedyOracle,
}
