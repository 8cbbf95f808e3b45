"""What has to be there before anything starts, and what the machine tells about itself.

    await require_answer("http://localhost:8000/", 60, "No rollout API ...: start it with ...",
                         is_well=lambda body: "AtroposLib" in body)

Everything that is missing becomes a `StartupError` whose one sentence names it and the remedy.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import aiohttp

from rgenv.errors import StartupError
from rgenv.text import describe

POLL_SECONDS = 0.5


async def require_answer(
    url: str, timeout: float, message: str, *, is_well: Callable[[str], bool]
) -> None:
    """Poll `url` until its body `is_well`.

    Raises:
        StartupError: `message`, and what happened last, after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while True:
        why = await _trouble_with(url, is_well)
        if why is None:
            return
        if time.monotonic() > deadline:
            raise StartupError(f"{message} (Last: {why})")
        await asyncio.sleep(POLL_SECONDS)


async def _trouble_with(url: str, is_well: Callable[[str], bool]) -> str | None:
    limit = aiohttp.ClientTimeout(total=10)
    try:
        async with aiohttp.ClientSession(timeout=limit) as session, session.get(url) as reply:
            body = await reply.text(errors="replace")
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        return describe(error)
    if reply.status < 400 and is_well(body):
        return None
    return f"HTTP {reply.status}, {body[:60]!r}"


def require_in_time(load: Callable[[], object], timeout: float, message: str) -> None:
    """Run `load` in bounded time; what hangs is left behind in a daemon thread.

    Raises:
        StartupError: `message` with ``{why}`` filled in.
    """
    trouble: list[Exception] = []

    def run() -> None:
        try:
            load()
        except Exception as error:  # foreign code with many ways to say no
            trouble.append(error)

    loader = threading.Thread(target=run, daemon=True)
    loader.start()
    loader.join(timeout)
    if loader.is_alive():
        raise StartupError(message.format(why=f"no answer in {timeout:g} s"))
    if trouble:
        raise StartupError(message.format(why=describe(trouble[0]).split("\n")[0]))
