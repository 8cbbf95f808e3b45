"""rgenv/runtime/large_json.py: parsing large answers beside an event loop."""

import asyncio
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.runtime.large_json import SMALL, in_parts, in_turn, parsed
from tests.support.timing import processor_seconds

pytestmark = pytest.mark.slow

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@given(value=VALUES, indent=st.sampled_from([None, 2]))
def test_parts_make_the_same_value(value: Any, indent: int | None) -> None:
    """White space and nesting make no difference."""
    assert in_parts(f" {json.dumps(value, indent=indent)}\n".encode()) == value


@pytest.mark.parametrize(
    "text", ["", "[1,]", "[1 2]", '{"a": 1,}', '{"a" 1}', "{1: 2}", "[1", '{"a": 1', "[] []", "x"]
)
def test_what_is_no_json_is_an_error(text: str) -> None:
    """The same texts are errors to json.loads."""
    with pytest.raises(ValueError):
        json.loads(text)
    with pytest.raises(ValueError):
        in_parts(text.encode())


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices":[' + b"[]," * 4_000_000 + b"[]]}",
        b'{"choices":[' + b"[]," * 40_000 + b"[]]}",
        b"[" + b"1," * 2_000_000 + b"1]",
        b"[" + (b"[" + b"1," * 990 + b"1],") * 400 + b"[]]",
        b'[[{"a":' + b'0,"b":' * 1_500_000 + b"0}]]",
        b'[{"a":[' + b"1," * 5_000_000 + b"1]}]",
    ],
)
async def test_a_body_of_countless_values_is_refused_at_once(body: bytes) -> None:
    """Parsing it would take a minute, in which no other answer is read."""
    with processor_seconds(2), pytest.raises(ValueError, match="too many"):
        await parsed(body)


TOKENS = {"tokens": ["token_id:12345"] * 8192, "top": [{"token_id:12345": -0.5}] * 8192}


@pytest.mark.parametrize(
    "choices",
    [[TOKENS] * 16, [[0.12345] * 500_000], [[10**4000] * 2_000]],
    ids=["tokens", "floats", "integers"],
)
async def test_the_event_loop_goes_on_meanwhile(choices: list[Any]) -> None:
    """Neither an answer of 131,000 tokens nor a part with endless numbers stops it for long."""
    body = json.dumps({"choices": choices}).encode()
    assert len(body) > SMALL
    began = time.process_time()
    assert len(json.loads(body)["choices"]) == len(choices)
    whole = time.process_time() - began
    assert min([await longest_stall(body) for _ in range(5)]) < whole / 2


async def longest_stall(body: bytes) -> float:
    """Return how long the event loop stood still at most while a body was parsed.

    These are seconds of processor time, of this process and its threads: on a busy machine the loop
    waits for other programs, too.
    """
    parsing = asyncio.create_task(parsed(body))
    longest, last = 0.0, time.process_time()
    while not parsing.done():
        await asyncio.sleep(0.001)
        longest, last = max(longest, time.process_time() - last), time.process_time()
    await parsing
    return longest


async def test_large_work_is_done_in_turn() -> None:
    """One piece never runs beside another, so the event loop competes with one thread alone."""
    running, most = 0, 0

    def work(_number: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.01)
        running -= 1

    await asyncio.gather(*(in_turn(work, number) for number in range(8)))
    assert most == 1
