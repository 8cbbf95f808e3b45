"""rgenv/runtime/preflight.py: checks of servers and files at the start."""

import threading
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import web

from rgenv.errors import StartupError
from rgenv.runtime.preflight import require_answer, require_in_time


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
    await require_answer(page.url, 20, "missing", accepts=lambda body: "Atropos" in body)


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
        await require_answer(page.url, 0.1, "missing", accepts=lambda body: "Atropos" in body)


async def test_waiting_for_a_closed_port_is_bounded() -> None:
    """The wait ends after its timeout with the last connection error."""
    began = time.monotonic()
    with pytest.raises(StartupError, match=r"missing.*(Connect|refused)"):
        await require_answer("http://127.0.0.1:9/", 0.6, "missing", accepts=bool)
    assert time.monotonic() - began < 20


def test_loading_that_works_passes() -> None:
    """A loader that returns in time raises nothing."""
    require_in_time(lambda: 1, 60, "{why}")


def test_loading_that_hangs_or_fails_is_an_error() -> None:
    """The message says that there was no answer in time, or what was raised."""
    end = threading.Event()
    with pytest.raises(StartupError, match=r"tokenizer: no answer in 0\.1 s"):
        require_in_time(end.wait, 0.1, "tokenizer: {why}")
    end.set()
    with pytest.raises(StartupError, match="tokenizer: ZeroDivisionError"):
        require_in_time(lambda: 1 / 0, 60, "tokenizer: {why}")
