"""rgenv/inference/polling.py: waiting for the answer of a server."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from rgenv.errors import StartupError
from rgenv.inference import polling
from rgenv.inference.polling import quoted, require_answer


def is_atropos(status: int, body: str) -> str | None:
    return None if "Atropos" in body else quoted(status, body)


class Page:
    """A server with scripted (status, body) answers; the last one is repeated."""

    def __init__(self) -> None:
        self.answers = [(200, "")]
        self.url = ""

    async def get(self, _request: web.Request) -> web.Response:
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return web.Response(status=status, body=body.encode("latin-1"), content_type="text/html")


@pytest_asyncio.fixture(loop_scope="session")
async def page() -> AsyncIterator[Page]:
    """Serve a page on a free port."""
    page, app = Page(), web.Application()
    app.router.add_get("/", page.get)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    page.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    yield page
    await runner.cleanup()


async def test_polling_ends_with_the_expected_answer(page: Page) -> None:
    """Errors and unexpected pages before the expected answer are ignored."""
    page.answers = [(500, "starting"), (200, "<html>"), (200, "AtroposLib API")]
    await require_answer(page.url, 20, "missing", judge=is_atropos)


@pytest.mark.parametrize(
    ("answer", "quoted"),
    [
        ((200, "<html>welcome"), "welcome"),
        ((503, "later"), "HTTP 503"),
        ((200, "\xff"), "HTTP 200"),
    ],
)
async def test_an_unexpected_answer_is_quoted(
    page: Page, answer: tuple[int, str], quoted: str
) -> None:
    """Another web page, an error status and undecodable text are reported after the timeout."""
    page.answers = [answer]
    with pytest.raises(StartupError, match=f"missing.*{quoted}"):
        await require_answer(page.url, 0.1, "missing", judge=is_atropos)


async def test_an_address_that_redirects_is_refused_at_once() -> None:
    """What it leads to may be anything; the sentence names it."""

    async def redirect(_request: web.Request) -> web.Response:
        return web.Response(status=301, headers={"Location": "https://elsewhere/login"})

    app = web.Application()
    app.router.add_get("/", redirect)
    async with TestServer(app) as server:
        with pytest.raises(StartupError, match="redirects to https://elsewhere/login, and"):
            await require_answer(str(server.make_url("/")), 60, "missing", judge=is_atropos)


async def test_a_wait_for_a_server_is_said(
    page: Page, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A line has the address and what is wrong with it."""
    monkeypatch.setattr(polling, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(polling, "POLL_SECONDS", 0.01)
    caplog.set_level(logging.INFO)
    page.answers = [(503, "later"), (200, "AtroposLib API")]
    await require_answer(page.url, 20, "missing", judge=is_atropos)
    assert f"Waiting for {page.url} (HTTP 503, 'later')." in caplog.messages


async def test_a_server_that_accepts_connections_and_never_answers_is_given_up() -> None:
    """The wait ends with its timeout, and the message says that there was no answer."""
    silent = await asyncio.start_server(lambda *_: asyncio.sleep(60), "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    began = time.monotonic()
    with pytest.raises(StartupError, match=r"missing.*did not answer within 2 s"):
        await require_answer(f"http://127.0.0.1:{port}/", 2, "missing", judge=is_atropos)
    assert 1.5 < time.monotonic() - began < 50
    silent.close()
