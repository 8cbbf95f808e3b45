"""rgenv/runtime/parts.py: parts of some work, a few at a time."""

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator

import pytest

from rgenv.runtime.parts import in_order


async def test_results_come_in_order_until_a_call_fails() -> None:
    """No more calls than wanted are made; those that are left end with the block."""
    made, found, before = 0, list[int](), asyncio.all_tasks()

    async def work(part: int) -> int:
        if part == 15:
            raise ValueError("part 15")
        await asyncio.sleep(60 if part > 15 else 0.001 * (5 - part % 5))
        return part

    def calls() -> Iterator[Coroutine[None, None, int]]:
        nonlocal made
        for part in range(20):
            made += 1
            yield work(part)

    with pytest.raises(ValueError, match="part 15"):
        async with contextlib.aclosing(in_order(calls(), ahead=3)) as results:
            async for result in results:
                found.append(result)
                assert made <= len(found) + 3
    assert found == [*range(15)] and asyncio.all_tasks() == before
