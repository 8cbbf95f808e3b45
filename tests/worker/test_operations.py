"""rgenv/worker/operations.py: a worker answers requests to make, score and solve problems."""

import json
from typing import Any

import pytest

from rgenv.pool.pool import WorkerPool
from rgenv.worker import operations
from rgenv.worker.protocol import WorkerSettings
from tests.support.worker_program import exchange

pytestmark = pytest.mark.slow


def make(task: str, seed: int, **more: Any) -> dict[str, Any]:
    """Return a make request."""
    request = {"op": "make", "task": task, "seed": seed, "level": None, "config": {}}
    return {**request, "select": False, **more}


TASKS_WITH_STATE = """
codeio list_functions pool_matrix isomorphic_strings ransom_note polynomial_multiplication
knight_swap word_ladder intermediate_integration figlet_font arc_agi letter_counting
"""
"""Tasks that use global generators, hash order or class attributes, or read files late."""


def test_a_recipe_makes_the_same_problem_in_any_order() -> None:
    """Global generators and class attributes leave no trace, and all files are held."""
    recipes = [make(task, 1) for task in TASKS_WITH_STATE.split()]
    recipes += [make("decimal_arithmetic", 1)]
    recipes += [make("decimal_chain_sum", n, level=1.0) for n in range(4)]
    recipes += [make("codeio", 26), make("codeio", 43), make("list_functions", 74)]
    recipes += [make("codeio", 2, config={"difficulty": 7}), make("codeio", 2)]
    replies = exchange(*recipes, *reversed(recipes))[1:]
    assert all("question" in reply for reply in replies)
    assert replies == replies[::-1]


async def test_limits_hold_for_the_parts_of_a_composite(pool: WorkerPool) -> None:
    """An answer to a part of a composite is refused by the limits of the part's task."""
    config = {"datasets": [{"name": "rush_hour"}]}
    problem = await pool.make("composite", 3, config=config)
    [verdict] = await pool.score(problem, ["A+999999999"])
    assert verdict.kind == "rejected"


async def test_an_exception_in_one_form_is_reported() -> None:
    """If the verifier raises on the tagged form, the raw form's score counts."""
    async with WorkerPool(workers=1, settings=WorkerSettings(strict=False)) as pool:
        problem = await pool.make("prime_factorization", 3)
        [verdict] = await pool.score(problem, [str(problem.answer)])
    assert (verdict.score, verdict.kind) == (1.0, "scored")
    assert verdict.tagged is None and "tagged: ValueError" in verdict.detail


def verdict_of(verifier: Any, task: str = "gcd", answer: str = "4") -> dict[str, Any]:
    """Return the reply for one answer and a given verifier."""
    return operations.score_answer(verifier, task, answer)


def test_a_reason_can_be_sent_whatever_it_quotes() -> None:
    """Lone surrogates in a message are replaced, because the parent takes none."""

    def quote(text: str) -> float:
        raise ValueError(f"what is {text}?")

    reply = verdict_of(quote, answer="\ud800")
    assert reply["raw_error"] == "ValueError: what is ??"
    assert json.dumps(reply, ensure_ascii=False).encode()


def test_parameters_override_those_of_the_level() -> None:
    """The others are the level's."""
    _, made = exchange(make("gcd", 7, level=1.0, config={"min_value": 3, "max_value": 99}))
    assert (made["config"]["min_value"], made["config"]["max_value"]) == (3, 99)
    assert len(made["config"]) > 2
