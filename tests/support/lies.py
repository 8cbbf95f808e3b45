"""Servers that lie: what they answer instead of the truth, on which page, when, and for how long.

A lie is about a value in an honest answer (`Wrong`), or about HTTP itself (`ABOUT_HTTP`).
"""

import asyncio
import contextlib
import itertools
import json
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

FORGED = "\x1b[31m2026-01-01 00:00:00 ReasoningGymEnv ERROR\nEnded: forged\r\n\u202e"
"""A text that would be a line of the log, in red and backwards."""

DEEP = "deep"
"""Stands for a list in 200,000 others."""

MISSING = "missing"

ELSEWHERE = "/elsewhere"
"""Where redirects lead to: a page of the same server."""

VALUES: dict[str, Any] = {
    MISSING: None,
    "null": None,
    "true": True,
    "a string": "x",
    "a forged line": FORGED,
    "a long string": "y" * 300_000,
    "-1": -1,
    "1.5": 1.5,
    "a huge number": 10**400,
    "1e308": 1e308,
    "-1e308": -1e308,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "an empty list": [],
    "an empty object": {},
    "a nested list": DEEP,
}

Place = tuple[str | int, ...]

OF_ENGINES: dict[str, list[Place]] = {
    "vllm": [
        (),
        ("choices",),
        ("choices", 0),
        ("choices", 0, "token_ids"),
        ("choices", 0, "token_ids", 1),
        ("choices", 0, "logprobs"),
        ("choices", 0, "logprobs", "token_logprobs"),
        ("choices", 0, "logprobs", "token_logprobs", 1),
        ("choices", 0, "finish_reason"),
    ],
    "tokens only": [
        ("choices",),
        ("choices", 0, "token_ids", 0),
        ("choices", 0, "logprobs", "content"),
        ("choices", 0, "logprobs", "content", 0, "logprob"),
        ("choices", 0, "finish_reason"),
    ],
    "atropos": [
        ("logprobs",),
        ("logprobs", 0),
        ("logprobs", 0, 0),
        ("logprobs", 0, 0, 0),
        ("finish_reasons",),
        ("finish_reasons", 0),
    ],
    "sglang": [
        (0,),
        (0, "meta_info"),
        (0, "meta_info", "output_token_logprobs"),
        (0, "meta_info", "output_token_logprobs", 0),
        (0, "meta_info", "output_token_logprobs", 0, 0),
        (0, "meta_info", "output_token_logprobs", 0, 1),
        (0, "meta_info", "finish_reason"),
    ],
}
"""Dialect -> places in its answer."""

OF_API: dict[str, list[Place]] = {
    "/register-env": [
        (),
        *[("status",), ("env_id",), ("wandb_name",), ("checkpoint_dir",)],
        *[("starting_step",), ("checkpoint_interval",), ("num_steps",)],
    ],
    "/status-env": [(), ("current_step",), ("queue_size",), ("self_queue_size",), ("env_weight",)],
    "/info": [(), ("batch_size",), ("max_token_len",)],
    "/scored_data": [(), ("status",)],
    "/wandb_info": [(), ("group",), ("project",)],
}
"""Page -> places in its answer."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Wrong:
    """A wrong value at a place in an honest answer."""

    place: Place
    kind: str

    def __str__(self) -> str:
        return f"{self.kind} at {'.'.join(map(str, self.place)) or 'the whole'}"

    async def __call__(self, request: web.Request, honest: Handler) -> web.StreamResponse:
        response = await honest(request)
        assert isinstance(response, web.Response) and isinstance(response.body, bytes)
        answer = json.loads(response.body)
        if self.place:
            inside = answer
            with contextlib.suppress(
                KeyError, IndexError, TypeError
            ):  # then the place is not there
                for step in self.place[:-1]:
                    inside = inside[step]
                if self.kind == MISSING:
                    del inside[self.place[-1]]
                else:
                    inside[self.place[-1]] = VALUES[self.kind]
        else:
            answer = VALUES[self.kind]
        text = json.dumps(answer).replace(f'"{DEEP}"', "[" * 200_000 + "]" * 200_000)
        return web.Response(text=text, content_type="application/json", status=response.status)


async def _stream(
    request: web.Request, chunk: bytes, *, first: bytes = b"", seconds: float = 0.0, **headers: str
) -> web.StreamResponse:
    """Send `chunk` for ever."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = web.StreamResponse(headers=named)
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        await response.write(first + chunk)
        while True:
            await asyncio.sleep(seconds)
            await response.write(chunk)
    return response


async def endless(request: web.Request, honest: Handler) -> web.StreamResponse:
    return await _stream(request, b" " * 2**20)


async def drip(request: web.Request, honest: Handler) -> web.StreamResponse:
    return await _stream(request, b" ", seconds=0.1)


async def gzip_bomb(request: web.Request, honest: Handler) -> web.StreamResponse:
    """A compressed body without an end, of which a kilobyte becomes a megabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)
    more = packer.compress(b" " * 2**22) + packer.flush(zlib.Z_FULL_FLUSH)
    return await _stream(request, more * 8, first=first, Content_Encoding="gzip")


async def hang(request: web.Request, honest: Handler) -> web.StreamResponse:
    await asyncio.sleep(3600)
    return web.Response()


async def redirect(request: web.Request, honest: Handler) -> web.StreamResponse:
    """Another address, which takes anything and looks content."""
    name = FORGED.encode("unicode_escape").decode()
    elsewhere = f"http://{request.host}{ELSEWHERE}?{name}"
    return web.Response(status=302, headers={"Location": elsewhere})


async def unknown_compression(request: web.Request, honest: Handler) -> web.StreamResponse:
    """A compression that nobody asked for."""
    return web.Response(body=b"x", headers={"Content-Encoding": "br"})


async def no_compression(request: web.Request, honest: Handler) -> web.StreamResponse:
    """A body that is not compressed as its header says."""
    return web.Response(body=b"{}", headers={"Content-Encoding": "gzip"})


def raw(*content: bytes) -> Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]:
    """Return a lie that sends bytes in place of HTTP, and closes the connection."""

    async def send(request: web.Request, honest: Handler) -> web.StreamResponse:
        assert request.transport is not None
        for part in content:
            request.transport.write(part)
        request.transport.close()
        return web.Response()

    return send


def error(status: int) -> Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]:
    """Return a lie with an error status and a page that looks like a line of the log."""

    async def refuse(request: web.Request, honest: Handler) -> web.StreamResponse:
        return web.Response(status=status, text=json.dumps({"error": {"message": FORGED * 5000}}))

    return refuse


HEAD = b"HTTP/1.1 200 OK\r\n"
ABOUT_HTTP: dict[str, Any] = {
    "an endless body": endless,
    "a byte now and then": drip,
    "a gzip bomb": gzip_bomb,
    "no answer": hang,
    "a redirect": redirect,
    "an unknown compression": unknown_compression,
    "no compression": no_compression,
    "no HTTP": raw(FORGED.encode()),
    "a huge header": raw(HEAD, b"X-A: " + b"a" * 2**20 + b"\r\n\r\n"),
    "many headers": raw(HEAD, b"".join(b"X-%d: a\r\n" % i for i in range(50_000)), b"\r\n{}"),
    "a body that breaks off": raw(HEAD, b'Content-Length: 500\r\n\r\n{"a'),
    "a negative length": raw(HEAD, b"Content-Length: -5\r\n\r\n{}"),
    "a huge length": raw(HEAD, b"Content-Length: 99999999999999999999\r\n\r\n{}"),
    "a wrong chunk": raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}"),
    "an empty body": raw(HEAD, b"Content-Length: 0\r\n\r\n"),
    "a page": raw(HEAD, b"Content-Length: 13\r\n\r\n<html></html>"),
    **{f"status {status}": error(status) for status in (204, 400, 401, 404, 413, 429, 500, 503)},
}

SLOW = ("a byte now and then", "no answer")
"""Those that take time."""


@dataclass(frozen=True)
class Lie:
    """What one server answers to requests for a page, after `at` honest answers, `times` times."""

    page: str
    name: str
    tell: Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]
    at: int
    times: int

    def __str__(self) -> str:
        often = "for ever" if self.times > 10**6 else f"{self.times} times"
        return f"{self.page}: {self.name} after {self.at}, {often}"


def teller(lie: Lie | None) -> Any:
    """Return a middleware that tells a lie; None: the truth."""
    numbers = itertools.count()

    @web.middleware
    async def tell(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path == ELSEWHERE:
            return web.json_response({"status": "success"})
        if lie is None or request.path != lie.page:
            return await handler(request)
        if lie.at <= next(numbers) < lie.at + lie.times:
            return await lie.tell(request, handler)
        return await handler(request)

    return tell


class Changing:
    """A middleware that tells the lie of the moment."""

    def __init__(self) -> None:
        self.lie: Lie | None = None

        @web.middleware
        async def tell(request: web.Request, handler: Handler) -> web.StreamResponse:
            response: web.StreamResponse = await teller(self.lie)(request, handler)
            return response

        self.middleware = tell
