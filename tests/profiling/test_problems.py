"""rgenv/profiling/problems.py: training problems of a cell, in a fixed order."""

from typing import Any

import pytest

from rgenv.errors import MakeFailed
from rgenv.profiling.problems import CellProblems
from rgenv.types import Problem
from rgenv.worker.protocol import EVAL_SEEDS, first_evaluation_seed


def problem(seed: int, **changes: Any) -> Problem:
    return Problem("gcd", seed, 0.5, {}, changes.pop("question", f"{seed}?"), "1", **changes)


def new(make: Any, task: str = "gcd", **more: Any) -> CellProblems:
    async def called(task: str, seed: int, level: float | None) -> Problem:
        found = make(seed)
        assert isinstance(found, Problem)
        return found

    return CellProblems(called, task, 0.5, seed=7, **more)


async def test_problems_are_the_same_in_any_order_and_any_process() -> None:
    """They depend on the seed, the task and the level, and on nothing that was asked before."""
    one, two = new(problem, balance_labels=False), new(problem, balance_labels=False)
    last = await two.get(5)
    assert [await one.get(n) for n in range(6)] == [await two.get(n) for n in range(6)]
    assert (await two.get(5)).seed == last.seed < EVAL_SEEDS
    assert (await one.get(0)).seed != (await one.get(1)).seed


async def test_a_task_of_short_seeds_has_seeds_of_training() -> None:
    """They are in the lower half of its range."""
    assert first_evaluation_seed("pool_matrix") == 1 << 31
    assert (await new(problem, "pool_matrix").get(0)).seed < 1 << 31


async def test_held_out_and_unwinnable_problems_are_passed_over() -> None:
    """As in training."""
    made = new(lambda seed: problem(seed, held_out=seed % 2 == 0, winnable=seed % 3 > 0))
    for index in range(8):
        found = await made.get(index)
        assert not found.held_out and found.winnable


async def test_few_questions_come_again_rather_than_none() -> None:
    """A task with a single question serves it."""
    made = new(lambda seed: problem(seed, question="?"))
    assert [(await made.get(n)).question for n in range(3)] == ["?"] * 3


async def test_a_frequent_answer_is_avoided() -> None:
    """No more than 11 of 20 problems have it, if there are others."""

    def make(seed: int) -> Problem:
        return Problem("gcd", seed, 0.5, {}, f"{seed}?", "no" if seed % 8 else "yes")

    made = new(make)
    answers = [(await made.get(n)).answer for n in range(20)]
    assert answers.count("no") <= 13


async def test_a_problem_that_cannot_be_made_is_a_failure_of_its_own() -> None:
    """The next one is tried anew."""
    calls: list[int] = []

    def make(seed: int) -> Problem:
        calls.append(seed)
        if len(calls) == 1:
            raise MakeFailed("error", "broken")
        return problem(seed)

    made = new(make)
    with pytest.raises(MakeFailed, match="no training problem of gcd"):
        await made.get(0)
    assert (await made.get(1)).seed == calls[1]
