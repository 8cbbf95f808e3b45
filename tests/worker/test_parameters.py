"""Parameters that a user sets are obeyed, with reasoning-gym's problems and hardened ones."""

from collections.abc import AsyncIterator
from random import Random

import pytest
import pytest_asyncio

from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.worker.levels import overridden
from rgenv.worker.protocol import WorkerSettings
from tests.support.configs import random_config

pytestmark = pytest.mark.slow

FROM_SEED = {"acre"}
"""Tasks whose item is not the first of its data set, so that all kinds of items occur."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library() -> AsyncIterator[WorkerPool]:
    """A worker whose problems are the library's to the letter."""
    async with WorkerPool(workers=1, settings=WorkerSettings(strict=False)) as pool:
        yield pool


@pytest.mark.parametrize("task", sorted({*KNOWN_TASKS} - {COMPOSITE} - FROM_SEED))
async def test_the_library_decides_what_parameters_ask(
    task: str, pool: WorkerPool, library: WorkerPool
) -> None:
    """For parameters by chance, the question is the library's, but for an added sentence."""
    rng = Random(task)
    compared = 0
    for _ in range(6):
        config, seed = random_config(task, rng), rng.randrange(2**31)
        try:
            theirs = await library.make(task, seed, config=config)
            ours = await pool.make(task, seed, config=config)
        except MakeFailed:  # too large for the library
            continue
        assert ours.question.startswith(theirs.question) and ours.config == config
        compared += 1
    assert compared >= 2


def test_an_end_of_a_range_that_a_user_sets_moves_the_other_end_of_the_level() -> None:
    level = {"min_terms": 4, "max_terms": 6, "digits": 3}
    assert overridden(level, {"max_terms": 2}) == {"min_terms": 2, "max_terms": 2, "digits": 3}
    assert overridden(level, {"min_terms": 8}) == {"min_terms": 8, "max_terms": 8, "digits": 3}
    assert overridden(level, {"max_terms": 5, "digits": 1})["min_terms"] == 4
    both = {"min_terms": 9, "max_terms": 1}  # the library refuses them
    assert overridden(level, both) == {**both, "digits": 3}
