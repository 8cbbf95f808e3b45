"""Wait at the start until a server answers as expected."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping

from rgenv.errors import StartupError
from rgenv.inference.http import NoAnswer, Response, ask
from rgenv.secrets import hide
from rgenv.text import one_line

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5
LINE_SECONDS = 10.0
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
) -> Response:
    """Poll `url` until it answers as expected, and return that answer.

    Args:
        judge: returns what is wrong with an answer, or None; raises to give up at once.

    Raises:
        StartupError: `message`, followed by the result of the last attempt; or the address
            redirects to another one.
    """
    said = time.monotonic()
    deadline = said + timeout
    while True:
        seconds = max(SHORTEST_REQUEST, min(LONGEST_REQUEST, deadline - time.monotonic()))
        problem = await _problem_with(url, judge, headers, seconds)
        if isinstance(problem, Response):
            return problem
        if time.monotonic() + POLL_SECONDS > deadline:
            raise StartupError(f"{message} (Last: {problem})")
        if time.monotonic() - said >= LINE_SECONDS:
            said = time.monotonic()
            log.info("Waiting for %s (%s).", hide(url), problem)
        await asyncio.sleep(POLL_SECONDS)


async def _problem_with(
    url: str, judge: Judge, headers: Mapping[str, str] | None, seconds: float
) -> str | Response:
    """Request `url` once; return what is wrong with the answer, or the answer."""
    try:
        response = await ask("GET", url, seconds=seconds, headers=headers)
    except NoAnswer as error:
        return str(error)
    if response.is_redirect:
        raise StartupError(
            f"{hide(url)} redirects to {response.location}, and redirects are not followed: set "
            "the address of the server itself."
        )
    return judge(response.status, response.text) or response


def quoted(status: int, body: str) -> str:
    return f"HTTP {status}, {one_line(body, 60)!r}"
