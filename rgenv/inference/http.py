"""Ask servers that may lie: every response is limited in size and time, and none is followed.

::

    response = await ask("GET", "http://localhost:8000/info", seconds=30)
    response.status             # 200
    await response.json()       # {"batch_size": 1024, ...}; ValueError if this is no JSON

All bodies of inference servers and of the rollout API are read here. The limit of time is one on
the whole: connecting, headers, and the last byte. The limit of size is one on the body as it is
used, so a small compressed body can't become a large one. A redirect is returned as what it is.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from rgenv.runtime.large_json import parsed
from rgenv.text import one_line

KIB, MIB = 2**10, 2**20

PAGE_BYTES = 8 * MIB
"""The most bytes of a page that is no completion: a list of models, a status, a receipt."""

ERROR_BYTES = 64 * KIB
"""Bytes of an error page that are read; the rest is left."""

HELD_BYTES = 1024 * MIB
"""The most bytes of all responses that this process holds at the same time."""

CONNECT_SECONDS = 10.0
"""After this, an address that does not react counts as dead. A completion may take much longer."""

_COMPRESSED = ("gzip", "x-gzip", "deflate")


class NoAnswer(OSError):
    """A server gave no answer that can be used; the message continues a sentence about it."""


class TooLarge(NoAnswer):
    """The body is larger than it may be."""


class Response:
    """What a server answered.

    Attributes:
        status: the status code.
        body: the body, without compression; the first `ERROR_BYTES` if the status is an error.
        location: where a redirect leads to; empty if this is none.
    """

    _held = 0

    def __init__(self, status: int, location: str = "") -> None:
        self.status, self.location = status, location
        self.body = b""

    def __del__(self) -> None:
        Response._held -= len(self.body)

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    @property
    def is_redirect(self) -> bool:
        """Whether the server names another address instead of an answer."""
        return 300 <= self.status < 400

    async def json(self) -> Any:
        """Return the content of the body.

        Raises:
            ValueError: it is no JSON, or nested too deeply.
        """
        return await parsed(self.body)

    async def read(self, content: aiohttp.StreamReader, encoding: str, most: int) -> None:
        """Read the body.

        Args:
            encoding: the header Content-Encoding.

        Raises:
            TooLarge: it has more than `most` bytes.
            NoAnswer: it is compressed in an unknown way.
        """
        inflate = _inflater(encoding)
        is_error = self.status >= 400
        most = min(most, ERROR_BYTES) if is_error else most
        parts: list[bytes] = []
        size = 0
        try:
            async for chunk in content.iter_any():
                part = inflate(chunk, most - size + 1)
                parts.append(part)
                size += len(part)
                Response._held += len(part)
                if size > most:
                    break
                if Response._held > HELD_BYTES:
                    raise NoAnswer("sent too much, together with what others sent")
        except BaseException:
            Response._held -= size
            raise
        if size > most and not is_error:
            Response._held -= size
            raise TooLarge(f"sent more than {_size(most)}")
        self.body = b"".join(parts)
        if size > most:
            self.body = self.body[:most]
            Response._held -= size - most


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

    Args:
        seconds: that all of it may take.
        most: the most bytes that the body may have.
        body: of the request; JSON.
        through_proxies: use the proxies that the variables of the environment name.

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
                auto_decompress=False,
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
                response = Response(reply.status, _location(reply))
                if not response.is_redirect:
                    await response.read(
                        reply.content, reply.headers.get("Content-Encoding", ""), most
                    )
            finally:
                reply.close()  # nothing of the rest is read
            return response
    except NoAnswer:
        raise
    except aiohttp.ClientConnectionError as error:
        raise NoAnswer(f"can't be reached ({one_line(error) or type(error).__name__})") from None
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


def _location(reply: aiohttp.ClientResponse) -> str:
    return one_line(reply.headers.get("Location", "")) if 300 <= reply.status < 400 else ""


def _inflater(encoding: str) -> Any:
    """Return a function that returns at most so many bytes of what a compressed chunk holds.

    Raises:
        NoAnswer: the compression is unknown; none was asked for.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return lambda chunk, most: chunk[:most]
    if name not in _COMPRESSED:
        raise NoAnswer(f"compressed its answer ({one_line(name, 40)}), which it was asked not to")
    stream = zlib.decompressobj(wbits=47)  # 47: zlib or gzip, by the header

    def inflate(chunk: bytes, most: int) -> bytes:
        try:
            return stream.decompress(chunk, most)
        except zlib.error as error:
            raise NoAnswer(f"sent a body that is not {name} ({error})") from None

    return inflate


def _size(count: int) -> str:
    return f"{count // MIB} MiB" if count >= MIB else f"{count // KIB} KiB"
