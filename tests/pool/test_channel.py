"""rgenv/pool/channel.py: lines that were asked for, and nothing else."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from rgenv.pool.channel import Channel

Start = Callable[[str], Awaitable[Channel]]


@pytest_asyncio.fixture
async def start() -> AsyncIterator[Start]:
    """Start programs, and close their channels at the end."""
    channels: list[Channel] = []

    async def start(program: str) -> Channel:
        _, channel = await asyncio.get_running_loop().subprocess_exec(
            lambda: Channel(limit=10), sys.executable, "-Suc", program
        )
        channels.append(channel)
        return channel

    yield start
    for channel in channels:
        channel.kill()
        await channel.exited.wait()
        channel.close()


async def test_as_many_lines_as_were_asked_for_are_kept(start: Start) -> None:
    """Lines that come at once are handed out one by one."""
    channel = await start("print('hello'); input(); print('a\\nb\\nc'); input()")
    assert await channel.line() == b"hello"
    channel.ask(b"go\n", lines=3, limit=10)
    assert [await channel.line() for _ in range(3)] == [b"a", b"b", b"c"]
    assert channel.fault is None


async def test_a_line_too_many_is_a_fault(start: Start) -> None:
    """What came before it is handed out; after it nothing is, and the process is killed."""
    channel = await start("print('hello'); input(); print('a\\nb\\nc', flush=True); input()")
    assert await channel.line() == b"hello"
    channel.ask(b"go\n", lines=2, limit=10)
    assert [await channel.line() for _ in range(3)] == [b"a", b"b", None]
    assert channel.fault == "a line that was not asked for"
    await channel.exited.wait()


@pytest.mark.parametrize("end", ["", "\\n"])
async def test_a_line_that_is_too_long_is_a_fault(start: Start, end: str) -> None:
    """Whether it ends or not."""
    channel = await start(f"print('x' * 11, end='{end}', flush=True); input()")
    assert await channel.line() is None
    assert channel.fault == "a line of more than 10 bytes"


async def test_lines_that_are_expected_no_more_are_a_fault(start: Start) -> None:
    """A request that failed has no further replies."""
    channel = await start("print('a'); input(); print('b'); input(); print('c'); input()")
    assert await channel.line() == b"a"
    channel.ask(b"go\n", lines=2, limit=10)
    assert await channel.line() == b"b"
    channel.expect_no_more()
    assert channel.fault is None
    channel.ask(b"go\n", lines=0, limit=10)
    assert await channel.line() is None
    assert channel.fault == "a line that was not asked for"


async def test_a_flood_on_stderr_is_a_fault(start: Start) -> None:
    """Also when the process writes it while nobody has asked for anything."""
    flood = "import os; [os.write(2, b'x' * 65536) for _ in range(17)]"
    channel = await start(f"print('hello', flush=True); {flood}; input()")
    assert await channel.line() == b"hello"
    await channel.exited.wait()
    assert channel.fault == "more than 1048576 bytes on stderr"
    assert len(channel.stderr) == 4096
