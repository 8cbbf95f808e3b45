"""rgenv/inference/requests.py: what an error of an inference server means."""

from typing import Any

import pytest
from atroposlib.envs.base import APIServerConfig

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.requests import failure, post, reason_in
from tests.support.chat_server import ChatServer

URL = "http://host:9/v1"
CONFIG = APIServerConfig(
    base_url=URL, model_name="m", server_type="openai", api_key="sk-4f1c22", timeout=7
)


@pytest.mark.parametrize(
    ("server_type", "status", "final", "remedy"),
    [
        ("openai", 400, False, "--env.eval_request"),
        ("openai", 401, True, "OPENAI_API_KEY"),
        ("openai", 402, True, "credit"),
        ("openai", 403, False, "another key"),
        ("openai", 404, True, "--openai.base_url"),
        ("openai", 413, False, "prompt"),
        ("vllm", 400, False, "--max-model-len"),
        ("vllm", 401, True, "--openai.api_key"),
        ("vllm", 422, False, "--context-length"),
    ],
)
def test_a_refusal_has_address_status_and_remedy(
    server_type: str, status: int, final: bool, remedy: str
) -> None:
    """Only key, credit, address and model concern every other request, too."""
    found = failure(status, "no", CONFIG.model_copy(update={"server_type": server_type}))
    assert isinstance(found, RequestRefused) and found.final == final
    assert f"http://host:9/v1 refuses requests with status {status} (no)" in str(found)
    assert remedy in str(found)


async def said(status: int, body: dict[str, Any]) -> RequestFailed:
    """Return the error of a chat server that answers so."""
    async with ChatServer(lambda asked: (status, body)) as server:
        config = CONFIG.model_copy(update={"base_url": server.url})
        with pytest.raises(RequestFailed) as failed:
            await post(f"{server.url}/chat/completions", {"messages": []}, config)
    return failed.value


async def test_the_reason_is_what_the_server_says() -> None:
    """In one line; for parameters that reasoning models refuse, with the option that helps."""
    message = "Unsupported parameter:\n 'max_tokens'. Use 'max_completion_tokens'."
    text = str(await said(400, {"message": message}))
    assert "(Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.)" in text
    assert "--env.eval_request max_completion_tokens=" in text and "temperature=null" in text
    assert len(str(await said(400, {"message": "<html>" * 500}))) < 600


async def test_an_empty_account_is_no_rate_limit() -> None:
    """OpenAI answers both with status 429."""
    error = {"message": "You exceeded your quota", "code": "insufficient_quota"}
    found = await said(429, {"error": error})
    assert isinstance(found, RequestRefused) and found.final and "credit" in str(found)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ('{"error": {"message": "too long", "code": 400}}', "too long"),
        ('{"error": "said so"}', "said so"),
        ('{"object": "error", "message": "old vLLM"}', "old vLLM"),
        ('{"detail": "Not Found"}', "Not Found"),
        ("Bad Gateway", "Bad Gateway"),
    ],
)
def test_error_pages_of_all_engines_are_read(page: str, reason: str) -> None:
    assert reason_in(page) == reason
