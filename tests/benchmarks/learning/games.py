"""A hand-written gym with tasks that a tiny model can learn, and one that it can't."""

from collections.abc import Iterable

from rgenv.types import Problem

TASKS = ("gcd", "lcm")
"""gcd: the answer is always 1. lcm: no answer is right."""


class ToyGym:
    """Makes and scores such problems, as `ReasoningGym` would."""

    def make(self, task: str, seed: int, level: float | None = None) -> Problem:
        """A problem whose question has the wording of its task."""
        question = f"these numbers: {seed % 7}"
        if task == "gcd":
            question += ". Give only"
        return Problem(task, seed, level, {}, question=question, answer="1")

    def held_out(self, task: str, n: int, level: float | None = None) -> list[Problem]:
        """The first problems."""
        return [self.make(task, seed, level) for seed in range(n)]

    def score_many(self, pairs: Iterable[tuple[Problem, str]]) -> list[float]:
        """1.0 for the only right answer."""
        return [
            float(problem.task == "gcd" and text == "<answer>1</answer>") for problem, text in pairs
        ]
