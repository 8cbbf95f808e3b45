"""Ask servers that may lie: every response is limited in size and time, and none is followed.

All bodies of inference servers and of the rollout API are read here. The limits are those of the
whole: of the time from connecting to the last byte, and of the size of the body without
compression.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from rgenv.errors import StartupError
from rgenv.runtime.large_json import parsed
from rgenv.secrets import hide
from rgenv.text import one_line

KIB, MIB = 2**10, 2**20

PAGE_BYTES = 8 * MIB
"""The most bytes of a page that is no completion: a list of models, a status, a receipt."""

ERROR_BYTES = 64 * KIB
"""Bytes of an error page that are read; the rest is left."""

CONNECT_SECONDS = 10.0
"""After this, an address that does not react counts as dead. A completion may take much longer."""


class NoAnswer(OSError):
    """A server gave no answer that can be used; the message continues a sentence about it."""


class TooLarge(NoAnswer):
    pass


@dataclass(frozen=True)
class Response:
    """What a server answered.

    Attributes:
        body: without compression; the first `ERROR_BYTES` if the status is an error.
        location: where a redirect leads to; empty if this is none.
    """

    status: int
    body: bytes = b""
    location: str = ""

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def is_redirect(self) -> bool:
        return 300 <= self.status < 400

    async def json(self) -> Any:
        """Return the content of the body; ValueError: it is no JSON, or nested too deeply."""
        return await parsed(self.body)


async def ask(
    method: str,
    url: str,
    *,
    seconds: float,
    most: int = PAGE_BYTES,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    through_proxies: bool = False,
) -> Response:
    """Send one request and return the response, whatever its status.

    Raises:
        NoAnswer: there is none, or it is too late, too large, or no HTTP.
    """
    sent = {"Accept-Encoding": "identity", **(headers or {})}
    if body is not None:
        sent["Content-Type"] = "application/json"
    try:
        async with (
            asyncio.timeout(seconds),
            aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=sent,
            ) as session,
            session.request(
                method,
                url,
                data=body,
                allow_redirects=False,
                proxy=_proxy(url) if through_proxies else None,
            ) as reply,
        ):
            try:
                if 300 <= reply.status < 400:
                    location = one_line(reply.headers.get("Location", ""))
                    return Response(reply.status, location=location)
                return Response(reply.status, await _body(reply, most))
            finally:
                reply.close()  # nothing of the rest is read
    except NoAnswer:
        raise
    except aiohttp.ClientConnectionError as error:
        reason = one_line(error).replace(" ssl:default", "")  # it stands there for http, too
        raise NoAnswer(f"can't be reached ({reason or type(error).__name__})") from None
    except TimeoutError:
        raise NoAnswer(f"did not answer within {seconds:g} s") from None
    except aiohttp.ClientPayloadError as error:
        raise NoAnswer(f"broke off its answer ({one_line(error)})") from None
    except aiohttp.ClientResponseError as error:
        raise NoAnswer(f"sent no HTTP ({one_line(error.message)})") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise NoAnswer(f"can't be asked ({type(error).__name__}: {one_line(error)})") from None


def _proxy(url: str) -> str | None:
    """Return the proxy that the environment names for a URL.

    aiohttp's own way reads passwords of ~/.netrc, too, and refuses them beside a key.
    """
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


async def _body(reply: aiohttp.ClientResponse, most: int) -> bytes:
    """Return the body; of an error page, the beginning. Raises TooLarge."""
    is_error = reply.status >= 400
    most = min(most, ERROR_BYTES) if is_error else most
    body = bytearray()
    async for part in reply.content.iter_any():
        body += part
        if len(body) > most:
            if is_error:
                break
            raise TooLarge(f"sent more than {_size(most)}")
    return bytes(body[:most])


def _size(count: int) -> str:
    return f"{count // MIB} MiB" if count >= MIB else f"{count // KIB} KiB"


# Waiting until a server answers


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
            left = deadline - said
            log.info("Waiting for %s, %.0f s more at most (%s).", hide(url), left, problem)
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
