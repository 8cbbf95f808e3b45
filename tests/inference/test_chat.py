"""rgenv/inference/chat.py: requests to a real server with OpenAI's chat API."""

from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer

from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference.chat import complete
from rgenv.types import Reply
from tests.support.chat_server import ChatServer, completion
from tests.support.engines import error
from tests.support.fakes import fake_config

MESSAGES = [{"role": "user", "content": "2 + 2?"}]


async def ask(url: str) -> Reply:
    [config] = fake_config(server_type="openai", base_url=url)
    return await complete(OpenAIServer(config), MESSAGES, {"max_tokens": 5})


PARTS = [{"type": "text", "text": "<answer>"}, {"text": "4</answer>"}, {"type": "thinking"}]


@pytest.mark.parametrize(
    ("message", "reason", "text", "ending", "instead"),
    [
        ({"content": PARTS}, "stop", "<answer>4</answer>", "stop", None),
        ({"refusal": "I can't."}, "stop", "I can't.", "stop", "refused"),
        ({"tool_calls": [{"id": "a"}]}, "stop", '[{"id": "a"}]', "stop", "tool_call"),
        ({"reasoning": "5?"}, "stop", "", "stop", "empty"),
        ({}, "MAX_TOKENS", "", "length", None),
        ({}, "SAFETY", "", "content_filter", "refused"),
        ({}, None, "", "stop", "empty"),
    ],
)
async def test_parts_refusals_and_calls_are_told_apart(
    message: dict[str, Any], reason: Any, text: str, ending: str, instead: str | None
) -> None:
    answer = completion(None, reason=reason, **message)
    async with ChatServer(lambda body: (200, answer)) as server:
        reply = await ask(server.url)
    assert (reply.text, reply.finish_reason, reply.instead) == (text, ending, instead)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"finish_reason": "ERROR"}, "finish_reason ERROR"),
        ({"error": {"code": 502, "message": "away"}}, r"with status 200 \(error 502: away\)"),
        ({"error": "overloaded"}, r"with status 200 \(error: overloaded\)"),
        ({"message": None}, r'without a completion \(\{"id"'),
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
            await ask(server.url)
    assert not isinstance(failure.value, RequestRefused)


@pytest.mark.parametrize(("code", "kind"), [(429, RateLimited), (402, RequestRefused)])
async def test_a_failure_with_status_200_has_the_meaning_of_its_code(code: int, kind: Any) -> None:
    """A limit on the rate is waited for; an account without credit ends the run."""
    async with ChatServer(lambda body: (200, error(code, "why")[1])) as server:
        with pytest.raises(kind, match="why") as failure:
            await ask(server.url)
    assert getattr(failure.value, "final", False) == (code == 402)
