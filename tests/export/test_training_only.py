"""rgenv/export/training_only.py: which problems are held out, by the rules of today."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import reasoning_gym

from rgenv.export.training_only import Sides
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.tasks.families import family, is_held_out


@pytest.fixture
async def sides() -> AsyncIterator[Sides]:
    made = Sides(Settings(workers=1))
    yield made
    await made.close()


async def test_both_sides_are_known(pool: WorkerPool, sides: Sides) -> None:
    for task in ("gcd", "coin_flip", "knights_knaves", "emoji_mystery"):
        made = [await pool.make(task, seed, level=0.4) for seed in range(3)]
        made += [await pool.make(task, seed) for seed in range(12)]
        found = [await sides.of(json.loads(json.dumps(p.recipe)), p.question) for p in made]
        assert found == ["held out" if problem.held_out else "training" for problem in made]
        assert len(set(found)) == 2


RECIPE: dict[str, Any] = {"task": "gcd", "seed": 7, "config": {}}
WRONG = [{"seed": "7"}, {"task": "nothing"}, {"config": {"min_numbers": "x"}}, {"more": 1}]


async def test_a_recipe_that_makes_no_problem_is_unknown(pool: WorkerPool, sides: Sides) -> None:
    """So is one that makes another question."""
    recipes = [{}, *(RECIPE | wrong for wrong in WRONG), (await pool.make("gcd", 7)).recipe]
    assert {await sides.of(recipe, "What is the GCD?") for recipe in recipes} == {"unknown"}


@pytest.mark.slow
async def test_questions_of_strict_verifiers_false(sides: Sides) -> None:
    """A question that the library alone asks is judged as it was asked."""
    entry = reasoning_gym.create_dataset("coin_flip", seed=3, size=1)[0]
    held_out = is_held_out(family("coin_flip", entry))
    side = await sides.of({"task": "coin_flip", "seed": 3, "config": {}}, entry["question"])
    assert side == ("held out" if held_out else "training")
