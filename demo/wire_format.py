"""Requests and answers of /generate, as Atropos exchanges them with a vLLM server.

    request: {"prompt": {"prompt_token_ids": [31, 7]}, "n": 1, "max_tokens": 2}
    answer:  {"logprobs": [[[{"14": -0.21}], [{"9": -0.03}]]], "finish_reasons": ["length"]}

The functions that read a request raise `BadRequest` with the reason.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .http_server import BadRequest

MAX_COMPLETIONS = 1024
DEFAULT_MAX_TOKENS = 16


class Completion(NamedTuple):
    """A generated completion.

    Attributes:
        token_ids: ends with the end token if `finish_reason` is "stop".
        logprobs: one for each token.
        finish_reason: "stop", or "length" for one that was cut at max_tokens.
    """

    token_ids: list[int]
    logprobs: list[float]
    finish_reason: str


def generate_answer(completions: Sequence[Completion]) -> dict[str, Any]:
    """Return the answer to a request: a map from token id to log probability for each token."""
    return {
        "logprobs": [
            [
                [{str(token): logprob}]
                for token, logprob in zip(one.token_ids, one.logprobs, strict=True)
            ]
            for one in completions
        ],
        "finish_reasons": [one.finish_reason for one in completions],
    }


def prompt_token_ids(body: dict[str, Any], vocabulary: int) -> list[int]:
    """Read the prompt of a request."""
    prompt = body.get("prompt")
    ids = prompt.get("prompt_token_ids") if type(prompt) is dict else None
    if type(ids) is not list or not ids:
        raise BadRequest("prompt must hold token ids: a list that is not empty")
    if not all(type(token) is int and 0 <= token < vocabulary for token in ids):
        raise BadRequest(f"every token id must be an integer from 0 to {vocabulary - 1}")
    return ids


def completion_count(body: dict[str, Any]) -> int:
    """Read `n`, the number of completions."""
    return _positive(body, "n", 1, MAX_COMPLETIONS)


def max_tokens(body: dict[str, Any], largest: int, field: str = "max_tokens") -> int:
    """Read the length limit of a completion, at most `largest` tokens."""
    return _positive(body, field, DEFAULT_MAX_TOKENS, largest)


def _positive(body: dict[str, Any], field: str, default: int, largest: int) -> int:
    value = default if body.get(field) is None else body[field]
    if type(value) is not int or not 1 <= value <= largest:
        raise BadRequest(f"{field} must be an integer from 1 to {largest}, not {value!r:.40}")
    return value
