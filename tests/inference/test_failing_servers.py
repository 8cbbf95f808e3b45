"""rgenv/inference: what becomes of a request to a server that fails, in all dialects and chats."""

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer

from rgenv.atropos.servers import SGLangEngine, VllmEngine
from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference import chat
from rgenv.inference.engine import Ask
from rgenv.inference.policy import Generation
from tests.support.chat_server import ChatServer, says
from tests.support.engines import MODEL, PATHS, Engine
from tests.support.failures import AT_ONCE, SLOW, failing
from tests.support.fakes import fake_config

pytestmark = pytest.mark.usefixtures("short_pauses")

OF_THE_ADDRESS = {"a redirect", "a web page"}
KINDS = ["vllm", "tokens only", "atropos", "sglang"]
REFUSED = {"a redirect", "a web page", "status 400", "status 401", "status 404", "status 413"}


def of_type(error: Exception, name: str) -> bool:
    refused = name in REFUSED
    limited = name == "status 429"
    return (isinstance(error, RequestRefused), isinstance(error, RateLimited)) == (refused, limited)


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
        where = {"base_url": f"{engine.url}/v1", "model_name": MODEL, "timeout": 1}
        [config] = fake_config(server_type="vllm", tokenizer_name=str(tokenizer_dir), **where)
        client = SGLangEngine(config) if kind == "sglang" else VllmEngine(config)
        generation = Generation(SimpleNamespace(servers=[client]))
        asked = Ask([5, 9, 31], n=2, max_tokens=7)
        assert len(await generation.complete(asked, "…")) == 2
        with pytest.raises(RequestFailed, match=engine.url) as failure:
            await generation.complete(asked, "…", is_training=False)
        assert of_type(failure.value, name) and str(failure.value).isprintable()
        assert len(await generation.complete(asked, "…")) == 2


@pytest.mark.parametrize("name", [*AT_ONCE, *SLOW])
async def test_a_chat_server_that_fails_is_a_sentence(name: str) -> None:
    page = failing("/v1/chat/completions", name, times=1)
    async with ChatServer(says("4"), middlewares=(page,)) as server:
        [config] = fake_config(server_type="openai", base_url=server.url, timeout=1)
        request = OpenAIServer(config), [{"role": "user", "content": "2 + 2?"}], {"max_tokens": 5}
        with pytest.raises(RequestFailed, match=server.url) as failure:
            await chat.complete(*request)
        assert of_type(failure.value, name) and str(failure.value).isprintable()
        assert ("set --openai.base_url" in str(failure.value)) == (name in OF_THE_ADDRESS)
        async with asyncio.timeout(60):
            assert (await chat.complete(*request)).text == "4"
