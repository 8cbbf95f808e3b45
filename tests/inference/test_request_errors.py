"""rgenv/inference/request_errors.py: what an error of an inference server means."""

from typing import Any

import aiohttp
import openai
import pytest
from atroposlib.envs.base import APIServerConfig

from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference.request_errors import address, explained, of_status, reason_in

URL = "http://me:secret@host:9/v1"
CONFIG = APIServerConfig(base_url=URL, model_name="m", api_key="sk-4f1c22", timeout=7)


class Response:
    """What an error of openai reads of a response."""

    headers: dict[str, str] = {}  # noqa: RUF012
    request = None

    def __init__(self, status: int) -> None:
        self.status_code = status


def of_openai(status: int, body: Any = None, text: str = "no") -> openai.APIStatusError:
    return openai.APIStatusError(text, response=Response(status), body=body)  # type: ignore[arg-type]


def of_aiohttp(status: int) -> aiohttp.ClientResponseError:
    return aiohttp.ClientResponseError(None, (), status=status, message="Nope")  # type: ignore[arg-type]


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
@pytest.mark.parametrize("make", [of_openai, of_aiohttp])
def test_a_refusal_has_address_status_and_remedy(
    make: Any, status: int, final: bool, remedy: str
) -> None:
    """Only key, credit, address and model concern every other request, too."""
    found = explained(make(status), CONFIG)
    assert isinstance(found, RequestRefused) and found.final == final
    assert f"http://host:9/v1 refuses requests with status {status} (" in str(found)
    assert remedy in str(found) and "secret" not in str(found)


@pytest.mark.parametrize(
    ("status", "kind"), [(408, RequestFailed), (429, RateLimited), (500, RequestFailed)]
)
def test_other_errors_may_pass(status: int, kind: type[Exception]) -> None:
    """A later request may work."""
    for error in (of_openai(status), of_aiohttp(status)):
        assert type(explained(error, CONFIG)) is kind


def test_the_reason_is_what_the_server_says() -> None:
    """In one line; for parameters that reasoning models refuse, with the option that helps."""
    body = {"message": "Unsupported parameter:\n 'max_tokens'. Use 'max_completion_tokens'."}
    text = str(explained(of_openai(400, body), CONFIG))
    assert "(Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.)" in text
    assert "--env.eval_request max_completion_tokens=" in text and "temperature=null" in text
    long = str(explained(of_openai(400, text="<html>" * 500), CONFIG))
    assert len(long) < 600


def test_an_empty_account_is_no_rate_limit() -> None:
    """OpenAI answers both with status 429."""
    error = of_openai(429, {"message": "You exceeded your quota", "code": "insufficient_quota"})
    found = explained(error, CONFIG)
    assert isinstance(found, RequestRefused) and found.final and "credit" in str(found)


def test_time_out_and_connection_have_the_address() -> None:
    """A connection that can't be made is told from an answer that is late."""
    late = openai.APITimeoutError(request=None)  # type: ignore[arg-type]
    assert str(explained(late, CONFIG)) == "http://host:9/v1 did not answer within 7 s"
    assert "did not answer within 7 s" in str(explained(TimeoutError(), CONFIG))
    away = openai.APIConnectionError(request=None)  # type: ignore[arg-type]
    away.__cause__ = OSError("refused")
    assert str(explained(away, CONFIG)) == "http://host:9/v1 can't be reached (refused)"


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


def test_an_answer_that_breaks_off_is_one_sentence() -> None:
    """The connection of a server that is killed may end in the middle of its answer."""
    broken = aiohttp.ClientPayloadError("Response payload is not completed")
    found = explained(broken, CONFIG)
    assert type(found) is RequestFailed and "http://host:9/v1 broke off its answer" in str(found)


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
