"""rgenv/export/training_only.py: which problems are held out, by the rules of today."""

import contextlib
import json
from typing import Any

import pytest
import reasoning_gym

from rgenv.export.training_only import Sides, side_of
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.tasks.families import family, is_held_out


@pytest.mark.parametrize("task", ["gcd", "coin_flip", "knights_knaves", "emoji_mystery"])
async def test_both_sides_are_known(pool: WorkerPool, task: str) -> None:
    """What a worker says of a problem is found again from its recipe and its prompt."""
    made = [await pool.make(task, seed, level=0.4) for seed in range(3)]
    made += [await pool.make(task, seed) for seed in range(12)]
    sides = [await side_of(pool, json.loads(json.dumps(p.recipe)), p.question) for p in made]
    assert sides == ["held out" if problem.held_out else "training" for problem in made]
    assert len(set(sides)) == 2


WRONG: list[dict[str, Any]] = [
    {},
    {"task": "gcd", "seed": "7", "config": {}},
    {"task": "nothing", "seed": 7, "config": {}},
    {"task": "gcd", "seed": 7, "config": {"min_numbers": "x"}},
    {"task": "gcd", "seed": 7, "config": {}, "more": 1},
]


async def test_a_recipe_that_makes_no_problem_is_unknown(pool: WorkerPool) -> None:
    """Whatever a recipe holds, it ends no worker; so does one that makes another question."""
    before = pool.restarts
    sides = [await side_of(pool, recipe, "What is the GCD?") for recipe in WRONG]
    assert sides == ["unknown"] * len(WRONG)
    gcd = await pool.make("gcd", 7)
    assert await side_of(pool, gcd.recipe, "another question") == "unknown"
    assert pool.restarts == before


@pytest.mark.slow
async def test_questions_of_strict_verifiers_false(pool: WorkerPool) -> None:
    """A question that the library alone asks is judged as it was asked."""
    recipe = {"task": "coin_flip", "seed": 3, "config": {}}
    entry = reasoning_gym.create_dataset("coin_flip", seed=3, size=1)[0]
    assert await side_of(pool, recipe, entry["question"]) == "unknown"
    held_out = is_held_out(family("coin_flip", entry))
    async with contextlib.AsyncExitStack() as stack:
        side = await Sides(stack, Settings(workers=1)).of(recipe, entry["question"])
    assert side == ("held out" if held_out else "training")
