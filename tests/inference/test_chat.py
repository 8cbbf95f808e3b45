"""rgenv/inference/chat.py: requests to a real server with OpenAI's chat API."""

from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import ReasoningConfig

from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference.chat import ChatServers
from tests.support.chat_server import ChatServer, completion, says
from tests.support.engines import error
from tests.support.fakes import fake_config

MESSAGES = [{"role": "user", "content": "2 + 2?"}]


def client(url: str, reasoning: ReasoningConfig | None = None, **settings: Any) -> OpenAIServer:
    [config] = fake_config(server_type="openai", base_url=url, api_key="sk-secret-1", **settings)
    found = OpenAIServer(config, reasoning_config=reasoning)
    found.openai = found.openai.with_options(max_retries=0)  # its pauses take seconds
    return found


def chat(url: str, **settings: Any) -> ChatServers:
    return ChatServers([client(url, **settings)], {"max_tokens": 5})


@pytest.mark.parametrize(
    ("message", "text", "instead"),
    [
        ({"content": [{"type": "text", "text": "<answer>"}, {"text": "4</answer>"}]}, None, None),
        ({"refusal": "I can't."}, "I can't.", "refused"),
        ({"tool_calls": [{"id": "a"}]}, '[{"id": "a"}]', "tool_call"),
        ({"reasoning": "5?"}, "", "empty"),
    ],
)
async def test_parts_refusals_and_calls_are_told_apart(
    message: dict[str, Any], text: str | None, instead: str | None
) -> None:
    """Parts of a content are joined; what stands in place of a completion keeps its text."""
    answer = completion(None)
    answer["choices"][0]["message"] |= message
    async with ChatServer(lambda body: (200, answer)) as server:
        reply = await chat(server.url).complete(MESSAGES)
    assert (reply.text, reply.instead) == ("<answer>4</answer>" if text is None else text, instead)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"finish_reason": "ERROR"}, "finish_reason ERROR"),
        ({"error": {"code": 502, "message": "away"}}, r"with status 200 \(error 502: away\)"),
        ({"error": "overloaded"}, r"with status 200 \(error: overloaded\)"),
    ],
)
async def test_a_failure_with_status_200_is_a_failed_request(
    choice: dict[str, Any], sentence: str
) -> None:
    """Not a right or wrong answer of the model: the text may be a part of it."""
    answer = completion("<answer>4</answer>")
    answer["choices"][0] |= choice
    async with ChatServer(lambda body: (200, answer)) as server:
        with pytest.raises(RequestFailed, match=f"{server.url}.*{sentence}") as failure:
            await chat(server.url).complete(MESSAGES)
    assert not isinstance(failure.value, RequestRefused)


async def test_a_failure_with_status_200_has_the_meaning_of_its_code() -> None:
    """A limit on the rate is waited for; an account without credit ends the run."""
    async with ChatServer(lambda body: (200, error(429, "slow down")[1])) as server:
        with pytest.raises(RateLimited, match="slow down"):
            await chat(server.url).complete(MESSAGES)
        server.script = lambda body: (200, error(402, "no credit")[1])
        with pytest.raises(RequestRefused, match="top it up") as refusal:
            await chat(server.url).complete(MESSAGES)
        assert refusal.value.final


@pytest.mark.parametrize(
    ("reason", "name", "instead"),
    [
        ("MAX_TOKENS", "length", None),
        ("SAFETY", "content_filter", "refused"),
        ("end_turn", "end_turn", "empty"),
        (None, "stop", "empty"),
    ],
)
async def test_other_names_of_cut_and_refused_are_understood(
    reason: Any, name: str, instead: str | None
) -> None:
    """Some gateways name none for a completion that was finished."""
    async with ChatServer(lambda body: (200, completion(None, reason=reason))) as server:
        reply = await chat(server.url).complete(MESSAGES)
    assert (reply.finish_reason, reply.instead) == (name, instead)


async def test_servers_take_turns() -> None:
    """One that failed has its turn again."""
    async with ChatServer(says("a")) as one, ChatServer(lambda body: error(500, "x")) as two:
        servers = ChatServers([client(two.url), client(one.url)], {"max_tokens": 5})
        with pytest.raises(RequestFailed):
            await servers.complete(MESSAGES)
        two.script = says("b")
        assert [(await servers.complete(MESSAGES)).text for _ in range(3)] == ["a", "b", "a"]
