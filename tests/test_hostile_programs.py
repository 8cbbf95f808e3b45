"""Hostile inputs to codeio's programs in a real pool: none is executed, none costs a worker."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from rgenv.pool.pool import WorkerPool
from rgenv.types import KINDS

pytestmark = pytest.mark.slow

SEEDS = range(10)
GROUP_SIZE = 16


def hostile_values(marker: Path) -> list[Any]:
    """Return values to put in the place of any part of an input."""
    return [
        10**12,
        -(10**12),
        10**400,
        0,
        -1,
        1e308,
        5e-324,
        "9" * 1_000,
        "1e999999999",
        "x" * 20_000,
        "(a+)+$" + "a" * 30,
        "{0.__class__.__mro__[1].__subclasses__}",
        "%9999999999d",
        f"__import__('os').system('touch {marker}')",
        str(marker),
        None,
        True,
        [],
        [0] * 5_000,
        [[[[[[[[1]]]]]]]],
        {"__class__": 1, "__init__": {"__globals__": 1}},
    ]


def replaced(value: Any, new: Any) -> Iterator[Any]:
    """Yield copies of `value` with one part replaced by `new`; of lists only the first items."""
    yield new
    if isinstance(value, dict):
        for key in list(value)[:6]:
            yield from ({**value, key: part} for part in replaced(value[key], new))
    if isinstance(value, list):
        for place in range(min(2, len(value))):
            for part in replaced(value[place], new):
                yield [*value[:place], part, *value[place + 1 :]]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded() -> AsyncIterator[WorkerPool]:
    """A pool for this module alone, because hostile answers may kill its workers."""
    async with WorkerPool(workers=1) as pool:
        yield pool


@pytest.mark.parametrize("seed", SEEDS)
async def test_hostile_inputs_cost_nothing(guarded: WorkerPool, tmp_path: Path, seed: int) -> None:
    """Each gets a verdict in time, nothing is executed, and the item's own answer is right."""
    marker = tmp_path / "marker"
    config = {"input_prediction_probability": 0.0}
    problem = await guarded.make("codeio", seed, config=config)
    if not problem.winnable or not problem.answer:
        pytest.skip("not served")
    right = json.loads(problem.answer)
    answers = [
        json.dumps(input_)
        for value in hostile_values(marker)
        for input_ in replaced(right, value)
        if input_ != right
    ]
    for start in range(0, len(answers), GROUP_SIZE):
        group = answers[start : start + GROUP_SIZE]
        for answer, verdict in zip(group, await guarded.score(problem, group), strict=True):
            assert verdict.kind in KINDS
            assert verdict.kind not in ("timeout", "crashed"), answer[:200]
    [honest] = await guarded.score(problem, [problem.answer])
    assert honest.score == 1.0
    assert not marker.exists()
