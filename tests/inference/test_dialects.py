"""rgenv/inference/dialects.py: reading the answers of engines.

tests/inference/test_engine.py reads those of stand-ins for all engines.
"""

import json
import math
from typing import Any

import pytest

from rgenv.inference.dialects import COMPLETIONS, LOWEST, ROUNDING, Completion, flaw

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


async def test_a_recorded_answer_has_tokens_and_log_probabilities() -> None:
    """The token that ended the completion is one of them."""
    body = json.dumps({"choices": [OF_VLLM_0_32]})
    [one] = await COMPLETIONS.read(body.encode())
    assert one[:3] == ([343, 2], [-7.5, -0.25], "stop")


VOCABULARY = 10


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        # rounding may lift a log probability above 0, and a temperature lower it a lot
        ({"tokens": (0, VOCABULARY - 1), "logprobs": (-300.0, ROUNDING / 2)}, ""),
        ({"tokens": ()}, "no token"),
        ({"tokens": (5,)}, "1 tokens with 2 log probabilities"),
        ({"tokens": (1,) * 5, "logprobs": (-1.0,) * 5}, "5 tokens where at most 4"),
        ({"tokens": (5, VOCABULARY)}, "outside the vocabulary"),
        ({"logprobs": (-1.0, math.nan)}, "NaN"),
        ({"logprobs": (2 * ROUNDING, -1.0)}, "above 0"),
        ({"logprobs": (2 * LOWEST, -1.0)}, "below -1000"),
    ],
)
def test_what_no_trainer_can_use_is_told_apart(changed: dict[str, Any], why: str) -> None:
    values = {"tokens": (5, 2), "logprobs": (-0.5, 0.0), **changed}
    found = flaw(Completion(**values, finish_reason="stop"), vocabulary=VOCABULARY, most=4)
    assert why in found and bool(found) == bool(why)
