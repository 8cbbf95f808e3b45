"""Make problems of tasks, and score an answer to one of them.

::

    with ReasoningGym(workers=1) as gym:
        for made in make_all(gym, wanted(["gcd"], count=3, first_seed=0, level=0.5)):
            ...
        scored = score(gym, problem, answers.read("4"))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rgenv.catalog.answers import Given
from rgenv.catalog.token_estimate import prompt_tokens
from rgenv.errors import MakeFailed
from rgenv.gym import recipes
from rgenv.gym.clients import ReasoningGym
from rgenv.gym.recipes import Recipe
from rgenv.text import one_line
from rgenv.types import Problem, Verdict
from rgenv.viewing.verdicts import VERDICTS


@dataclass(frozen=True)
class Failed:
    """A problem that could not be made."""

    recipe: Recipe
    reason: str

    def __str__(self) -> str:
        return f"{self.recipe.task}, seed {self.recipe.seed}: no problem ({self.reason})"


def wanted(
    tasks: Sequence[str], *, count: int, first_seed: int, level: float | None
) -> list[Recipe]:
    """Return recipes for `count` problems of each task, with consecutive seeds."""
    return [
        recipes.new(task, seed, level, None)
        for task in tasks
        for seed in range(first_seed, first_seed + count)
    ]


def make_all(gym: ReasoningGym, wanted: Iterable[Recipe]) -> Iterator[Problem | Failed]:
    """Make problems, one after the other, as they are asked for."""
    for one in wanted:
        try:
            yield gym.make(one.task, one.seed, one.level, one.config)
        except MakeFailed as error:
            yield Failed(one, one_line(error))


@dataclass(frozen=True)
class Scored:
    """An answer and its verdict."""

    given: Given
    verdict: Verdict

    @property
    def meaning(self) -> str:
        """What the kind of the verdict means, in a sentence."""
        return VERDICTS[self.verdict.kind]

    def as_json(self) -> dict[str, Any]:
        """Return the verdict and how the answer was read, JSON-able."""
        return {
            "read_as": "completion" if self.given.is_whole else "answer",
            "answer": self.given.extracted,
            "score": self.verdict.score,
            "verdict": self.verdict.kind,
            "meaning": self.meaning,
            "detail": self.verdict.detail,
        }


def score(gym: ReasoningGym, problem: Problem, given: Given) -> Scored:
    """Score an answer."""
    return Scored(given, gym.verdicts(problem, [given.completion])[0])


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return a problem, JSON-able."""
    return {
        "task": problem.task,
        "level": problem.level,
        "seed": problem.seed,
        "question": problem.question,
        "clarification": problem.clarification or None,
        "answer": problem.answer,
        "winnable": problem.winnable,
        "prompt_tokens": prompt_tokens(problem.messages),
        "messages": problem.messages,
        "recipe": problem.recipe,
    }
