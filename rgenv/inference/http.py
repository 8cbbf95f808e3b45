"""Ask servers over HTTP, within one limit of size and one of time, and wait until one answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from rgenv.errors import StartupError
from rgenv.runtime.backoff import insist
from rgenv.secrets import hide
from rgenv.text import describe, one_line

MIB = 2**20
MOST_BYTES = 256 * MIB
"""Of a body: 64 completions of 21,000 tokens have half as much in the longest format."""

CONNECT_SECONDS = 10.0
"""After this, an address that does not react counts as dead. A completion may take much longer."""

LOOK_SECONDS, POLL_SECONDS = 10.0, 0.5
"""Seconds for one look of `require_answer`, and between two."""


class NoAnswer(OSError):
    """A server gave no answer that can be used; the message continues a sentence about it."""


@dataclass(frozen=True)
class Response:
    """What a server answered; `location` is where a redirect leads to."""

    status: int
    body: bytes = b""
    location: str = ""

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def is_redirect(self) -> bool:
        return 300 <= self.status < 400


async def ask(
    method: str,
    url: str,
    *,
    seconds: float,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    through_proxies: bool = False,
) -> Response:
    """Send one request and return the response, whatever its status; no redirect is followed.

    NoAnswer: there is none, or it is too late, too large, or not HTTP.
    """
    sent = {"Content-Type": "application/json"} if body is not None else {}
    limit = aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_SECONDS)
    proxy = _proxy(url) if through_proxies else None
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, headers={**sent, **(headers or {})}) as session,
            session.request(method, url, data=body, allow_redirects=False, proxy=proxy) as reply,
        ):
            content = await _content(reply)
            return Response(reply.status, content, one_line(reply.headers.get("Location", "")))
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
        raise NoAnswer(f"can't be asked ({describe(error)})") from None


def _proxy(url: str) -> str | None:
    """Return the proxy that the environment names for a URL.

    aiohttp's own way reads passwords of ~/.netrc, too, and refuses them beside a key.
    """
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


async def _content(reply: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for part in reply.content.iter_any():
        content += part
        if len(content) > MOST_BYTES:
            raise NoAnswer(f"sent more than {MOST_BYTES // MIB} MiB")
    return bytes(content)


async def require_answer(
    url: str,
    timeout: float,
    message: str,
    *,
    judge: Callable[[int, str], str | None],
    **more: Any,
) -> Response:
    """Poll `url` until `judge` finds nothing wrong with status and body, and return the answer.

    StartupError: `message` and the result of the last attempt; or the address redirects.
    """

    async def look() -> Response:
        response = await ask("GET", url, seconds=LOOK_SECONDS, **more)
        if response.is_redirect:
            raise StartupError(
                f"{hide(url)} redirects to {response.location}, and redirects are not followed: "
                "set the address of the server itself."
            )
        if problem := judge(response.status, response.text):
            raise NoAnswer(problem)
        return response

    seconds, doing = max(1.0, timeout), f"Asking {hide(url)}"
    try:
        return await insist(look, on=(NoAnswer,), seconds=seconds, doing=doing, every=POLL_SECONDS)
    except OSError as error:  # NoAnswer, or TimeoutError of the first look
        raise StartupError(f"{message} (Last: {error})") from None


def quoted(status: int, body: str) -> str:
    """Return an answer as one line, for messages."""
    return f"HTTP {status}, {one_line(body, 60)!r}"
