import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from rgenv.errors import MakeFailed
from rgenv.stream.held_out import EvaluationSet
from rgenv.stream.stream import evaluation_seeds
from rgenv.types import Problem


@dataclass
class Maker:
    """Makes problems with at most `questions` different questions for each level."""

    questions: int = 1000
    answer: Callable[[int], str] = str
    fit: Callable[[int], bool] = lambda seed: True
    made: list[tuple[str, int, float | None]] = field(default_factory=list)

    async def make(self, task: str, seed: int, level: float | None) -> Problem:
        self.made.append((task, seed, level))
        await asyncio.sleep(0)
        number, is_fit = seed % self.questions, self.fit(seed)
        texts = f"{task} {number} {level}?", self.answer(seed)
        marks = {"winnable": is_fit or seed % 2 > 0, "held_out": is_fit or seed % 2 == 0}
        return Problem(task, seed, level, {}, *texts, **marks, family=number // 2)


def evaluation_set(make: Any, **options: Any) -> EvaluationSet:
    defaults = {"per_task": 3, "eval_seed": 123, "levels": [None, 0.5]}
    return EvaluationSet(make, **{**defaults, **options})


async def test_only_winnable_held_out_problems_are_chosen() -> None:
    maker = Maker(fit=lambda seed: seed % 5 == 0)
    problems = await evaluation_set(maker.make, per_task=10, levels=[None]).of_task("gcd")
    assert len(problems) == 10 and all(problem.seed % 5 == 0 for problem in problems)


async def test_a_small_task_ends_however_many_problems_are_wanted() -> None:
    """Neither seeds nor calls of what is wanted are in memory, and no answer is asked for ever."""
    maker = Maker(questions=30)
    problems = await evaluation_set(maker.make, per_task=10**8, levels=[None]).of_task("gcd")
    assert len(problems) == 30 and len(maker.made) < 5000


async def test_no_answer_is_frequent_while_there_are_others() -> None:
    """Of twenty problems at most eleven have the same answer; a constant earns no more."""
    maker = Maker(answer=lambda seed: "no" if seed % 8 else "yes")
    problems = await evaluation_set(maker.make, per_task=20, levels=[None]).of_task("gcd")
    assert Counter(problem.answer for problem in problems) == {"no": 11, "yes": 9}
    unbalanced = evaluation_set(maker.make, per_task=20, levels=[None], balance_labels=False)
    assert Counter(p.answer for p in await unbalanced.of_task("gcd"))["no"] > 13


async def test_few_families_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    await evaluation_set(Maker(questions=10**9).make).of_tasks(["gcd"])
    assert not caplog.text
    await evaluation_set(Maker(questions=8).make, per_task=8).of_tasks(["gcd"])
    assert "gcd (4), gcd at level 0.5 (4)" in caplog.text


async def test_tasks_without_held_out_problems_are_named(caplog: pytest.LogCaptureFixture) -> None:
    maker = Maker(questions=2, fit=lambda seed: False)
    assert await evaluation_set(maker.make, per_task=1).of_tasks(["gcd", "lcm"]) == []
    assert "so nothing is found out about them: gcd, lcm." in caplog.text


async def test_problems_that_cannot_be_made_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    maker, counted = Maker(), list[str]()
    bad = next(evaluation_seeds("gcd", eval_seed=123))

    async def make(task: str, seed: int, level: float | None) -> Problem:
        if seed == bad:
            raise MakeFailed("timeout", "10 s")
        return await maker.make(task, seed, level)

    assert len(await evaluation_set(make, count=counted.append).of_task("gcd")) == 6
    assert counted == ["not_made/timeout"] * 2
    assert f"seed {bad}" in caplog.text


async def test_a_limit_takes_tasks_and_levels_in_turn() -> None:
    """Only the chosen tasks are made, and a greater limit adds problems to a smaller one."""
    names = [f"task{n}" for n in range(8)]

    async def limited(limit: int) -> tuple[list[Problem], int]:
        maker = Maker()
        chosen = await evaluation_set(maker.make, eval_seed=1).of_tasks(names, limit=limit)
        return chosen, len({task for task, _, _ in maker.made})

    few, made = await limited(4)
    assert made == len({p.task for p in few}) == len(few) == 4
    assert Counter(p.level for p in few) == {None: 2, 0.5: 2}
    more, made = await limited(20)
    assert made == 8 and more[:4] == few
    assert set(Counter(p.task for p in more).values()) == {2, 3}
    everything, _ = await limited(1000)
    assert len(everything) == len({(p.task, p.seed, p.level) for p in everything}) == 48
    assert everything[:20] == more
