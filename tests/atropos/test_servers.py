"""rgenv/atropos/servers.py: settings of inference servers, and the clients of engines."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import APIServer, ServerBaseline

from rgenv.atropos.servers import SGLangEngine, VllmEngine, engine_class, with_defaults
from tests.support.engines import MODEL, Engine
from tests.support.fakes import fake_config
from tests.support.polling import until


@pytest.mark.parametrize(
    ("server_type", "given", "filled"),
    [
        ("vllm", {"api_key": ""}, {"api_key": "x", "tokenizer_name": "my/tokenizer"}),
        ("sglang", {"api_key": "x"}, {"api_key": "x"}),
        ("openai", {"api_key": ""}, {"api_key": "sk-environment"}),
        ("openai", {"api_key": "mine"}, {"api_key": "mine"}),
        ("openai", {"health_check": True}, {"health_check": False}),
        ("vllm", {"health_check": True}, {"health_check": True}),
        ("openai", {"base_url": ""}, {"base_url": "https://api.openai.com/v1"}),
        ("openai", {"base_url": "http://a/api"}, {"base_url": "http://a/api"}),
        ("vllm", {"base_url": "http://a:9004"}, {"base_url": "http://a:9004/v1"}),
        ("sglang", {"base_url": "http://a:9004/v1/"}, {"base_url": "http://a:9004/v1"}),
    ],
)
def test_missing_settings_are_filled_in(
    monkeypatch: pytest.MonkeyPatch,
    server_type: str,
    given: dict[str, Any],
    filled: dict[str, Any],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    [server] = with_defaults(fake_config(server_type=server_type, **given), "my/tokenizer")
    assert {name: getattr(server, name) for name in filled} == filled


def test_the_type_of_the_servers_decides_the_class() -> None:
    assert engine_class(APIServer, fake_config(server_type="vllm")) is VllmEngine
    assert engine_class(APIServer, fake_config(server_type="sglang")) is SGLangEngine
    assert engine_class(APIServer, fake_config(server_type="openai")) is APIServer
    baseline = ServerBaseline(server_type="vllm")
    assert with_defaults(baseline, "t") is baseline
    assert engine_class(APIServer, baseline) is VllmEngine
    assert engine_class(OpenAIServer, fake_config()) is OpenAIServer
    assert engine_class(APIServer, []) is APIServer


async def test_evaluation_has_its_own_limit(tokenizer_dir: Path) -> None:
    async with Engine("vllm") as vllm:
        vllm.release = asyncio.Event()
        url, limits = f"{vllm.url}/v1", {"num_max_requests_at_once": 1, "num_requests_for_eval": 2}
        settings = {"base_url": url, "model_name": MODEL, "tokenizer_name": str(tokenizer_dir)}
        client: Any = VllmEngine(fake_config(**settings, **limits)[0])
        request = {"n": 2, "max_tokens": 7, "temperature": 1.0, "top_p": 1.0, "prompt": "…"}

        async def ask(*ids: int, **more: Any) -> Any:
            return await client.tokens_and_logprobs_completion(input_ids=[*ids], **request, **more)

        splits = ["eval", "train"] * 3
        requests = [asyncio.create_task(ask(5, 9, 31, split=split)) for split in splits]
        await until(lambda: len(vllm.asked) == 3)
        await asyncio.sleep(0.05)
        assert len(vllm.asked) == 3
        vllm.release.set()
        await asyncio.gather(*requests)
        client.tokenizer = SimpleNamespace(bos_token_id=5)  # a template may add it a second time
        prompt, *_ = await ask(5, 5, 9, 9)
        assert prompt == vllm.asked[-1]["prompt"] == [5, 9, 9]
    assert (len(client.request_timings), len(client.eval_request_timings)) == (4, 3)
