"""Check at the start that servers answer and files load.

::

    await require_answer("http://localhost:8000/", 60, "No rollout API ...: start it with ...",
                         accepts=lambda body: "AtroposLib" in body)

Whatever is missing raises a `StartupError` whose message names it and the remedy.
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
    url: str, timeout: float, message: str, *, accepts: Callable[[str], bool]
) -> None:
    """Poll `url` until it answers as expected.

    Args:
        timeout: seconds after which to give up.
        message: of the error, for a person.
        accepts: returns whether the body of an answer is the expected one.

    Raises:
        StartupError: `message`, followed by the result of the last attempt.
    """
    deadline = time.monotonic() + timeout
    while (problem := await _problem_with(url, accepts)) is not None:
        if time.monotonic() > deadline:
            raise StartupError(f"{message} (Last: {problem})")
        await asyncio.sleep(POLL_SECONDS)


async def _problem_with(url: str, accepts: Callable[[str], bool]) -> str | None:
    """Request `url` once; return what is wrong with the answer, or None."""
    limit = aiohttp.ClientTimeout(total=10)
    try:
        async with aiohttp.ClientSession(timeout=limit) as session, session.get(url) as response:
            body = await response.text(errors="replace")
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        return describe(error)
    if response.status < 400 and accepts(body):
        return None
    return f"HTTP {response.status}, {body[:60]!r}"


def require_in_time(load: Callable[[], object], timeout: float, message: str) -> None:
    """Call `load` in a daemon thread and wait up to `timeout` seconds; a thread that hangs stays.

    Args:
        message: of the error, with a field ``{why}``.

    Raises:
        StartupError: `load` raised an exception or took too long.
    """
    errors: list[Exception] = []

    def run() -> None:
        try:
            load()
        except Exception as error:  # a foreign loader can raise anything
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise StartupError(message.format(why=f"no answer in {timeout:g} s"))
    if errors:
        raise StartupError(message.format(why=describe(errors[0]).split("\n")[0]))
