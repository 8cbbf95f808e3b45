"""Steer the event loop of a test."""

import asyncio


async def settle() -> None:
    """Let every task run until it waits for something that takes time."""
    for _ in range(50):
        await asyncio.sleep(0)
