"""rgenv/worker/operations.py: recipes make problems, verifiers score both forms of an answer."""

import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest

from rgenv.pool.pool import WorkerPool
from rgenv.pool.process import worker_environment
from rgenv.worker.protocol import WorkerSettings
from tests.support.paths import ROOT


def talk(*requests: dict[str, Any]) -> list[dict[str, Any]]:
    """All replies of a fresh worker to `requests`; closing its stdin ends it."""
    run = subprocess.run(
        [sys.executable, "-m", "rgenv.worker", "{}"],
        input="".join(json.dumps(request) + "\n" for request in requests),
        env=worker_environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def make(task: str, seed: int, **more: Any) -> dict[str, Any]:
    return {"op": "make", "task": task, "seed": seed, "level": None, "config": {}, **more}


def score(task: str, seed: int, *answers: str) -> dict[str, Any]:
    return {"op": "score", "task": task, "seed": seed, "config": {}, "answers": answers}


def test_a_worker_greets_makes_scores_and_ends_at_eof() -> None:
    """One conversation, as the module's docstring shows it."""
    hello, problem, made, right, wrong = talk(
        make("chain_sum", 7), score("chain_sum", 7, "156", "7")
    )
    assert hello["ready"] and hello["version"] == "0.1.25" and len(hello["tasks"]) == 106
    assert "60 + 93 - 16 + 19" in problem["question"]
    assert (problem["answer"], problem["config"], problem["winnable"]) == ("156", {}, True)
    assert made == {"made": True}
    assert right["raw"] == 1.0 > wrong["raw"]


def test_a_request_that_makes_no_sense_is_answered() -> None:
    """A failure is a reply, and the next request is served."""
    _, unknown, failed, problem = talk(
        make("no_such_task", 1), make("gcd", 1, config={"min_numbers": -1}), make("gcd", 1)
    )
    assert "no_such_task" in unknown["failed"]
    assert "failed" in failed
    assert problem["answer"]


TASKS_WITH_STATE = [
    "codeio",
    "list_functions",
    "pool_matrix",
    "isomorphic_strings",
    "ransom_note",
    "polynomial_multiplication",
    "knight_swap",
    "word_ladder",
    "intermediate_integration",
]


def test_a_recipe_makes_the_same_problem_in_any_order_in_any_worker() -> None:
    """Global generators, hash order and class attributes leave no trace between problems."""
    recipes = [make(task, 1) for task in TASKS_WITH_STATE]
    recipes += [make("decimal_arithmetic", 1)]
    recipes += [make("decimal_chain_sum", n, level=1.0) for n in range(4)]
    recipes += [make("codeio", 26), make("codeio", 43), make("list_functions", 74)]
    recipes += [make("codeio", 2, config={"difficulty": 7}), make("codeio", 2)]
    forward = talk(*recipes)[1:]
    backward = talk(*reversed(recipes))[1:][::-1]
    again = talk(*recipes, *recipes)[1 + len(recipes) :]
    assert forward == backward == again


async def test_every_task_can_be_made_and_won(pool: WorkerPool) -> None:
    """The library's own answer scores 1.0, after any detour through another worker."""
    assert pool.task_categories is not None
    for task in sorted(set(pool.task_categories) - {"composite"}):
        problem = await pool.make(task, 3)
        if problem.answer:
            [verdict] = await pool.score(problem, [problem.answer])
            assert verdict.score == 1.0 and verdict.kind == "scored", task


async def test_the_parts_of_a_composite_are_guarded_as_themselves(pool: WorkerPool) -> None:
    """A mixture does not open a way around the bounds of the task inside it."""
    config = {"datasets": [{"name": "rush_hour"}]}
    problem = await pool.make("composite", 3, config=config)
    [verdict] = await pool.score(problem, ["A+999999999"])
    assert verdict.kind == "rejected"


async def test_the_better_of_raw_and_tagged_counts(pool: WorkerPool) -> None:
    """Both forms are asked; the score is the higher one."""
    problem = await pool.make("spell_backward", 3)
    verdicts = await pool.score(problem, [str(problem.answer), "wrong", "<answer>"])
    for verdict in verdicts:
        assert verdict.raw is not None and verdict.tagged is not None
        assert verdict.score == max(verdict.raw, verdict.tagged)
    assert verdicts[0].raw == 1.0 > verdicts[0].tagged


async def test_a_form_that_raises_counts_as_zero_and_is_told() -> None:
    """The library's prime_factorization raises on every tagged answer; the raw form still pays."""
    async with WorkerPool(workers=1, spares=0, settings=WorkerSettings(strict=False)) as pool:
        problem = await pool.make("prime_factorization", 3)
        [verdict] = await pool.score(problem, [str(problem.answer)])
    assert (verdict.score, verdict.kind) == (1.0, "scored")
    assert verdict.tagged is None and "tagged: ValueError" in verdict.detail


async def test_an_item_that_cannot_be_won_says_so(pool: WorkerPool) -> None:
    """An empty answer scores 0, so `ab` has problems that nobody can win."""
    problems = [await pool.make("ab", seed) for seed in range(40)]
    assert {problem.winnable for problem in problems} == {True, False}
    assert all(problem.winnable == bool(problem.answer) for problem in problems)


@pytest.mark.parametrize("seed", [1000, 1001])
async def test_prompts_are_the_librarys_own(pool: WorkerPool, seed: int) -> None:
    """The question is passed on unchanged."""
    import reasoning_gym

    problem = await pool.make("letter_counting", seed)
    entry = reasoning_gym.create_dataset("letter_counting", size=1, seed=seed)[0]
    assert hashlib.sha256(problem.question.encode()).digest() == (
        hashlib.sha256(entry["question"].encode()).digest()
    )
