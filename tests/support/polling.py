"""Wait for a condition that sets no event."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], *, timeout: float = 300.0) -> None:
    """Return once `condition()` is true."""
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.01)
