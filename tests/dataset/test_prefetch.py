"""rgenv/dataset/prefetch.py: items made ahead of demand and handed out in order."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest_asyncio

from rgenv.dataset.prefetch import MAX_REJECTED, Judgement, Prefetcher
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


async def test_reserved_places_are_not_filled(new: New) -> None:
    """`reserved` reduces the number of items that are made ahead."""
    prefetcher = new(index, ahead=3)
    prefetcher.fill(reserved=2)
    await settle()
    assert prefetcher.judged == [0]
    prefetcher.fill(reserved=0)
    await settle()
    assert prefetcher.judged == [0, 1, 2]


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
