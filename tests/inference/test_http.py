"""rgenv/inference/http.py: limits of size and time, proxies, waiting, and what errors mean."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference import http
from rgenv.inference.http import NoAnswer, ask, failure, post, reason_in

Tell = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def answering(tell: Tell) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", tell)
    async with TestServer(app) as server:
        yield str(server.make_url("/"))


async def test_a_body_has_a_limit_of_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BYTES", 2**20)

    async def tell(request: web.Request) -> web.Response:
        response = web.Response(body=b" " * int(request.query["size"]))
        response.enable_compression()
        return response

    async with answering(tell) as url:
        assert len((await ask("GET", f"{url}?size={2**20}", seconds=60)).body) == 2**20
        with pytest.raises(NoAnswer, match="sent more than 1 MiB"):
            await ask("GET", f"{url}?size={2**20 + 1}", seconds=60)


async def test_a_proxy_of_the_environment_is_used_if_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Requests to services outside need it; a password in .netrc does not disturb their key."""
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    asked = []

    async def tell(request: web.Request) -> web.Response:
        asked.append((request.headers["Host"], request.headers["Authorization"]))
        return web.Response(text="proxied")

    async with answering(tell) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        url, keys = "http://outside.invalid/v1", {"Authorization": "Bearer key"}
        response = await ask("GET", url, seconds=60, headers=keys, through_proxies=True)
        assert response.text == "proxied" and asked == [("outside.invalid", "Bearer key")]
        here = await ask("GET", proxy, seconds=60, headers=keys, through_proxies=True)
        assert here.text == "proxied"
        with pytest.raises(NoAnswer, match="can't be reached"):
            await ask("GET", url, seconds=60, headers=keys)


def config(server_type: str = "openai", url: str = "http://host:9/v1") -> Any:
    names = {"base_url": url, "model_name": "m", "timeout": 7, "api_key": "k"}
    return SimpleNamespace(server_type=server_type, **names)


@pytest.mark.parametrize(
    ("server_type", "status", "final", "remedy"),
    [
        ("openai", 400, False, "--env.eval_request"),
        ("openai", 401, True, "OPENAI_API_KEY"),
        ("openai", 402, True, "credit"),
        ("openai", 403, False, "another key"),
        ("openai", 404, True, r"--openai.model_name \(m\)"),
        ("openai", 413, False, "prompt"),
        ("vllm", 401, True, "--openai.api_key"),
        ("vllm", 422, False, "--context-length"),
    ],
)
def test_a_refusal_has_address_status_and_remedy(
    server_type: str, status: int, final: bool, remedy: str
) -> None:
    """Only key, credit, address and model concern every other request, too."""
    said = rf"http://host:9/v1 .* status {status} \(no\).*{remedy}"
    with pytest.raises(RequestRefused, match=said) as refusal:
        raise failure(status, "no", config(server_type))
    assert refusal.value.final == final


async def said(status: int, body: str) -> RequestFailed:
    async def tell(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body)

    async with answering(tell) as url:
        with pytest.raises(RequestFailed) as failed:
            await post(url, {"messages": []}, config(url=url))
    return failed.value


async def test_the_reason_is_what_the_server_says() -> None:
    """In one line; for parameters that reasoning models refuse, with the option that helps."""
    text = str(await said(400, '{"message": "Use\\n \'max_completion_tokens\'."}'))
    assert "(Use 'max_completion_tokens'.)" in text
    assert "--env.eval_request max_completion_tokens=" in text
    assert len(str(await said(400, "<html>" * 500))) < 600
    found = await said(429, '{"error": {"code": "insufficient_quota"}}')
    assert isinstance(found, RequestRefused) and found.final and "credit" in str(found)
    assert reason_in('{"error": {"message": "long", "code": 400}}') == "long"
    assert reason_in('{"detail": "Not Found"}') == "Not Found"
