"""The problems of a run, from one `ReasoningGym`.

    course = Course(gym, tokens, seed=1)
    course.next("gcd", 0.3)              # the next problem of a task
    held_out(gym, tokens, 64)            # {("gcd", 0.3): [(problem, prompt), ...]}

The k-th problem of a task has the same seed in every arm of a run's seed, whatever its level. Held
out problems and those that no answer wins are left out, as in the environment's stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks.learning.tasks import HARDER, LEVELS
from benchmarks.learning.tokens import Tokens
from rgenv import ReasoningGym
from rgenv.types import Problem

ATTEMPTS = 50
SEEDS_OF_A_RUN = 1_000_000
Asked = tuple[Problem, list[int]]
"""A problem and the tokens of its prompt."""


class Course:
    """The training problems of a run.

    Args:
        seed: of the run, at least 1.
    """

    def __init__(self, gym: ReasoningGym, tokens: Tokens, seed: int) -> None:
        self._gym, self._tokens = gym, tokens
        self._first = 100_000_000 + seed * SEEDS_OF_A_RUN
        self._drawn: Counter[str] = Counter()

    def next(self, task: str, level: float | None) -> Asked:
        """Return the next problem of a task, made at a level; None: default parameters.

        Raises:
            RuntimeError: `ATTEMPTS` problems in a row may not be asked.
        """
        for _ in range(ATTEMPTS):
            problem = self._gym.make(task, self._first + self._drawn[task], level)
            self._drawn[task] += 1
            if problem.winnable and not problem.held_out:
                return problem, self._tokens.prompt(task, problem.question)
        raise RuntimeError(f"{task} at level {level} has only problems that may not be asked")


def held_out(
    gym: ReasoningGym, tokens: Tokens, tasks: Sequence[str], count: int
) -> dict[tuple[str, float], list[Asked]]:
    """Return `count` held-out problems of each task at each level, `HARDER` included."""
    return {
        (task, level): [
            (problem, tokens.prompt(task, problem.question))
            for problem in gym.held_out(task, count, level)
        ]
        for task in tasks
        for level in (*LEVELS, HARDER)
    }
