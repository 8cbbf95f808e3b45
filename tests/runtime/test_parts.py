"""rgenv/runtime/parts.py: parts of some work, a few at a time."""

import asyncio
import contextlib
from collections.abc import Iterator

import pytest

from rgenv.runtime.parts import Here, in_order


async def test_results_come_in_the_order_of_the_calls() -> None:
    """The first may be the slowest; no more calls than wanted are under way or were made."""
    made, running, most = 0, 0, 0

    async def work(held: str, part: int) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (5 - part % 5))
        running -= 1
        return f"{held}{part}"

    place = Here("p", calls=3)

    def calls() -> Iterator[object]:
        nonlocal made
        for part in range(20):
            made += 1
            yield place.run(work, part)

    found = []
    async with contextlib.aclosing(in_order(calls(), ahead=place.calls)) as results:
        async for result in results:
            found.append(result)
            assert made <= len(found) + 3
    assert found == [f"p{part}" for part in range(20)] and most == 3


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
