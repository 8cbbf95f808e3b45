"""rgenv/inference/dialects.py: what no trainer can use; test_engine.py reads all dialects."""

import math
from typing import Any

import pytest

from rgenv.inference.dialects import COMPLETIONS, LOWEST, ROUNDING, Completion, NoTokens, flaw

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


@pytest.mark.parametrize("choices", ["", '{"token_ids": [5], "logprobs": null}'])
async def test_an_answer_without_tokens_is_none(choices: str) -> None:
    with pytest.raises(NoTokens, match=r"no completion|Expected `object`"):
        await COMPLETIONS.read(f'{{"choices": [{choices}]}}'.encode())
