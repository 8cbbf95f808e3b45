"""Requests and answers of /generate, as Atropos exchanges them with a vLLM server.

request: {"prompt": {"prompt_token_ids": [31, 7]}, "n": 1, "max_tokens": 2}
answer:  {"logprobs": [[[{"14": -0.21}], [{"9": -0.03}]]], "finish_reasons": ["length"]}
"""

from collections.abc import Sequence
from typing import Any, NamedTuple


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
