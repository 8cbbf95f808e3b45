"""rgenv/dataset/prefetch.py: items made ahead of demand and handed out in order."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest_asyncio

from rgenv.dataset.attempts import Judgement
from rgenv.dataset.prefetch import MAX_REJECTED, Prefetcher
from tests.support.polling import settle

New = Callable[..., Prefetcher]


@pytest_asyncio.fixture(loop_scope="session")
async def new() -> AsyncIterator[New]:
    """Makes prefetchers and closes them."""
    made: list[Prefetcher] = []

    def make(*args: Any, **kwargs: Any) -> Prefetcher:
        made.append(Prefetcher(*args, **kwargs))
        return made[-1]

    yield make
    for prefetcher in made:
        await prefetcher.close()


class Attempts:
    """Attempts at items that are (n, attempt); keeps what is chosen."""

    def __init__(
        self,
        judge: Callable[[tuple[int, int]], Judgement] = lambda _item: "accept",
        wait: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self.judge = judge
        self.wait = wait
        self.items: list[tuple[int, int]] = []

    async def make(self, n: int, attempt: int) -> tuple[int, int]:
        if self.wait is not None:
            await self.wait(n)
        return n, attempt

    def chosen(self, n: int, item: tuple[int, int]) -> None:
        assert item[0] == n
        self.items.append(item)

    def skipped(self, n: int) -> None:
        pass


async def test_reserved_places_are_not_filled(new: New) -> None:
    """`reserved` reduces the number of items that are made ahead."""
    prefetcher = new(Attempts(), ahead=3)
    prefetcher.fill(reserved=2)
    await settle()
    assert prefetcher.judged == [(0, 0)]
    prefetcher.fill(reserved=0)
    await settle()
    assert prefetcher.judged == [(0, 0), (1, 0), (2, 0)]


async def test_the_first_fallback_is_taken_after_the_last_attempt(new: New) -> None:
    """An n whose attempts are all rejected is skipped."""

    def judge(item: tuple[int, int]) -> Judgement:
        return "reject" if item[0] == 1 or item[1] == 0 else "fallback"

    prefetcher = new(Attempts(judge), ahead=1, most=3)
    assert [await prefetcher.next() for _ in range(2)] == [(0, 1), (2, 1)]


async def test_attempts_end_after_many_rejected_ones(new: New) -> None:
    """One n costs at most MAX_REJECTED rejected attempts."""
    judged: list[tuple[int, int]] = []

    def judge(item: tuple[int, int]) -> Judgement:
        judged.append(item)
        return "reject" if item[0] == 0 else "accept"

    prefetcher = new(Attempts(judge), ahead=1, most=10 * MAX_REJECTED)
    assert await prefetcher.next() == (1, 0)
    assert [n for n, _ in judged].count(0) == MAX_REJECTED


async def test_items_are_judged_in_the_order_of_n(new: New) -> None:
    """Whatever they take to be made; what is chosen is reported before the next one is judged."""
    judged: list[tuple[int, int, int]] = []

    async def wait(n: int) -> None:
        for _ in range(20 - 5 * n):
            await asyncio.sleep(0)

    def judge(item: tuple[int, int]) -> Judgement:
        judged.append((*item, len(attempts.items)))
        return "reject" if item == (1, 0) else "accept"

    attempts = Attempts(judge, wait)
    prefetcher = new(attempts, ahead=3, most=4)
    assert [await prefetcher.next() for _ in range(3)] == [(0, 0), (1, 1), (2, 0)]
    assert judged[:4] == [(0, 0, 0), (1, 0, 1), (1, 1, 1), (2, 0, 2)]


async def test_closing_cancels_what_is_being_made(new: New) -> None:
    """Closing twice does nothing more."""
    cancelled: list[int] = []

    async def wait(n: int) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(n)
            raise

    prefetcher = new(Attempts(wait=wait), ahead=2)
    prefetcher.fill()
    await settle()
    for _ in range(2):
        await prefetcher.close()
    assert cancelled == [0, 1] and prefetcher.judged == []
