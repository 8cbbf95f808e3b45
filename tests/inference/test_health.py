"""rgenv/inference/health.py: waiting for inference servers at the start."""

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from rgenv.errors import StartupError
from rgenv.inference.health import require_servers
from tests.support.fakes import fake_config


class Health:
    """An inference server that answers every page in the same way."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.keys: list[str] = []
        self.page, self.status, self.url = "", 200, ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        self.keys.append(request.headers.get("Authorization", ""))
        return web.Response(text=self.page, status=self.status)


@pytest_asyncio.fixture(loop_scope="session")
async def health() -> AsyncIterator[Health]:
    handler = Health()
    app = web.Application()
    app.router.add_get("/{path:.*}", handler.handle)
    async with TestServer(app) as server:
        handler.url = str(server.make_url("")).rstrip("/")
        yield handler


def client(url: str | None, **changes: Any) -> Any:
    """A client as Atropos makes it, as far as the check at the start reads it."""
    [config] = fake_config(base_url=url and f"{url}/v1", **{"health_check": True, **changes})
    return SimpleNamespace(config=config)


@pytest.mark.parametrize(
    ("server_type", "checked", "page"),
    [("vllm", True, "/health"), ("sglang", True, "/health"), ("openai", False, "/v1/models")],
)
async def test_the_start_waits_for_servers_that_answer(
    health: Health, server_type: str, checked: bool, page: str
) -> None:
    """The health page of engines is below the address without /v1; neither page costs anything."""
    server = client(health.url, server_type=server_type, api_key="k", health_check=checked)
    await require_servers([server], 60)
    assert (health.asked, health.keys) == ([page], ["Bearer k"])


@pytest.mark.parametrize(("status", "server_type"), [(401, "openai"), (403, "vllm")])
async def test_a_refused_key_is_reported_at_once(
    health: Health, status: int, server_type: str
) -> None:
    """The message names address and option, and never the key."""
    health.status = status
    keyed = client(health.url, server_type=server_type, api_key="sk-secret")
    message = f"{health.url}/v1 refuses the key .*{status}.*--openai.api_key"
    with pytest.raises(StartupError, match=message) as error:
        await require_servers([keyed], 60)
    assert "sk-secret" not in str(error.value) and len(health.asked) == 1


@pytest.mark.parametrize(
    ("server_type", "status", "page", "is_there"),
    [
        ("vllm", 503, "", False),
        ("vllm", 404, "", True),
        ("openai", 500, "", False),
        ("openai", 404, "no such page", True),
        ("openai", 200, "[1]", True),
    ],
)
async def test_any_answer_but_an_error_shows_that_a_server_is_there(
    health: Health,
    server_type: str,
    status: int,
    page: str,
    is_there: bool,
) -> None:
    """An engine needs no health page, and a chat server no list; an error has the address."""
    health.status, health.page = status, page
    asked = require_servers([client(health.url, server_type=server_type)], 0)
    if is_there:
        await asked
    else:
        message = f"No inference server is ready at {health.url}.*--openai.base_url"
        with pytest.raises(StartupError, match=message):
            await asked


@pytest.mark.parametrize("server_type", ["openai", "vllm"])
async def test_a_web_page_in_place_of_a_server_ends_the_start(
    health: Health, server_type: str
) -> None:
    """Nothing is asked there, and the sentence names the option."""
    health.page = "<!doctype html><html>Log in</html>"
    message = f"at {health.url}/v1 answers with a web page: set --openai.base_url"
    with pytest.raises(StartupError, match=message):
        await require_servers([client(health.url, server_type=server_type)], 60)
    assert len(health.asked) == 1


async def test_servers_without_a_health_page_are_not_checked(health: Health) -> None:
    health.status = 503
    unchecked = [client(None), SimpleNamespace(config=None), client(health.url, health_check=False)]
    await require_servers(unchecked, 0)
    assert health.asked == []
