"""Steer the event loop of a test."""

from __future__ import annotations

import asyncio


async def settle() -> None:
    """Let every task run until it waits for something that takes time."""
    for _ in range(50):
        await asyncio.sleep(0)
