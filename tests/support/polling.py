"""Wait for what sets no event."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], *, timeout: float = 300.0) -> None:
    """Return once `condition()` is true."""
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.01)


async def settle() -> None:
    """Let every task run until it waits for something that takes time."""
    for _ in range(50):
        await asyncio.sleep(0)
