"""rgenv/inference/engine.py: asking an engine, against strict stand-ins for their formats.

Then what no trainer can use, and long answers beside an event loop.
"""

import asyncio
import json
import math
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos.servers import SGLangEngine, VllmEngine
from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference.engine import COMPLETIONS, LOWEST, ROUNDING, Completion, flaw
from rgenv.inference.engine import Engine as Client
from rgenv.runtime.parts import in_turn
from tests.support.engines import MODEL, Engine
from tests.support.failures import failing
from tests.support.fakes import fake_config

IDS = [5, 9, 31]
BACK = [31, 9, 5]
ONE = Completion(BACK, [-0.5] * 3, "stop", IDS)

NewClient = Callable[..., Client]


@pytest.fixture
def new_client(tokenizer_dir: Path) -> NewClient:
    def new(url: str, server_type: str = "vllm", **changes: Any) -> Client:
        settings = {"base_url": f"{url}/v1", "model_name": MODEL, "server_type": server_type}
        [config] = fake_config(**settings | {"tokenizer_name": str(tokenizer_dir), **changes})
        return SGLangEngine(config) if server_type == "sglang" else VllmEngine(config)

    return new


@pytest_asyncio.fixture(loop_scope="session")
async def vllm() -> AsyncIterator[Engine]:
    async with Engine("vllm") as engine:
        yield engine


async def ask(client: Client, **changes: Any) -> list[Completion]:
    async with asyncio.timeout(60):
        request = {"input_ids": IDS, "n": 2, "max_tokens": 7, **changes}
        read, *parts = await client.tokens_and_logprobs_completion(**request)
    return [Completion(*one, read) for one in zip(*parts, strict=True)]


@pytest.mark.parametrize(
    ("kind", "server_type", "path"),
    [
        ("vllm", "vllm", "/v1/completions"),
        ("tokens only", "vllm", "/inference/v1/generate"),
        ("atropos", "vllm", "/generate"),
        ("verl's proxy", "vllm", "/v1/completions"),
        ("sglang", "sglang", "/generate"),
        ("sglang", "vllm", "/generate"),
        ("vllm", "sglang", "/v1/completions"),
    ],
)
async def test_each_engine_gives_token_ids_and_log_probabilities(
    new_client: NewClient, kind: str, server_type: str, path: str
) -> None:
    """The dialect is found by a short trial; the engine refuses unknown fields.

    The whole distribution is sampled: without words on top_k, engines take that of the model.
    """
    async with Engine(kind) as engine:
        client = new_client(engine.url, server_type)
        assert await ask(client) == [ONE, ONE]
        tried = len(engine.paths)
        assert await ask(client, n=1, temperature=0.7, top_p=0.9, stop=["\n"]) == [ONE]
    assert engine.paths[tried:] == [path] and engine.paths[tried - 1] == path
    trial, first, last = (one.get("sampling_params", one) for one in engine.asked[-3:])
    assert [one.get("max_tokens", one.get("max_new_tokens")) for one in (trial, first)] == [2, 7]
    assert (trial["n"], first["n"]) == (1, 2)
    assert (last["temperature"], last["top_p"], last["stop"]) == (0.7, 0.9, ["\n"])
    assert (last["top_k"], last["min_p"], last["repetition_penalty"]) == (-1, 0.0, 1.0)
    assert client.context_length == 4096


@pytest.mark.parametrize(
    ("engine", "server_type", "sentence"),
    [
        (Engine("vllm", returns_ids=False), "vllm", "returns them since 0.10.2"),
        (Engine("vllm", logprob=None), "vllm", "no token ids with log probabilities"),
        (Engine("vllm", logprob=math.nan), "vllm", r"can use \(a log probability that is NaN\)"),
        (Engine("nothing", lists=""), "vllm", "neither /v1/completions nor .*base_url"),
        (Engine("another API"), "vllm", "/v1/completions answers without .*hello.*base_url"),
        (Engine("vllm", status=401), "vllm", "status 401 .*said so.*--openai.api_key"),
        (Engine("vllm", status=400), "vllm", "status 400 .*said so.*--max-model-len"),
        (Engine("sglang", logprob=None), "sglang", "/generate returns no token.*return_logprob"),
        (Engine("vllm", lists="other"), "vllm", f"no model {MODEL}: set .*model_name to other"),
    ],
)
async def test_a_server_without_token_ids_is_told_apart(
    new_client: NewClient, engine: Engine, server_type: str, sentence: str
) -> None:
    async with engine:
        with pytest.raises(RequestRefused, match=sentence) as refusal:
            await ask(new_client(engine.url, server_type))
        assert engine.url in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("status", "kind"), [(429, RateLimited), (500, RequestFailed), (503, RequestFailed)]
)
async def test_a_server_that_fails_for_the_moment_is_not_judged(
    new_client: NewClient, vllm: Engine, status: int, kind: type[Exception]
) -> None:
    client = new_client(vllm.url)
    vllm.status = status
    with pytest.raises(kind, match=f"{vllm.url}.*said so") as failure:
        await ask(client)
    assert not isinstance(failure.value, RequestRefused)
    vllm.status, vllm.reasons = 200, ["abort"] * 2
    with pytest.raises(RequestFailed, match="broke the first completion off") as failure:
        await ask(client)
    assert not isinstance(failure.value, RequestRefused)
    assert await ask(client) == [ONE, ONE]


async def test_a_bad_first_answer_is_no_verdict(new_client: NewClient) -> None:
    bad = failing("/v1/completions", "other fields", times=1)
    async with Engine("vllm", middlewares=[bad]) as engine:
        assert await ask(new_client(engine.url)) == [ONE, ONE]


VOCABULARY = 10


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        # rounding may lift a log probability above 0, and a temperature lower it a lot
        ({"tokens": (0, VOCABULARY - 1), "logprobs": (-300.0, ROUNDING / 2)}, ""),
        ({"tokens": ()}, "no token"),
        ({"tokens": (5,)}, "1 tokens with 2 log probabilities"),
        ({"tokens": (1,) * 5, "logprobs": (-1.0,) * 5}, "5 tokens where at most 4"),
        ({"tokens": (5, VOCABULARY)}, "outside the vocabulary"),
        ({"logprobs": (-1.0, math.nan)}, "NaN"),
        ({"logprobs": (2 * ROUNDING, -1.0)}, "above 0"),
        ({"logprobs": (2 * LOWEST, -1.0)}, "below -1000"),
    ],
)
def test_what_no_trainer_can_use_is_told_apart(changed: dict[str, Any], why: str) -> None:
    values = {"tokens": (5, 2), "logprobs": (-0.5, 0.0), **changed}
    found = flaw(Completion(**values, finish_reason="stop"), vocabulary=VOCABULARY, most=4)
    assert why in found and bool(found) == bool(why)


STALL = 0.02
"""Seconds of processor time; 4 ms on a quiet machine."""


def answer(count: int, tokens: int) -> bytes:
    """Write an answer in the longest format."""
    names = [f"token_id:{100_000 + number % 999}" for number in range(tokens)]
    logprobs = {
        "tokens": names,
        "token_logprobs": [-0.123456789012345] * tokens,
        "top_logprobs": [{name: -0.123456789012345} for name in names],
        "text_offset": list(range(tokens)),
    }
    ids = [int(name.rpartition(":")[2]) for name in names]
    choice = {"token_ids": ids, "logprobs": logprobs, "finish_reason": "stop", "text": "word " * 9}
    return json.dumps({"choices": [choice] * count}).encode()


async def test_the_event_loop_goes_on_while_long_answers_are_read() -> None:
    """Three answers of 32,768 tokens come at the same time."""
    body = answer(4, 8192)

    async def longest_stall() -> float:
        reading = asyncio.gather(*(in_turn(COMPLETIONS.read, body) for _ in range(3)))
        longest, last = 0.0, time.thread_time()  # other programs hardly change it
        while not reading.done():
            await asyncio.sleep(0)
            longest, last = max(longest, time.thread_time() - last), time.thread_time()
        assert [len(one.tokens) for one in (await reading)[0]] == [8192] * 4
        return longest

    assert min([await longest_stall() for _ in range(5)]) < STALL
