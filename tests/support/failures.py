"""Servers that fail: what they do instead of answering, on which page, when, and how often."""

import asyncio
import contextlib
import itertools
import math
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

Fail = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def _hang(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(3600)
    return web.Response()


async def _drip(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.1)
    return response


async def _reset(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def _half(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices": [')
    request.transport.close()
    return web.Response()


async def _redirect(request: web.Request) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": f"http://{request.host}/elsewhere"})


def _says(text: str, status: int = 200) -> Fail:
    async def say(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=text, content_type="text/html")

    return say


SLOW: dict[str, Fail] = {"no answer": _hang, "a byte now and then": _drip}
AT_ONCE: dict[str, Fail] = {
    "a reset": _reset,
    "half a body": _half,
    "a redirect": _redirect,
    "a web page": _says("<!doctype html><html>Log in</html>"),
    "nothing": _says(""),
    "no object": _says("[1]"),
    "other fields": _says("{}"),
    **{f"status {n}": _says("no\nthanks", n) for n in (400, 401, 404, 413, 429, 500, 503)},
}


def failing(page: str, name: str, *, after: int = 0, times: float = math.inf) -> Any:
    """Return a middleware that fails on a page, after so many answers, so many times."""
    numbers = itertools.count()

    @web.middleware
    async def fail(request: web.Request, handler: Fail) -> web.StreamResponse:
        if request.path != page or not after <= next(numbers) < after + times:
            return await handler(request)
        return await {**SLOW, **AT_ONCE}[name](request)

    return fail
