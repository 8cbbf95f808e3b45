"""rgenv/inference/engine.py, chat.py: what clients make of any lie of an inference server."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer

from rgenv.atropos.engines import SGLangEngine, VllmEngine
from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.chat import ChatServers
from rgenv.inference.dialects import Ask
from rgenv.inference.generation import Generation, clients_of
from tests.support.chat_server import ChatServer, says
from tests.support.engines import MODEL, PATHS, Engine
from tests.support.fakes import fake_config
from tests.support.lies import ABOUT_HTTP, OF_ENGINES, SLOW, VALUES, Changing, Lie, Wrong, teller

IDS = [5, 9, 31]
VOCABULARY = 50
OF_CHAT = [
    (),
    ("choices",),
    ("choices", 0),
    *[("choices", 0, name) for name in ("message", "finish_reason")],
    *[("choices", 0, "message", name) for name in ("content", "reasoning_content")],
    ("usage",),
    ("usage", "completion_tokens"),
]


def lies(path: str, places: Any) -> list[Lie]:
    """Return every lie about an answer; those that take time are tested on their own."""
    about_http = [(name, tell) for name, tell in ABOUT_HTTP.items() if name not in SLOW]
    wrong = [Wrong(place, kind) for place in places for kind in VALUES]
    everything = [*about_http, *((str(one), one) for one in wrong)]
    return [Lie(path, name, tell, 0, 10**9) for name, tell in everything]


def check_sentence(error: BaseException, lie: Lie) -> None:
    said = str(error)
    assert said.isprintable() and len(said) < 700, f"{lie}: {said!r}"
    assert "http://127.0.0.1" in said, f"{lie}: {said!r}"


@pytest.mark.parametrize("kind", OF_ENGINES)
async def test_any_lie_is_a_sentence_or_a_usable_completion(
    kind: str, tokenizer_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other exception, nothing that a trainer can't use, and at once."""
    monkeypatch.setattr("rgenv.runtime.backoff.REFUSALS", 1)
    changing = Changing()
    client_class = SGLangEngine if kind == "sglang" else VllmEngine
    async with Engine(kind, middlewares=(changing.middleware,)) as engine:
        [config] = fake_config(
            server_type="sglang" if kind == "sglang" else "vllm",
            base_url=f"{engine.url}/v1",
            model_name=MODEL,
            tokenizer_name=str(tokenizer_dir),
            timeout=20,
        )
        manager: Any = type("Manager", (), {"servers": [client_class(config)]})()
        generation = Generation(clients_of(manager), vocabulary=lambda: VOCABULARY)
        asked = Ask(IDS, n=2, max_tokens=7)
        assert len(await generation.complete(asked, "…")) == 2
        [path] = PATHS[kind] if kind != "sglang" else ["/generate"]
        for lie in lies(path, OF_ENGINES[kind]):
            changing.lie, began = lie, time.monotonic()
            try:
                found = await generation.complete(asked, "…")
            except RequestFailed as error:
                check_sentence(error, lie)
                if lie.name == "a redirect":
                    assert isinstance(error, RequestRefused) and "redirects to" in str(error)
            else:
                for one in found:
                    assert one.prompt is None and 0 < len(one.tokens) == len(one.logprobs), lie
                    assert all(type(t) is int and 0 <= t < VOCABULARY for t in one.tokens), lie
                    assert all(-1000 <= number <= 0 for number in one.logprobs), lie
            assert time.monotonic() - began < 60, lie


async def test_any_lie_of_a_chat_server_is_a_sentence_or_a_text() -> None:
    """The text, the number of its tokens and the reason of its end have their types."""
    changing = Changing()
    async with ChatServer(says("4"), middlewares=(changing.middleware,)) as server:
        [config] = fake_config(server_type="openai", base_url=server.url, timeout=20)
        chat = ChatServers([OpenAIServer(config)], {"max_tokens": 5})
        for lie in lies("/v1/chat/completions", OF_CHAT):
            changing.lie = lie
            try:
                reply = await chat.complete([{"role": "user", "content": "2 + 2?"}])
            except RequestFailed as error:
                check_sentence(error, lie)
            else:
                assert type(reply.text) is str and type(reply.reasoning) is str, lie
                assert reply.text.encode() is not None and reply.finish_reason.isidentifier(), lie
                assert reply.tokens is None or 0 <= reply.tokens < 2**31, lie


@pytest.mark.parametrize("name", SLOW)
async def test_a_slow_answer_ends_with_the_time_for_a_request(
    name: str, tokenizer_dir: Path
) -> None:
    """--openai.timeout is a limit on the whole, not on the time between two bytes."""
    lie = Lie("/v1/completions", name, ABOUT_HTTP[name], 0, 10**9)
    async with Engine("vllm", middlewares=(teller(lie),)) as engine:
        [config] = fake_config(
            base_url=engine.url, model_name=MODEL, tokenizer_name=str(tokenizer_dir), timeout=1
        )
        async with asyncio.timeout(60):
            with pytest.raises(RequestFailed, match="did not answer within 1 s"):
                await VllmEngine(config).tokens_and_logprobs_completion(
                    prompt="…", input_ids=IDS, n=1, max_tokens=5
                )
