"""rgenv/runtime/parts.py: parts of some work, a few at a time."""

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator

import pytest

from rgenv.runtime.parts import in_order


async def test_results_come_in_the_order_of_the_calls() -> None:
    """The first may be the slowest; no more calls than wanted are under way or were made."""
    made = 0

    async def work(part: int) -> int:
        await asyncio.sleep(0.001 * (5 - part % 5))
        return part

    def calls() -> Iterator[Coroutine[None, None, int]]:
        nonlocal made
        for part in range(20):
            made += 1
            yield work(part)

    found = []
    async with contextlib.aclosing(in_order(calls(), ahead=3)) as results:
        async for result in results:
            found.append(result)
            assert made <= len(found) + 3
    assert found == [*range(20)]


async def test_a_failure_leaves_nothing_running() -> None:
    """The error is that of the first call that fails; the others are cancelled."""
    cancelled = []

    async def work(part: int) -> None:
        if part == 1:
            raise ValueError("part 1")
        try:
            await asyncio.sleep(60 if part else 0)
        except asyncio.CancelledError:
            cancelled.append(part)
            raise

    with pytest.raises(ValueError, match="part 1"):
        async with contextlib.aclosing(in_order((work(n) for n in range(9)), ahead=4)) as results:
            async for _ in results:
                pass
    assert cancelled == [2, 3]  # and 4 never begins
