"""A pool whose verifier is a function of the test: one for each way to be unhealthy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rgenv.errors import MakeFailed
from rgenv.types import Problem, Verdict

Verifier = Callable[[str, str], float]
"""(answer, right answer) to score."""


def exact(answer: str, right: str) -> float:
    """The healthy one."""
    return float(answer == right)


class RiggedPool:
    """Problem n asks for the square of n + 11 and is scored by `verifier`.

    `question` writes a prompt; `fails` are seeds that can't be made, `lost` those that can't be
    won, `keeps_answers` says whether problems come with their answers.
    """

    def __init__(
        self,
        verifier: Verifier = exact,
        *,
        question: Callable[[int], str] = "What is the square of {}?".format,
        answer: Callable[[int], str] = lambda seed: str((seed + 11) ** 2),
        fails: Sequence[int] = (),
        lost: Sequence[int] = (),
        keeps_answers: bool = True,
    ) -> None:
        self.verifier, self.question, self.answer = verifier, question, answer
        self.fails, self.lost, self.keeps_answers = fails, lost, keeps_answers
        self.solved: list[int] = []

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
    ) -> Problem:
        """The problem, or a failure."""
        if seed in self.fails:
            raise MakeFailed("timeout", "no reply within 10 s")
        answer = self.answer(seed) if self.keeps_answers else None
        return Problem(
            task,
            seed,
            level,
            dict(config or {}),
            self.question(seed),
            answer,
            winnable=seed not in self.lost,
        )

    async def solve(self, problem: Problem) -> str | None:
        """The right answer, and a note that it was asked for."""
        self.solved.append(problem.seed)
        return self.answer(problem.seed)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """What the verifier says; nothing is nothing, as in the real pool."""
        right = self.answer(problem.seed)
        return [
            Verdict(self.verifier(answer, right), "scored") if answer else Verdict(0.0, "no_answer")
            for answer in answers
        ]
