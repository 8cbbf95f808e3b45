"""RiggedPool: a PoolDouble of made-up problems whose verifier is a function of the test."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rgenv.errors import MakeFailed
from rgenv.types import Inspection, Problem, Verdict
from tests.support.pools import PoolDouble

Verifier = Callable[[str, str], float]
"""``verifier(answer, reference)`` returns the score of `answer`."""


def exact(answer: str, reference: str) -> float:
    """A healthy verifier: 1.0 for the reference answer, 0.0 for any other."""
    return float(answer == reference)


class RiggedPool(PoolDouble):
    """Make problems that ask for the square of seed + 11, and score answers by `verifier`.

    Args:
        fails: seeds whose problems can't be made.
        shortcuts: name of a rule -> its answer to the problem of a seed.
        work: the work of a problem, by its level; None: not known.

    Attributes:
        solved: the seeds for which `solve` was called, in order.
    """

    def __init__(
        self,
        verifier: Verifier = exact,
        *,
        question: Callable[[int], str] = "What is the square of {}?".format,
        answer: Callable[[int], str] = lambda seed: str((seed + 11) ** 2),
        fails: Sequence[int] = (),
        keeps_answers: bool = True,
        shortcuts: Mapping[str, Callable[[int], str]] | None = None,
        work: Callable[[float | None], float] | None = None,
    ) -> None:
        super().__init__()
        self.verifier, self.question, self.answer = verifier, question, answer
        self.fails, self.keeps_answers = fails, keeps_answers
        self.shortcuts, self.work = shortcuts or {}, work
        self.solved: list[int] = []

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        **more: Any,
    ) -> Problem:
        if seed in self.fails:
            raise MakeFailed("timeout", "no reply within 10 s")
        answer = self.answer(seed) if self.keeps_answers else None
        return Problem(task, seed, level, more.get("config") or {}, self.question(seed), answer)

    async def write(
        self, problem: Problem, reference: str, *, wrong_by: str | None = None
    ) -> Mapping[str, str]:
        return {}

    async def inspect(self, problem: Problem, answers: Sequence[str] = ()) -> Inspection:
        by_rule = {name: rule(problem.seed) for name, rule in self.shortcuts.items()}
        work = self.work(problem.level) if self.work else None
        return Inspection(by_rule, work, [False] * len(answers))

    async def solve(self, problem: Problem) -> str | None:
        self.solved.append(problem.seed)
        return self.answer(problem.seed)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """Return the verifier's scores; as in a WorkerPool, it never sees an empty answer."""
        reference = self.answer(problem.seed)
        return [
            Verdict(self.verifier(answer, reference), "scored")
            if answer
            else Verdict(0.0, "no_answer")
            for answer in answers
        ]
