"""verifiers (0.4 and later) and prime-rl: a taskset without end.

examples/trainers/reasoning_gym_v1.py makes it a plugin, which they find by the name of its module::

    PYTHONPATH=examples/trainers vf-eval reasoning-gym-v1 -n 20 -r 4 --env.taskset.level 0.5

Each process that scores has worker processes of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Literal

from rgenv.extras import require_extra
from rgenv.gym.clients import AsyncReasoningGym, ReasoningGym
from rgenv.prompts import SYSTEM_PROMPT
from rgenv.types import SOLVED, Problem

require_extra("verifiers", ["verifiers"], "rgenv.adapters.verifiers")

import verifiers.v1 as vf


class ReasoningGymData(vf.TaskData):
    """What the model is asked, and what makes the problem again."""

    recipe: dict[str, Any]


class ReasoningGymTaskConfig(vf.TaskConfig):
    """How answers are scored: ``--env.taskset.task.*``."""

    workers: int = 2
    """Processes that score answers."""
    strict_verifiers: bool = True
    """Use our verifiers where the library's are proven wrong."""


class ReasoningGymTask(vf.Task[ReasoningGymData, vf.State, ReasoningGymTaskConfig]):
    """A problem and its reward."""

    @vf.reward
    async def correct(self, trace: vf.Trace) -> float:
        """Score the last reply in a worker process; its verdict is in `trace.info`."""
        [verdict] = await self._gym.verdicts(self.data.recipe, [trace.last_reply])
        trace.info["verdict"] = {"kind": verdict.kind, "detail": verdict.detail}
        trace.record_metric("solved", float(verdict.score >= SOLVED))
        return verdict.score

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Return whether the recipe makes this problem, whose reference answer is right."""
        problem = await self._gym.make(**self.data.recipe)
        if problem.answer is None:
            return None
        [score] = await self._gym.score(problem, [f"<answer>{problem.answer}</answer>"])
        return problem.prompt == self.data.prompt and score >= SOLVED

    @property
    def _gym(self) -> AsyncReasoningGym:
        return _scorer(self.config.workers, self.config.strict_verifiers)


class ReasoningGymConfig(vf.TasksetConfig):
    """Which problems are served: ``--env.taskset.*``; see `ReasoningGym.problems`."""

    tasks: list[str] = []  # noqa: RUF012  # pydantic copies defaults
    level: float | Literal["random"] | None = None
    seed: int = 42
    held_out: int = 0
    """Serve this many evaluation problems of each task, and end; 0: training problems, endless."""
    task: ReasoningGymTaskConfig = ReasoningGymTaskConfig()


class ReasoningGymTaskset(vf.Taskset[ReasoningGymTask, ReasoningGymConfig]):
    """The stream of training problems, or the held-out problems of each task."""

    def __init__(self, config: ReasoningGymConfig) -> None:
        super().__init__(config)
        self.INFINITE = not config.held_out

    def load(self) -> Iterator[ReasoningGymTask]:
        """Yield the problems, the same ones for the same configuration."""
        config, strict = self.config, self.config.task.strict_verifiers
        with ReasoningGym(config.tasks, seed=config.seed, strict_verifiers=strict) as gym:
            if not config.held_out:
                yield from map(self._task, gym.problems(level=config.level))
            for task in gym.task_names:
                yield from map(self._task, gym.held_out(task, config.held_out, config.level))

    def _task(self, problem: Problem) -> ReasoningGymTask:
        named = {"name": problem.task, "recipe": problem.recipe}
        data = ReasoningGymData(system_prompt=SYSTEM_PROMPT, prompt=problem.prompt, **named)
        return ReasoningGymTask(data, self.config.task)


@functools.cache
def _scorer(workers: int, strict_verifiers: bool) -> AsyncReasoningGym:
    return AsyncReasoningGym(workers=workers, strict_verifiers=strict_verifiers)
