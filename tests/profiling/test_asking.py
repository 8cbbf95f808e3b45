"""rgenv/profiling/walk.py: asking stage by stage, over a scripted model."""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

from rgenv.errors import MakeFailed
from rgenv.evaluation.asking import Reply
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.profiling.walk import Profiler, training_problems
from rgenv.types import Problem, Verdict

LEVELS = [0.0, 0.5, 1.0]
Write = Callable[[Problem], tuple[str, str]]
"""Returns the text and the finish reason of a completion."""


def right(problem: Problem) -> tuple[str, str]:
    return f"<answer>{problem.answer}</answer>", "stop"


def wrong(problem: Problem) -> tuple[str, str]:
    return "<answer>none</answer>", "stop"


def half(problem: Problem) -> tuple[str, str]:
    return right(problem) if problem.seed % 2 else wrong(problem)


class Model:
    """Answers problems of each task as `script` says."""

    def __init__(self, script: dict[str, Write]) -> None:
        self.script = script
        self.asked: list[tuple[str, float | None, int]] = []

    async def ask(self, problem: Problem) -> Reply:
        self.asked.append(problem.key)
        text, reason = self.script[problem.task](problem)
        return Reply([{"role": "user", "content": problem.question}], text, reason, 10)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [
            Verdict(0.0, "no_answer")
            if a is None
            else Verdict(float(a == problem.answer), "scored")
            for a in answers
        ]


async def made(task: str, seed: int, level: float | None) -> Problem:
    if task == "broken":
        raise MakeFailed("error", "ValueError")
    return Problem(task, seed, level, {}, f"{task} {seed}?", str(seed))


def profiler(model: Model, completions: int = 64, score: Any = None) -> Profiler:
    runner = EvaluationRunner(model.ask, score or model.score, concurrency=3, first_patience=0.01)
    return Profiler(
        runner,
        lambda task, level: training_problems(made, task, level, seed=7, balance_labels=False),
        group_size=8,
        completions=completions,
    )


async def test_a_task_without_problems_fails_alone() -> None:
    """The others have their verdicts, and nothing is asked for it."""
    model = Model({"toy": right})
    cells = await profiler(model).run({"broken": [None], "toy": [None]})
    assert cells["broken"][None].verdict == "failed" and cells["toy"][None].verdict == "mastered"


async def test_verifiers_that_fail_are_no_evidence() -> None:
    """A cell whose verifier times out is failed, not dead."""

    async def times_out(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(0.0, "timeout") for _ in answers]

    cells = await profiler(Model({"toy": wrong}), score=times_out).run({"toy": [0.5]})
    assert cells["toy"][0.5].verdict == "failed" and cells["toy"][0.5].counts.trials == 0


async def test_short_completions_that_come_first_do_not_decide() -> None:
    """The order in which a server answers changes no verdict: a look waits for its whole stage."""
    rng = random.Random(1)

    class Slow(Model):
        async def ask(self, problem: Problem) -> Reply:
            for _ in range(rng.randrange(20)):
                await asyncio.sleep(0)
            return await super().ask(problem)

    expected = await profiler(Model({"toy": half})).run({"toy": LEVELS})
    assert await profiler(Slow({"toy": half})).run({"toy": LEVELS}) == expected


# The problems of a cell


def of(seed: int, **changes: Any) -> Problem:
    return Problem("gcd", seed, 0.5, {}, changes.pop("question", f"{seed}?"), "1", **changes)


async def first(count: int, make: Any, task: str = "gcd", **more: Any) -> list[Problem | None]:
    async def called(task: str, seed: int, level: float | None) -> Problem:
        found = make(seed)
        assert isinstance(found, Problem)
        return found

    problems = training_problems(called, task, 0.5, seed=7, **more)
    return [await anext(problems) for _ in range(count)]


async def test_held_out_and_unwinnable_problems_are_passed_over() -> None:
    """As in training."""
    made = await first(8, lambda n: of(n, held_out=n % 2 == 0, winnable=n % 3 > 0))
    assert all(problem and not problem.held_out and problem.winnable for problem in made)


async def test_few_questions_come_again_rather_than_none_but_no_problem_does() -> None:
    """A task with a single question serves it, from other seeds."""
    made = await first(3, lambda seed: of(seed, question="?"))
    assert [problem and problem.question for problem in made] == ["?"] * 3
    assert await first(3, lambda seed: of(1)) == [of(1), None, None]
