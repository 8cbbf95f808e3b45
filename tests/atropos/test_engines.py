"""rgenv.atropos.servers.py: clients of engines, against strict stand-ins for their formats."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import APIServer, ServerBaseline
from atroposlib.envs.server_handling.vllm_server import VLLMServer

from rgenv.atropos.servers import SGLangEngine, VllmEngine, engine_class
from tests.support.engines import MODEL, Engine
from tests.support.fakes import fake_config
from tests.support.polling import until

IDS = [5, 9, 31]
BACK = [31, 9, 5]
KINDS = {"vllm": VllmEngine, "sglang": SGLangEngine}


@pytest.fixture
def new_client(tokenizer_dir: Path) -> Any:
    """Return a function that makes a client of an address."""

    def make(url: str, server_type: str = "vllm", **changes: Any) -> Any:
        [config] = fake_config(
            **{
                "server_type": server_type,
                "base_url": f"{url}/v1",
                "model_name": MODEL,
                "tokenizer_name": str(tokenizer_dir),
                "timeout": 30,
                **changes,
            }
        )
        return KINDS[server_type](config)

    return make


@pytest_asyncio.fixture(loop_scope="session")
async def vllm() -> AsyncIterator[Engine]:
    """Stock vLLM."""
    async with Engine("vllm") as engine:
        yield engine


async def ask(client: Any, **changes: Any) -> Any:
    request = {"input_ids": IDS, "n": 2, "max_tokens": 7, "temperature": 1.0, "top_p": 1.0}
    async with asyncio.timeout(60):
        return await client.tokens_and_logprobs_completion(prompt="…", **{**request, **changes})


async def test_a_text_begins_once(new_client: Any, vllm: Engine) -> None:
    """Chat template and tokenizer may both add the token that begins a text, as those of Llama."""
    client = new_client(vllm.url)
    client.tokenizer = SimpleNamespace(bos_token_id=5)
    prompt, tokens, *_ = await ask(client, input_ids=[5, *IDS])
    assert prompt == IDS and tokens == [BACK, BACK] and vllm.asked[-1]["prompt"] == IDS
    prompt, *_ = await ask(client, input_ids=[9, 9])
    assert prompt == [9, 9]


async def test_evaluation_has_its_own_limit(new_client: Any, vllm: Engine) -> None:
    """Timings are kept apart, as Atropos reports them."""
    client = new_client(vllm.url, num_max_requests_at_once=1, num_requests_for_eval=2)
    await ask(client, split="eval")
    vllm.release = asyncio.Event()
    asked = len(vllm.asked)
    requests = [asyncio.create_task(ask(client, split="eval")) for _ in range(3)]
    requests += [asyncio.create_task(ask(client)) for _ in range(3)]
    await until(lambda: len(vllm.asked) == asked + 3)
    await asyncio.sleep(0.05)
    assert len(vllm.asked) == asked + 3
    vllm.release.set()
    await asyncio.gather(*requests)
    assert (len(client.request_timings), len(client.eval_request_timings)) == (3, 4)


def test_the_type_of_the_servers_decides_the_class() -> None:
    """A class that somebody chose stays; chat servers keep Atropos' client."""
    assert engine_class(APIServer, fake_config(server_type="vllm")) is VllmEngine
    assert engine_class(APIServer, fake_config(server_type="sglang")) is SGLangEngine
    assert engine_class(APIServer, fake_config(server_type="openai")) is APIServer
    assert engine_class(APIServer, ServerBaseline(server_type="vllm")) is VllmEngine
    assert engine_class(OpenAIServer, fake_config()) is OpenAIServer
    assert engine_class(APIServer, []) is APIServer
    assert issubclass(VllmEngine, VLLMServer)
