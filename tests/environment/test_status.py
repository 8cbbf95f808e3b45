"""reasoning_gym_environment.py: what the log says while a run goes on, or stands still."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from demo.launch import start_api, start_policy
from demo.processes import Child, Children
from demo.trainer import register
from tests.support.commands import (
    BATCH_SIZE,
    MAX_TOKEN_LENGTH,
    Commands,
    log_of,
)
from tests.support.polling import until

WAIT = 300.0
"""Seconds within which a waiting line must come; it is due after 30."""


@pytest_asyncio.fixture(loop_scope="session")
async def apart(tmp_path: Path, tokenizer_dir: Path) -> AsyncIterator[Commands]:
    """Commands over a stand-in inference server that is a process of its own."""
    async with Children(logs=tmp_path) as children:
        url = await start_policy(children, tokenizer_dir)
        yield Commands(children, tmp_path, tokenizer_dir, url)


def child(commands: Commands, name: str) -> Child:
    [found] = [child for child in commands.children.running if child.name == name]
    return found


@asynccontextmanager
async def trainer(commands: Commands, api: str) -> AsyncIterator[aiohttp.ClientSession]:
    """Register a trainer that takes batches only when a test says so."""
    async with aiohttp.ClientSession() as session:
        await register(
            session,
            api,
            batch_size=BATCH_SIZE,
            max_token_len=MAX_TOKEN_LENGTH + 1,
            checkpoint_dir=str(commands.folder / "checkpoints"),
            save_checkpoint_interval=100,
            num_steps=1000,
        )
        yield session


async def take_batch(session: aiohttp.ClientSession, api: str) -> bool:
    async with session.get(f"{api}/batch") as reply:
        return bool((await reply.json())["batch"])


async def until_logged(env: Child, words: str) -> None:
    """Wait for a line; the error quotes the log."""
    try:
        await until(lambda: words in log_of(env), timeout=WAIT)
    except TimeoutError:
        raise AssertionError(f"{words!r} is not in\n{log_of(env)}") from None


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("policy server", "waiting for the inference server, which has completed no group for "),
        ("rollout API", "waiting for the rollout API, which has not "),
    ],
)
async def test_a_server_that_hangs(apart: Commands, name: str, reason: str) -> None:
    """The line names the server; when it answers again, the run goes on."""
    api = await start_api(apart.children)
    async with trainer(apart, api) as session:
        env = await apart.start("serve", rollout_server_url=api)
        while not await take_batch(session, api):
            await asyncio.sleep(0.5)
        stopped = child(apart, name)
        stopped.signal(signal.SIGSTOP)
        if name == "policy server":  # a full queue would be another reason to wait
            while await take_batch(session, api):
                await asyncio.sleep(0.5)
        await until_logged(env, reason)
        stopped.signal(signal.SIGCONT)
        while not await take_batch(session, api):
            await asyncio.sleep(0.5)
