"""rgenv/inference/request_errors.py: what an error of an inference server means."""

import json

import pytest
from atroposlib.envs.base import APIServerConfig

from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference.http import Response
from rgenv.inference.request_errors import address, of_response, of_status, reason_in

URL = "http://me:secret@host:9/v1"
CONFIG = APIServerConfig(base_url=URL, model_name="m", api_key="sk-4f1c22", timeout=7)


@pytest.mark.parametrize(
    ("status", "final", "remedy"),
    [
        (400, False, "--env.eval_request"),
        (401, True, "OPENAI_API_KEY"),
        (402, True, "credit"),
        (403, False, "another key"),
        (404, True, "--openai.base_url"),
        (405, False, "--openai.base_url"),
        (413, False, "prompt"),
        (422, False, "--env.eval_request"),
    ],
)
def test_a_refusal_has_address_status_and_remedy(status: int, final: bool, remedy: str) -> None:
    """Only key, credit, address and model concern every other request, too."""
    found = of_status(status, "no", CONFIG)
    assert isinstance(found, RequestRefused) and found.final == final
    assert f"http://host:9/v1 refuses requests with status {status} (no)" in str(found)
    assert remedy in str(found) and "secret" not in str(found)


@pytest.mark.parametrize(
    ("status", "kind"), [(408, RequestFailed), (429, RateLimited), (500, RequestFailed)]
)
def test_other_errors_may_pass(status: int, kind: type[Exception]) -> None:
    """A later request may work."""
    assert type(of_status(status, "no", CONFIG)) is kind


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
    ("url", "shown"),
    [
        ("https://user:pw@h:8/v1?token=t", "https://h:8/v1"),
        (None, "https://api.openai.com/v1"),
        ("nonsense", "The inference server"),
    ],
)
def test_addresses_are_shown_without_credentials(url: str | None, shown: str) -> None:
    """Names, passwords and parameters are left out."""
    assert address(url) == shown


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(400, "--max-model-len"), (401, "--openai.api_key"), (422, "--context-length")],
)
def test_engines_have_remedies_of_their_own(status: int, remedy: str) -> None:
    """The options for chat endpoints have no effect on them."""
    engine = CONFIG.model_copy(update={"server_type": "vllm"})
    text = str(of_status(status, "no", engine))
    assert remedy in text and "eval_request" not in text and "OPENAI_API_KEY" not in text


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
    """Each engine has its own format."""
    assert reason_in(page) == reason
