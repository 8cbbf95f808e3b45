"""verifiers (0.4 and later) and prime-rl: a taskset without end.

examples/trainers/reasoning_gym_v1.py makes it a plugin, which they find by the name of its module::

    PYTHONPATH=examples/trainers vf-eval reasoning-gym-v1 -n 20 -r 4 --env.taskset.level 0.5
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Literal

from rgenv.extras import require_extra
from rgenv.gym.clients import AsyncReasoningGym, ReasoningGym
from rgenv.types import SOLVED, Problem

require_extra("verifiers", ["verifiers"], "rgenv.adapters.verifiers")

import verifiers.v1 as vf


class ReasoningGymData(vf.TaskData):
    """What the model is asked, and what makes the problem again."""

    recipe: dict[str, Any]


class ReasoningGymTaskConfig(vf.TaskConfig):
    """How each process scores: ``--env.taskset.task.*``, as the arguments of `ReasoningGym`."""

    workers: int = 2
    strict_verifiers: bool = True
    task_modules: list[str] = []  # noqa: RUF012  # pydantic copies defaults


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
        right = problem.dialogue.reading.write(problem.answer)
        [score] = await self._gym.score(problem, [right])
        return problem.prompt == self.data.prompt and score >= SOLVED

    @property
    def _gym(self) -> AsyncReasoningGym:
        config = self.config
        return _scorer(config.workers, config.strict_verifiers, tuple(config.task_modules))


class ReasoningGymConfig(vf.TasksetConfig):
    """Which problems are served: ``--env.taskset.*``; see `ReasoningGym.problems`."""

    tasks: list[str] = []  # noqa: RUF012
    level: float | Literal["random"] | None = None
    seed: int = 42
    answer_format: str = "tags"
    system_prompt: str = "default"
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
        config, task = self.config, self.config.task
        same: dict[str, Any] = {
            "strict_verifiers": task.strict_verifiers,
            "task_modules": task.task_modules,
        }
        same |= {"answer_format": config.answer_format, "system_prompt": config.system_prompt}
        with ReasoningGym(config.tasks, seed=config.seed, **same) as gym:
            if not config.held_out:
                yield from map(self._task, gym.problems(level=config.level))
            for task in gym.task_names:
                yield from map(self._task, gym.held_out(task, config.held_out, config.level))

    def _task(self, problem: Problem) -> ReasoningGymTask:
        asked = {"system_prompt": problem.dialogue.system or None, "prompt": problem.prompt}
        data = ReasoningGymData(name=problem.task, recipe=problem.recipe, **asked)
        return ReasoningGymTask(data, self.config.task)


@functools.cache
def _scorer(workers: int, strict: bool, modules: tuple[str, ...]) -> AsyncReasoningGym:
    return AsyncReasoningGym(workers=workers, strict_verifiers=strict, task_modules=modules)
