"""Requests and answers of /generate."""

from typing import Any

import pytest

from demo.http_server import BadRequest
from demo.wire_format import (
    Completion,
    completion_count,
    generate_answer,
    max_tokens,
    prompt_token_ids,
)


def test_an_answer_has_a_map_for_each_token() -> None:
    """Each token is a map from its id to its log probability."""
    completions = [Completion([7, 9], [-0.5, -0.25], "stop"), Completion([4], [-1.0], "length")]
    assert generate_answer(completions) == {
        "logprobs": [[[{"7": -0.5}], [{"9": -0.25}]], [[{"4": -1.0}]]],
        "finish_reasons": ["stop", "length"],
    }


def test_a_request_is_read() -> None:
    """Prompt, number of completions and token limit are read; the last two have defaults."""
    body = {"prompt": {"prompt_token_ids": [0, 9]}, "n": 3, "max_tokens": 8}
    assert prompt_token_ids(body, vocabulary=10) == [0, 9]
    assert (completion_count(body), max_tokens(body, largest=8)) == (3, 8)
    assert (completion_count({}), max_tokens({}, largest=99)) == (1, 16)
    assert max_tokens({"max_completion_tokens": 5}, 99, "max_completion_tokens") == 5


@pytest.mark.parametrize("ids", [None, [], "text", [10], [-1], [True], [1.0]])
def test_bad_token_ids_are_refused(ids: Any) -> None:
    """Token ids are a list of integers below the size of the vocabulary, and not empty."""
    with pytest.raises(BadRequest, match="token id"):
        prompt_token_ids({"prompt": {"prompt_token_ids": ids}}, vocabulary=10)


@pytest.mark.parametrize("value", [0, -1, 1025, 1.5, "3", True])
def test_bad_numbers_are_refused(value: Any) -> None:
    """Counts are integers between 1 and a limit."""
    with pytest.raises(BadRequest, match="n must be an integer from 1 to 1024"):
        completion_count({"n": value})
    with pytest.raises(BadRequest, match="max_tokens must be an integer from 1 to 1024"):
        max_tokens({"max_tokens": value}, largest=1024)
