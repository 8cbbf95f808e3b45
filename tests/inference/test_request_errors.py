"""rgenv/inference/request_errors.py: what an error of an inference server means."""

import json

import pytest
from atroposlib.envs.base import APIServerConfig

from rgenv.errors import RequestRefused
from rgenv.inference.http import Response
from rgenv.inference.request_errors import of_response, of_status, reason_in

URL = "http://host:9/v1"
CONFIG = APIServerConfig(base_url=URL, model_name="m", api_key="sk-4f1c22", timeout=7)


@pytest.mark.parametrize(
    ("server_type", "status", "final", "remedy"),
    [
        ("openai", 400, False, "--env.eval_request"),
        ("openai", 401, True, "OPENAI_API_KEY"),
        ("openai", 402, True, "credit"),
        ("openai", 403, False, "another key"),
        ("openai", 404, True, "--openai.base_url"),
        ("openai", 405, False, "--openai.base_url"),
        ("openai", 413, False, "prompt"),
        ("openai", 422, False, "--env.eval_request"),
        ("vllm", 400, False, "--max-model-len"),
        ("vllm", 401, True, "--openai.api_key"),
        ("vllm", 422, False, "--context-length"),
    ],
)
def test_a_refusal_has_address_status_and_remedy(
    server_type: str, status: int, final: bool, remedy: str
) -> None:
    """Only key, credit, address and model concern every other request, too."""
    found = of_status(status, "no", CONFIG.model_copy(update={"server_type": server_type}))
    assert isinstance(found, RequestRefused) and found.final == final
    assert f"http://host:9/v1 refuses requests with status {status} (no)" in str(found)
    assert remedy in str(found)
    of_chat = ("eval_request", "OPENAI_API_KEY")  # without effect on engines
    assert server_type == "openai" or not any(words in str(found) for words in of_chat)


def test_the_reason_is_what_the_server_says() -> None:
    """In one line; for parameters that reasoning models refuse, with the option that helps."""
    said = "Unsupported parameter:\n 'max_tokens'. Use 'max_completion_tokens'."
    text = str(of_response(Response(400, json.dumps({"message": said}).encode()), CONFIG))
    assert "(Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.)" in text
    assert "--env.eval_request max_completion_tokens=" in text and "temperature=null" in text
    assert len(str(of_response(Response(400, b"<html>" * 500), CONFIG))) < 600


def test_an_empty_account_is_no_rate_limit() -> None:
    """OpenAI answers both with status 429."""
    page = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    found = of_response(Response(429, json.dumps(page).encode()), CONFIG)
    assert isinstance(found, RequestRefused) and found.final and "credit" in str(found)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ('{"error": {"message": "too long", "code": 400}}', "too long"),
        ('{"error": "said so"}', "said so"),
        ('{"object": "error", "message": "old vLLM"}', "old vLLM"),
        ('{"detail": "Not Found"}', "Not Found"),
        ("Bad Gateway", "Bad Gateway"),
        ("[1]", "[1]"),
        ("{}", "{}"),
    ],
)
def test_error_pages_of_all_engines_are_read(page: str, reason: str) -> None:
    assert reason_in(page) == reason
