"""verifiers (0.4 and later) and prime-rl: a taskset without end, and one of held-out problems.

Two modules beside rgenv make them plugins, which both find by name. Tasks are read in one process
and scored in others, so a curriculum learns through a folder: each process that scores writes what
it saw there, and the one that reads the tasks polls it.
"""

from __future__ import annotations

import asyncio
import functools
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from rgenv.adapters import shared
from rgenv.errors import BadUsage, require_extra
from rgenv.gym.clients import AsyncReasoningGym, ReasoningGym
from rgenv.stream.difficulty import Evidence
from rgenv.stream.shared_evidence import SharedEvidence
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
    answer_format: str = "tags"
    system_prompt: str = "default"
    thinking_opened: bool = False
    """The chat template opens the thinking, and replies have it up to its closing tag."""
    evidence: str = ""
    """The folder through which a curriculum learns, in training alone; all processes see it."""


class ReasoningGymTask(vf.Task[ReasoningGymData, vf.State, ReasoningGymTaskConfig]):
    """A problem and its reward."""

    @vf.reward
    async def correct(self, trace: vf.Trace) -> float:
        """Score the last reply in a worker process; its verdict is in `trace.info`."""
        is_apart = any(message.reasoning_content for message in trace.assistant_messages[-1:])
        opening = "<think>" if self.config.thinking_opened and not is_apart else ""
        [verdict] = await self._gym.verdicts(self.data.recipe, [opening + trace.last_reply])
        trace.info["verdict"] = {"kind": verdict.kind, "detail": verdict.detail}
        trace.record_metric("solved", float(verdict.score >= SOLVED))
        if self.config.evidence and verdict.reflects_model:
            task, level = self.data.recipe["task"], self.data.recipe["level"]
            cut = trace.is_truncated
            right = verdict.score >= SOLVED and not cut
            found = Evidence(task, level, right=int(right), cut=int(cut), size=1)
            await asyncio.to_thread(_shared(self.config.evidence).exchange, [found])
        return verdict.score

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Return whether the recipe makes this problem, whose reference answer is right."""
        problem = await self._gym.make(**self.data.recipe)
        if problem.answer is None:
            return None
        right = problem.dialogue.reading.write(problem.answer)
        [score] = await self._gym.score(problem, [right])
        return problem.question == self.data.prompt and score >= SOLVED

    @property
    def _gym(self) -> AsyncReasoningGym:
        names = {"workers", "strict_verifiers", "task_modules"}
        return shared(AsyncReasoningGym, **self.config.model_dump(include=names))


class ChosenConfig(vf.TasksetConfig):
    """Which problems are served: ``--env.taskset.*``, as the arguments of `ReasoningGym`."""

    tasks: list[str] = []  # noqa: RUF012
    problems: Literal["library", "hardened"] = "library"
    task: ReasoningGymTaskConfig = ReasoningGymTaskConfig()


class ReasoningGymConfig(ChosenConfig):
    """See `ReasoningGym.problems`."""

    level: float | Literal["random", "curriculum"] | None = None
    seed: int = 42


class HeldOutConfig(ChosenConfig):
    """See `ReasoningGym.held_out`."""

    level: float | None = None
    per_task: int = 20


class ReasoningGymTaskset(vf.Taskset[ReasoningGymTask, ReasoningGymConfig]):
    """The stream of training problems, the same one for the same configuration."""

    INFINITE = True

    def load(self) -> Iterator[ReasoningGymTask]:
        """Yield the problems, without end; a curriculum learns before each."""
        level, folder = self.config.level, self.config.task.evidence
        if level == "curriculum" and not folder:
            raise BadUsage("A curriculum learns from scores: set taskset.task.evidence, a folder.")
        shared = SharedEvidence(Path(folder), "") if level == "curriculum" else None
        with _maker(self.config, seed=self.config.seed) as gym:
            problems = gym.problems(level=level)
            while True:
                for found in shared.exchange() if shared else []:
                    if found.task in gym.task_names:
                        recipe = {"task": found.task, "seed": 0, "level": found.level}
                        gym.observe(recipe, *found.completions())
                yield _task(next(problems), self.config.task)


class ReasoningGymHeldOutTaskset(vf.Taskset[ReasoningGymTask, HeldOutConfig]):
    """The held-out problems of each task."""

    def load(self) -> Iterator[ReasoningGymTask]:
        """Yield the problems, task by task."""
        with _maker(self.config) as gym:
            for task in gym.task_names:
                for problem in gym.held_out(task, self.config.per_task, self.config.level):
                    yield _task(problem, self.config.task)


def _maker(config: ChosenConfig, **settings: Any) -> ReasoningGym:
    names = {"strict_verifiers", "task_modules", "answer_format", "system_prompt"}
    of_task = config.task.model_dump(include=names)
    return ReasoningGym(config.tasks, problems=config.problems, **of_task, **settings)


def _task(problem: Problem, config: ReasoningGymTaskConfig) -> ReasoningGymTask:
    asked = {"system_prompt": problem.dialogue.system or None, "prompt": problem.question}
    data = ReasoningGymData(name=problem.task, recipe=problem.recipe, **asked)
    return ReasoningGymTask(data, config)


@functools.cache
def _shared(folder: str) -> SharedEvidence:
    return SharedEvidence(Path(folder), f"{socket.gethostname()}-{os.getpid()}")
