"""rgenv/inference/dialects.py: what no trainer can use, and long answers beside an event loop.

test_engine.py reads all dialects.
"""

import asyncio
import json
import math
import time
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


STALL = 0.02
"""Seconds of processor time; 4 ms on a quiet machine."""


def answer(count: int, tokens: int) -> bytes:
    """Write an answer in the longest format."""
    names = [f"token_id:{100_000 + number % 999}" for number in range(tokens)]
    logprobs = {
        "tokens": names,
        "token_logprobs": [-0.123456789012345] * tokens,
        "top_logprobs": [{name: -0.123456789012345} for name in names],
        "text_offset": list(range(tokens)),
    }
    ids = [int(name.rpartition(":")[2]) for name in names]
    choice = {"token_ids": ids, "logprobs": logprobs, "finish_reason": "stop", "text": "word " * 9}
    return json.dumps({"choices": [choice] * count}).encode()


async def test_the_event_loop_goes_on_while_long_answers_are_read() -> None:
    """Three answers of 32,768 tokens come at the same time."""
    body = answer(4, 8192)

    async def longest_stall() -> float:
        reading = asyncio.gather(*(COMPLETIONS.read(body) for _ in range(3)))
        longest, last = 0.0, time.thread_time()  # other programs hardly change it
        while not reading.done():
            await asyncio.sleep(0)
            longest, last = max(longest, time.thread_time() - last), time.thread_time()
        assert [len(one.tokens) for one in (await reading)[0]] == [8192] * 4
        return longest

    assert min([await longest_stall() for _ in range(5)]) < STALL
