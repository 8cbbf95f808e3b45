"""Wait at the start until a server answers as expected.

::

    await require_answer("http://localhost:8000/", 60, "No rollout API ...: start it with ...",
                         judge=lambda status, body: None if "AtroposLib" in body else "no API")
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

import aiohttp

from rgenv.errors import StartupError
from rgenv.text import describe

POLL_SECONDS = 0.5
LONGEST_REQUEST, SHORTEST_REQUEST = 10.0, 1.0
"""Seconds for one request; less than the longest where less is left of the timeout."""

Judge = Callable[[int, str], str | None]
"""Returns what is wrong with an answer, by status and body, or None."""


async def require_answer(
    url: str,
    timeout: float,
    message: str,
    *,
    judge: Judge,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Poll `url` until it answers as expected.

    Args:
        timeout: seconds after which to give up, also if the server accepts connections and never
            answers.
        message: of the error, for a person.
        judge: returns what is wrong with an answer, or None; raises to give up at once.

    Raises:
        StartupError: `message`, followed by the result of the last attempt.
    """
    deadline = time.monotonic() + timeout
    while True:
        seconds = max(SHORTEST_REQUEST, min(LONGEST_REQUEST, deadline - time.monotonic()))
        problem = await _problem_with(url, judge, headers, seconds)
        if problem is None:
            return
        if time.monotonic() + POLL_SECONDS > deadline:
            raise StartupError(f"{message} (Last: {problem})")
        await asyncio.sleep(POLL_SECONDS)


async def _problem_with(
    url: str, judge: Judge, headers: Mapping[str, str] | None, seconds: float
) -> str | None:
    """Request `url` once; return what is wrong with the answer, or None."""
    limit = aiohttp.ClientTimeout(total=seconds)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, headers=headers) as session,
            session.get(url) as response,
        ):
            body = await response.text(errors="replace")
    except TimeoutError:
        return f"no answer within {seconds:.0f} s"
    except (aiohttp.ClientError, ValueError) as error:
        return describe(error)
    return judge(response.status, body)


def quoted(status: int, body: str) -> str:
    """Return an answer for a message: its status and the beginning of its body."""
    return f"HTTP {status}, {body[:60]!r}"
