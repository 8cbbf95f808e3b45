"""rgenv/runtime/turns.py and dialects.py: long answers are read beside an event loop."""

import asyncio
import json
import time

from rgenv.inference.dialects import COMPLETIONS

STALL = 0.02
"""Seconds of processor time; 4 ms on a quiet machine."""


def answer(count: int, tokens: int) -> bytes:
    ids = [100_000 + number % 999 for number in range(tokens)]
    names, values = [f"token_id:{token}" for token in ids], [-0.123456789012345] * tokens
    logprobs = {"tokens": names, "token_logprobs": values, "text_offset": ids}
    logprobs["top_logprobs"] = [{name: values[0]} for name in names]
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
