"""JSON over HTTP: handlers, bad requests, and the end of a server."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from demo.http_server import BadRequest, serve_until_ended, start_json_server


async def double(body: dict[str, Any]) -> dict[str, Any]:
    return {"result": 2 * body["number"]}


def refuse(body: dict[str, Any]) -> dict[str, Any]:
    raise BadRequest("not today")


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """The URL of a server with two handlers."""
    server = await start_json_server({"/double": double, "/refuse": refuse})
    yield f"http://127.0.0.1:{server.port}"
    await server.close()


async def post(url: str, data: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.post(url, data=data) as reply:
        return reply.status, await reply.json()


async def test_a_handler_answers(url: str) -> None:
    """The answer of a handler is JSON, and the server is healthy."""
    assert await post(f"{url}/double", '{"number": 21}') == (200, {"result": 42})
    async with aiohttp.ClientSession() as session, session.get(f"{url}/health") as reply:
        assert (reply.status, await reply.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "must be a JSON object"),
        ('{"stream": true}', "streaming is not supported"),
        ('{"text": "\\ud800"}', "not JSON"),
        ("{}", "not today"),
    ],
)
async def test_a_bad_request_gets_a_reason(url: str, data: str, reason: str) -> None:
    """An invalid body, or one that the handler refuses, gets status 400 and the reason."""
    status, answer = await post(f"{url}/refuse", data)
    assert status == 400 and reason in answer["error"]


async def test_failed_work_ends_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    """If the work beside a server fails, the server closes and the error is raised."""
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    async def work() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await serve_until_ended(1234, close, work())
    assert closed == [True]
    assert json.loads(capsys.readouterr().out) == {"port": 1234}
