"""rgenv/dataset/prefetch.py: items made ahead of demand and handed out in order."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from rgenv.dataset.prefetch import MAX_REJECTED, MAX_SKIPPED, Judgement, NothingLeft, Prefetcher
from tests.support.event_loop import settle

New = Callable[..., Prefetcher[Any]]


@pytest_asyncio.fixture(loop_scope="session")
async def new() -> AsyncIterator[New]:
    """Makes prefetchers and closes them."""
    made: list[Prefetcher[Any]] = []

    def make(*args: Any, **kwargs: Any) -> Prefetcher[Any]:
        made.append(Prefetcher(*args, **kwargs))
        return made[-1]

    yield make
    for prefetcher in made:
        await prefetcher.close()


async def index(n: int, _attempt: int) -> int:
    return n


async def index_and_attempt(n: int, attempt: int) -> tuple[int, int]:
    return n, attempt


async def test_items_come_in_order_however_long_each_takes(new: New) -> None:
    """A later item that is ready waits for the slow one before it."""
    gates = {n: asyncio.Event() for n in (0, 3)}
    made: list[int] = []

    async def make(n: int, _attempt: int) -> int:
        if n in gates:
            await gates[n].wait()
        made.append(n)
        return n

    prefetcher = new(make, ahead=4)
    waiting = asyncio.create_task(prefetcher.next())
    await settle()
    assert made == [1, 2] and not waiting.done()
    for gate in gates.values():
        gate.set()
    assert [await waiting] + [await prefetcher.next() for _ in range(9)] == list(range(10))


async def test_the_next_items_are_made_without_demand(new: New) -> None:
    """After one item was handed out, `ahead` more are ready."""
    made: list[int] = []

    async def make(n: int, _attempt: int) -> int:
        made.append(n)
        return n

    prefetcher = new(make, ahead=3)
    await prefetcher.next()
    await settle()
    assert made == [0, 1, 2, 3]


async def test_reserved_places_are_not_filled(new: New) -> None:
    """`reserved` reduces the number of items that are made ahead."""
    prefetcher = new(index, ahead=3)
    prefetcher.fill(reserved=2)
    await settle()
    assert prefetcher.judged == [0]
    prefetcher.fill(reserved=0)
    await settle()
    assert prefetcher.judged == [0, 1, 2]


async def test_an_item_that_cannot_be_made_is_skipped(new: New) -> None:
    """None is not handed out, and counts for the position only."""

    async def make(n: int, _attempt: int) -> int | None:
        return None if n in (0, 2, 3) else n

    prefetcher = new(make, ahead=2, first=0)
    assert [await prefetcher.next() for _ in range(3)] == [1, 4, 5]
    await settle()
    assert prefetcher.position == 8 and prefetcher.judged == [6, 7]


async def test_a_second_prefetcher_continues_from_the_position_of_the_first(new: New) -> None:
    """`first` is the first n that is made."""
    prefetcher = new(index, ahead=2, first=41)
    assert await prefetcher.next() == 41
    resumed = new(index, ahead=2, first=42)
    assert await resumed.next() == await prefetcher.next() == 42


async def test_a_cancelled_call_loses_no_item(new: New) -> None:
    """The item that a cancelled `next` waited for goes to the next caller."""
    started, gate = asyncio.Event(), asyncio.Event()

    async def make(n: int, _attempt: int) -> int:
        started.set()
        await gate.wait()
        return n

    prefetcher = new(make, ahead=1)
    cancelled = asyncio.create_task(prefetcher.next())
    await started.wait()
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    gate.set()
    assert await prefetcher.next() == 0


async def test_an_error_of_make_reaches_the_caller(new: New) -> None:
    """`next` raises it, and so does every later call."""

    async def make(_n: int, _attempt: int) -> int:
        raise RuntimeError("no pool")

    prefetcher = new(make, ahead=1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no pool"):
            await prefetcher.next()


async def test_a_rejected_item_is_replaced_by_the_next_attempt(new: New) -> None:
    """Items are judged in the order of n, although a later one is made first."""
    judged: list[tuple[int, int]] = []
    gate = asyncio.Event()

    async def make(n: int, attempt: int) -> tuple[int, int]:
        if n == 0:
            await gate.wait()
        return n, attempt

    def judge(item: tuple[int, int]) -> Judgement:
        judged.append(item)
        return "accept" if item[1] == item[0] % 3 else "reject"

    prefetcher = new(make, judge, ahead=4, attempts=3)
    prefetcher.fill()
    await settle()
    assert judged == []
    gate.set()
    assert [await prefetcher.next() for _ in range(4)] == [(0, 0), (1, 1), (2, 2), (3, 0)]
    assert judged[:7] == [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0)]


async def test_the_first_fallback_is_taken_after_the_last_attempt(new: New) -> None:
    """An n whose attempts are all rejected is skipped."""

    def judge(item: tuple[int, int]) -> Judgement:
        return "reject" if item[0] == 1 or item[1] == 0 else "fallback"

    prefetcher = new(index_and_attempt, judge, ahead=1, attempts=3)
    assert [await prefetcher.next() for _ in range(2)] == [(0, 1), (2, 1)]


async def test_attempts_end_after_many_rejected_ones(new: New) -> None:
    """One n costs at most MAX_REJECTED rejected attempts."""
    judged: list[tuple[int, int]] = []

    def judge(item: tuple[int, int]) -> Judgement:
        judged.append(item)
        return "reject" if item[0] == 0 else "accept"

    prefetcher = new(index_and_attempt, judge, ahead=1, attempts=10 * MAX_REJECTED)
    assert await prefetcher.next() == (1, 0)
    assert [n for n, _ in judged].count(0) == MAX_REJECTED


async def test_a_stream_of_items_that_cannot_be_made_ends_with_an_error(new: New) -> None:
    """`next` raises NothingLeft after MAX_SKIPPED items."""

    async def make(_n: int, _attempt: int) -> None:
        return None

    with pytest.raises(NothingLeft, match=f"{MAX_SKIPPED} items in a row"):
        await new(make, ahead=2).next()


async def test_the_judged_items_and_the_position_describe_the_state(new: New) -> None:
    """Judged items wait in order; the position is the first n that is not judged."""
    gate = asyncio.Event()

    async def make(n: int, _attempt: int) -> int:
        if n >= 3:
            await gate.wait()
        return n

    prefetcher = new(make, ahead=4)
    assert await prefetcher.next() == 0
    await settle()
    assert (prefetcher.judged, prefetcher.position) == ([1, 2], 3)
    gate.set()


async def test_a_choice_is_reported_before_the_next_item_is_judged(new: New) -> None:
    """Fallbacks that are chosen are reported too, rejected attempts are not."""
    chosen: list[tuple[int, int]] = []
    chosen_before: list[list[tuple[int, int]]] = []

    def judge(item: tuple[int, int]) -> Judgement:
        chosen_before.append(list(chosen))
        if item[0] == 1:
            return "reject" if item[1] != 2 else "fallback"
        return "accept"

    prefetcher = new(index_and_attempt, judge, chosen.append, ahead=3, attempts=4)
    out = [await prefetcher.next() for _ in range(3)]
    assert out == [(0, 0), (1, 2), (2, 0)] == chosen[:3]
    assert chosen_before[0] == [] and chosen_before[1] == [(0, 0)]
    assert chosen_before[5] == [(0, 0), (1, 2)]


async def test_closing_cancels_what_is_being_made(new: New) -> None:
    """Closing twice does nothing more."""
    cancelled: list[int] = []

    async def make(n: int, _attempt: int) -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(n)
            raise
        return n

    prefetcher = new(make, ahead=2)
    prefetcher.fill()
    await settle()
    for _ in range(2):
        await prefetcher.close()
    assert cancelled == [0, 1] and prefetcher.judged == []
