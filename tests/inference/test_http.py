"""rgenv/inference/http.py: limits of size and time on what servers send."""

import gzip
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from rgenv.errors import StartupError
from rgenv.inference import http
from rgenv.inference.http import ERROR_BYTES, MIB, NoAnswer, TooLarge, ask, quoted, require_answer
from tests.support.lies import ABOUT_HTTP, FORGED, Handler

SECONDS = 2.0


@asynccontextmanager
async def answering(tell: Callable[[web.Request, Handler], Any]) -> AsyncIterator[str]:
    app = web.Application()

    async def honest(request: web.Request) -> web.Response:
        return web.json_response({"a": 1})

    async def handle(request: web.Request) -> web.StreamResponse:
        response: web.StreamResponse = await tell(request, honest)
        return response

    app.router.add_route("*", "/page", handle)
    async with TestServer(app) as server:
        yield str(server.make_url("/page"))


async def got(name: str, **limits: Any) -> http.Response:
    async with answering(ABOUT_HTTP[name]) as url:
        return await ask("GET", url, **{"seconds": SECONDS, "most": MIB, **limits})


async def test_a_response_has_status_text_and_json() -> None:
    """The server is asked not to compress, and what it compresses nevertheless is read."""
    asked: list[str] = []

    async def tell(request: web.Request, honest: Handler) -> web.Response:
        asked.append(request.headers["Accept-Encoding"])
        body = gzip.compress(await request.read())
        return web.Response(body=body, headers={"Content-Encoding": "gzip"}, status=201)

    async with answering(tell) as url:
        response = await ask("POST", url, seconds=SECONDS, body=b'{"a": [1]}')
    assert response.status == 201 and response.text == '{"a": [1]}' and asked == ["identity"]
    assert await response.json() == {"a": [1]}


@pytest.mark.parametrize("name", ["an endless body", "a gzip bomb"])
async def test_a_body_has_a_limit_of_size(name: str) -> None:
    """The limit is one on the body as it is used; reading ends there, and so does the request."""
    began = time.monotonic()
    with pytest.raises(TooLarge, match="sent more than 1 MiB"):
        await got(name, seconds=60)
    assert time.monotonic() - began < 50


async def test_the_limit_of_size_is_exact() -> None:
    async def tell(request: web.Request, honest: Handler) -> web.Response:
        return web.Response(body=b"x" * 1000)

    async with answering(tell) as url:
        assert len((await ask("GET", url, seconds=SECONDS, most=1000)).body) == 1000
        with pytest.raises(TooLarge):
            await ask("GET", url, seconds=SECONDS, most=999)


async def test_an_error_page_is_read_in_part() -> None:
    """Its beginning is enough for a message; the rest costs no memory."""
    response = await got("status 500")
    assert (response.status, len(response.body)) == (500, ERROR_BYTES)
    assert len(FORGED) * 5000 > ERROR_BYTES


async def test_a_proxy_of_the_environment_is_used_if_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Requests to services outside need it; a password in .netrc does not disturb their key."""
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    app, asked = web.Application(), []

    async def handle(request: web.Request) -> web.Response:
        asked.append((request.headers["Host"], request.headers["Authorization"]))
        return web.Response(text="proxied")

    app.router.add_route("*", "/{path:.*}", handle)
    async with TestServer(app) as proxy:
        monkeypatch.setenv("http_proxy", str(proxy.make_url("/")))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        keys = {"Authorization": "Bearer key"}
        url, limit = "http://outside.invalid/v1", {"seconds": SECONDS, "headers": keys}
        response = await ask("GET", url, through_proxies=True, **limit)
        assert response.text == "proxied" and asked == [("outside.invalid", "Bearer key")]
        here = str(proxy.make_url("/here"))
        assert (await ask("GET", here, through_proxies=True, **limit)).text == "proxied"
        with pytest.raises(NoAnswer, match="can't be reached"):
            await ask("GET", url, **limit)
    assert len(asked) == 2


def is_atropos(status: int, body: str) -> str | None:
    return None if "Atropos" in body else quoted(status, body)


def pages(*answers: tuple[int, str]) -> AbstractAsyncContextManager[str]:
    """Serve pages with statuses, one after the other; the last one is repeated."""
    left = list(answers)

    async def tell(request: web.Request, honest: Handler) -> web.Response:
        status, body = left.pop(0) if len(left) > 1 else left[0]
        return web.Response(status=status, body=body.encode("latin-1"), content_type="text/html")

    return answering(tell)


async def test_polling_ends_with_the_expected_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Until then, a line has the address, the seconds that are left, and what is wrong."""
    monkeypatch.setattr(http, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(http, "POLL_SECONDS", 0.01)
    caplog.set_level(logging.INFO)
    shown = (503, "later"), (200, "\xff"), (200, "<html>"), (200, "AtroposLib API")
    async with pages(*shown) as url:  # the second one can't be decoded
        await require_answer(url, 20, "missing", judge=is_atropos)
    assert f"Waiting for {url}, 20 s more at most (HTTP 503, 'later')." in caplog.messages


async def test_an_address_that_redirects_is_refused_at_once() -> None:
    """What it leads to may be anything; the sentence names it."""
    async with answering(ABOUT_HTTP["a redirect"]) as url:
        with pytest.raises(StartupError, match=r"redirects to .*, and redirects are not followed"):
            await require_answer(url, 60, "missing", judge=is_atropos)
