"""tests/support/pools.py: the double has the surface of WorkerPool and passes calls on."""

import asyncio
import inspect
from typing import Any

import pytest

from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem, Verdict
from tests.support.pools import (
    HeldScoring,
    PoolDouble,
    failing_once,
    fixed_scores,
    fixed_scores_by_task,
)

PROBLEM = Problem("gcd", 7, None, {}, "gcd of 4 and 6?", "2")


def public_methods(cls: type) -> dict[str, inspect.Signature]:
    """The public methods of a class with their parameters."""
    functions = inspect.getmembers(cls, inspect.isfunction)
    return {
        name: inspect.signature(function)
        for name, function in functions
        if not name.startswith("_") or name in ("__aenter__", "__aexit__")
    }


def public_properties(cls: type) -> set[str]:
    """The names of a class's properties."""
    return {name for name, _ in inspect.getmembers(cls, lambda value: isinstance(value, property))}


def test_the_double_has_every_public_method_of_the_pool() -> None:
    """Methods have the parameters of WorkerPool's; no property is missing."""
    real, double = public_methods(WorkerPool), public_methods(PoolDouble)
    assert set(real) == set(double)
    for name, signature in real.items():
        assert list(signature.parameters.values()) == list(double[name].parameters.values())
    assert public_properties(WorkerPool) <= public_properties(PoolDouble)


async def test_calls_are_passed_on_to_the_real_pool(pool: WorkerPool) -> None:
    """Without hooks the double returns the results of the pool behind it."""
    double = PoolDouble(pool)
    problem = await double.make("gcd", 7, level=0.5)
    assert problem == await pool.make("gcd", 7, level=0.5)
    assert await double.solve(problem) == problem.answer
    verdicts = await double.score(problem, [problem.answer, None])
    assert [verdict.score for verdict in verdicts] == [1.0, 0.0]
    assert double.scored == [(problem, [problem.answer, None])]
    assert (double.version, double.task_categories) == (pool.version, pool.task_categories)
    assert (double.live_workers, double.restarts) == (pool.live_workers, pool.restarts)


async def test_closing_the_double_leaves_the_pool_running(pool: WorkerPool) -> None:
    """The pool behind a closed double still makes problems."""
    async with PoolDouble(pool) as double:
        assert (double.started, double.closed) == (1, 0)
    assert (double.started, double.closed) == (1, 1)
    assert (await pool.make("gcd", 7)).task == "gcd"


async def test_hooks_replace_methods() -> None:
    """A double with hooks needs no pool."""

    async def make(task: str, seed: int, **_: Any) -> Problem:
        raise MakeFailed("timeout", f"{task} {seed}")

    async def solve(problem: Problem) -> str | None:
        return problem.answer

    double = PoolDouble(score=fixed_scores(0.5, 1.0), make=make, solve=solve)
    with pytest.raises(MakeFailed, match="gcd 7"):
        await double.make("gcd", 7)
    assert await double.solve(PROBLEM) == "2"
    assert await double.score(PROBLEM, ["a", "b"]) == [
        Verdict(0.5, "scored"),
        Verdict(1.0, "scored"),
    ]


async def test_a_method_with_neither_hook_nor_pool_fails() -> None:
    """A call that has neither a hook nor a pool raises an error."""
    with pytest.raises(AssertionError, match="neither a pool nor a hook"):
        await PoolDouble().make("gcd", 7)


async def test_scores_by_task() -> None:
    """Each task has its own fixed scores."""
    double = PoolDouble(score=fixed_scores_by_task({"gcd": [1.0], "lcm": [0.0]}))
    assert [verdict.score for verdict in await double.score(PROBLEM, ["2"])] == [1.0]


async def test_scoring_that_fails_once() -> None:
    """The first call raises; the second is scored by the pool."""
    double = PoolDouble(score=failing_once(PoolDouble(score=fixed_scores(1.0)), OSError("broken")))
    with pytest.raises(OSError, match="broken"):
        await double.score(PROBLEM, ["2"])
    assert [verdict.score for verdict in await double.score(PROBLEM, ["2"])] == [1.0]


async def test_held_scoring_waits_for_its_release() -> None:
    """No verdict comes before the test releases it."""
    held = HeldScoring(PoolDouble(score=fixed_scores(1.0)))
    scoring = asyncio.create_task(PoolDouble(score=held).score(PROBLEM, ["2"]))
    await held.begun.wait()
    assert not scoring.done()
    held.release.set()
    assert [verdict.score for verdict in await scoring] == [1.0]
