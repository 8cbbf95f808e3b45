"""rgenv/inference: what becomes of a request to a server that fails, in all dialects and chats."""

import asyncio
import json
import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from atroposlib.envs.server_handling.openai_server import OpenAIServer

from rgenv.atropos.servers import SGLangEngine, VllmEngine
from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference.chat import ChatServers
from rgenv.inference.dialects import Ask
from rgenv.inference.generation import Generation
from tests.support.chat_server import ChatServer, says
from tests.support.engines import MODEL, PATHS, Engine
from tests.support.failures import AT_ONCE, SLOW, Fail, failing
from tests.support.fakes import fake_config

pytestmark = pytest.mark.usefixtures("short_pauses")

OF_THE_ADDRESS = {"a redirect", "a web page"}
KINDS = ["vllm", "tokens only", "atropos", "sglang"]
REFUSED = {"a redirect", "a web page", "status 400", "status 401", "status 404", "status 413"}


def of_type(error: Exception, name: str) -> bool:
    """Tell whether an error is what a failure means: refused, a limit on the rate, or a failure."""
    refused = name in REFUSED
    limited = name == "status 429"
    return (isinstance(error, RequestRefused), isinstance(error, RateLimited)) == (refused, limited)


def generation_over(engine: Engine, kind: str, tokenizer_dir: Path, **settings: Any) -> Generation:
    client_class = SGLangEngine if kind == "sglang" else VllmEngine
    [config] = fake_config(
        server_type="sglang" if kind == "sglang" else "vllm",
        base_url=f"{engine.url}/v1",
        model_name=MODEL,
        tokenizer_name=str(tokenizer_dir),
        **settings,
    )
    manager = SimpleNamespace(servers=[client_class(config)])
    return Generation(manager, vocabulary=lambda: 50)


@pytest.mark.parametrize(
    ("kind", "name"),
    [*[("vllm", name) for name in (*AT_ONCE, *SLOW)], *[(kind, "half a body") for kind in KINDS]],
)
async def test_a_failure_is_a_sentence_and_the_next_request_works(
    kind: str, name: str, tokenizer_dir: Path
) -> None:
    """The limit of time is one on the whole answer, not on the time between two bytes."""
    page = next(iter(PATHS[kind]))
    async with Engine(kind, middlewares=(failing(page, name, after=2, times=1),)) as engine:
        generation = generation_over(engine, kind, tokenizer_dir, timeout=1)
        asked = Ask([5, 9, 31], n=2, max_tokens=7)
        assert len(await generation.complete(asked, "…")) == 2
        with pytest.raises(RequestFailed, match=engine.url) as failure:
            await generation.complete(asked, "…", is_training=False)
        assert of_type(failure.value, name) and str(failure.value).isprintable()
        assert len(await generation.complete(asked, "…")) == 2


Change = Callable[[dict[str, Any]], None]

FLAWED: dict[str, Change] = {
    "NaN": lambda choice: choice["logprobs"]["token_logprobs"].__setitem__(1, math.nan),
    "null": lambda choice: choice["logprobs"]["token_logprobs"].__setitem__(1, None),
    "lengths": lambda choice: choice["token_ids"].pop(),
    "vocabulary": lambda choice: choice["token_ids"].__setitem__(0, 50),
}


@pytest.mark.parametrize("name", FLAWED)
async def test_what_no_trainer_can_use_never_reaches_it(name: str, tokenizer_dir: Path) -> None:
    """The other completions are kept. An answer of another form is asked for again."""
    left = 1

    @web.middleware
    async def change(request: web.Request, handler: Fail) -> web.StreamResponse:
        nonlocal left
        response = await handler(request)
        assert isinstance(response, web.Response) and isinstance(response.body, bytes)
        answer = json.loads(response.body)
        if request.path != "/v1/completions" or len(answer["choices"]) == 1 or not left:
            return response
        left -= 1
        FLAWED[name](answer["choices"][0])
        return web.json_response(answer)

    async with Engine("vllm", middlewares=(change,)) as engine:
        generation = generation_over(engine, "vllm", tokenizer_dir)
        found = await generation.complete(Ask([5, 9, 31], n=2, max_tokens=7), "…")
    assert left == 0 and all(one.logprobs == [-0.5] * 3 for one in found)
    assert [one.tokens for one in found] == [[31, 9, 5]] * (2 if name in ("NaN", "null") else 1)


async def test_fewer_completions_than_were_asked_for_are_all_that_came(tokenizer_dir: Path) -> None:
    """Policy asks for the missing ones."""
    async with Engine("vllm") as engine:
        written = engine.written
        engine.written = lambda prompt, n: written(prompt, max(1, n - 1))  # type: ignore[method-assign]
        generation = generation_over(engine, "vllm", tokenizer_dir)
        assert len(await generation.complete(Ask([5, 9], n=3, max_tokens=7), "…")) == 2


@pytest.mark.parametrize("name", [*AT_ONCE, *SLOW])
async def test_a_chat_server_that_fails_is_a_sentence(name: str) -> None:
    page = failing("/v1/chat/completions", name, times=1)
    async with ChatServer(says("4"), middlewares=(page,)) as server:
        [config] = fake_config(server_type="openai", base_url=server.url, timeout=1)
        chat = ChatServers([OpenAIServer(config)], {"max_tokens": 5})
        with pytest.raises(RequestFailed, match=server.url) as failure:
            await chat.complete([{"role": "user", "content": "2 + 2?"}])
        assert of_type(failure.value, name) and str(failure.value).isprintable()
        assert ("set --openai.base_url" in str(failure.value)) == (name in OF_THE_ADDRESS)
        async with asyncio.timeout(60):
            assert (await chat.complete([{"role": "user", "content": "2 + 2?"}])).text == "4"
