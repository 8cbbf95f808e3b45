"""rgenv/inference/dialects.py: reading the answers of engines.

tests/atropos/test_engines.py sends requests to stand-ins that refuse unknown fields.
"""

from typing import Any

import pytest

from rgenv.inference.dialects import ATROPOS, COMPLETIONS, SCALE_OUT, SGLANG, Dialect, NoTokens

WRITTEN = [([343, 2], [-7.5, -0.25], "stop", None)]
OF_VLLM_0_32 = {
    "index": 0,
    "text": "um",
    "logprobs": {
        "text_offset": [0, 12],
        "token_logprobs": [-7.5, -0.25],
        "tokens": ["token_id:343", "token_id:2"],
        "top_logprobs": [{"token_id:343": -7.5}, {"token_id:2": -0.25}],
    },
    "finish_reason": "stop",
    "stop_reason": None,
    "token_ids": [343, 2],
    "prompt_token_ids": [31, 7],
}
"""A choice as vLLM 0.32 sent it."""


def of_sglang(reason: Any) -> dict[str, Any]:
    triples = [[-7.5, 343, None], [-0.25, 2, None]]
    return {"text": "", "meta_info": {"output_token_logprobs": triples, "finish_reason": reason}}


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        (COMPLETIONS, {"choices": [OF_VLLM_0_32]}),
        (COMPLETIONS, {"choices": [{**OF_VLLM_0_32, "token_ids": None}]}),
        (
            SCALE_OUT,
            {
                "choices": [
                    {
                        "token_ids": [343, 2],
                        "finish_reason": "stop",
                        "logprobs": {
                            "content": [
                                {"token_id": 343, "logprob": -7.5},
                                {"token_id": 2, "logprob": -0.25},
                            ]
                        },
                    }
                ]
            },
        ),
        (
            ATROPOS,
            {"logprobs": [[[{"343": -7.5}], [{"2": -0.25}]]], "finish_reasons": ["stop"]},
        ),
        (SGLANG, of_sglang({"type": "stop", "matched": 2})),
        (SGLANG, [of_sglang("stop")]),
    ],
)
def test_an_answer_has_tokens_and_log_probabilities(dialect: Dialect, answer: Any) -> None:
    """The token that ended the completion is one of them."""
    assert dialect.read(answer) == WRITTEN


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        (COMPLETIONS, {"choices": []}),
        (COMPLETIONS, {"choices": [{**OF_VLLM_0_32, "logprobs": None}]}),
        (
            COMPLETIONS,
            {
                "choices": [
                    {"token_ids": None, "logprobs": {"tokens": ["um"], "token_logprobs": [0]}}
                ]
            },
        ),
        (SCALE_OUT, {"choices": [{"token_ids": None, "logprobs": None}]}),
        (ATROPOS, {"text": ["um"]}),
        (ATROPOS, {"logprobs": [[[]]], "finish_reasons": ["stop"]}),
        (ATROPOS, {"logprobs": [[]], "finish_reasons": []}),
        (SGLANG, {"text": "um"}),
        (SGLANG, []),
        (SGLANG, "um"),
    ],
)
def test_an_answer_without_tokens_is_told_apart(dialect: Dialect, answer: Any) -> None:
    """Whatever is missing, it is one kind of error."""
    with pytest.raises(NoTokens):
        dialect.read(answer)
