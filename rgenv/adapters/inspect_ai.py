"""inspect-ai: an evaluation of held-out problems, and its scorer.

Score each completion with ``verdict()`` in tasks of your own; samples need a recipe in their
metadata, as `sample` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rgenv.adapters import shared
from rgenv.dialogue.reading import Reading
from rgenv.errors import require_extra
from rgenv.gym.clients import AsyncReasoningGym, ReasoningGym
from rgenv.task_names import parse_levels
from rgenv.text import level_name
from rgenv.types import SOLVED, Problem

require_extra("inspect", ["inspect_ai"], "rgenv.adapters.inspect_ai")

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import TaskState

ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser}


@task
def reasoning_gym(
    tasks: str | Sequence[str] = (),
    levels: str | float | Sequence[Any] = "none",
    per_task: int = 20,
    eval_seed: int = 123,
    task_modules: str | Sequence[str] = (),
    problems: str = "library",
    answer_format: str = "tags",
    system_prompt: str = "default",
    thinking_opened: bool = False,
) -> Task:
    """Ask held-out problems, which training never serves.

    Args:
        levels: difficulties in [0, 1]; ``none`` for a task's default parameters.
        per_task: problems of each task at each level.
        eval_seed: draws the problems.
        thinking_opened: as in `verdict`; the others are as in `ReasoningGym`.
    """
    words = levels if isinstance(levels, Sequence) and not isinstance(levels, str) else [levels]
    chosen = parse_levels(",".join(map(str, words)))
    modules = (task_modules,) if isinstance(task_modules, str) else tuple(task_modules)
    with ReasoningGym(
        tasks,
        eval_seed=eval_seed,
        task_modules=modules,
        problems=problems,
        answer_format=answer_format,
        system_prompt=system_prompt,
    ) as gym:
        sets = [gym.held_out(name, per_task, level) for name in gym.task_names for level in chosen]
    samples = [sample(problem) for problems in sets for problem in problems]
    dataset = MemoryDataset(samples, name="reasoning-gym")
    return Task(dataset=dataset, scorer=verdict(modules, thinking_opened))


def sample(problem: Problem) -> Sample:
    """Return a problem as a sample of inspect."""
    return Sample(
        id=f"{problem.task}-{level_name(problem.level)}-{problem.recipe['seed']}",
        input=[ROLES[one["role"]](content=one["content"]) for one in problem.messages],
        target=problem.answer or "",
        metadata={"task": problem.task, "level": problem.level, "recipe": problem.recipe},
    )


@scorer(metrics={"score": [mean(), stderr()], "solved": [accuracy(), stderr()]})
def verdict(task_modules: Sequence[str] = (), thinking_opened: bool = False) -> Scorer:
    """Score completions in worker processes; the explanation is the verdict's reason.

    Args:
        task_modules: files with tasks of your own, as in `ReasoningGym`.
        thinking_opened: the chat template opens the thinking, which completions only close.
    """

    async def score(state: TaskState, target: Target) -> Score:
        completion = state.output.completion
        if thinking_opened:
            content = state.output.message.content
            parts = [] if isinstance(content, str) else content
            if not any(part.type == "reasoning" for part in parts):  # inspect takes it out
                completion = f"<think>{completion}"
        gym = shared(AsyncReasoningGym, task_modules=list(task_modules))
        [found] = await gym.verdicts(state.metadata["recipe"], [completion])
        return Score(
            value={"score": found.score, "solved": float(found.score >= SOLVED)},
            answer=Reading.of_recipe(state.metadata["recipe"]).answer(completion),
            explanation=f"{found.kind}: {found.detail}" if found.detail else found.kind,
            reason=None if found.kind == "scored" else found.kind,
        )

    return score
