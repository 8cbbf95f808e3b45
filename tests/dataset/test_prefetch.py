"""rgenv/dataset/prefetch.py: items made ahead, handed out in order."""

import asyncio

import pytest

from rgenv.dataset.prefetch import Judgement, NothingLeft, Prefetcher


async def test_items_come_in_order_however_long_each_takes() -> None:
    """A slow item does not let a later one overtake it."""

    async def make(n: int, _attempt: int) -> int:
        await asyncio.sleep(0.02 if n % 3 == 0 else 0)
        return n

    supply = Prefetcher(make, ahead=4)
    assert [await supply.next() for _ in range(10)] == list(range(10))
    await supply.close()


async def test_the_next_items_are_made_while_nobody_asks() -> None:
    """After one item was taken, `ahead` more are ready without being asked for."""
    made: list[int] = []

    async def make(n: int, _attempt: int) -> int:
        made.append(n)
        return n

    supply = Prefetcher(make, ahead=3)
    await supply.next()
    await asyncio.sleep(0.01)
    assert made == [0, 1, 2, 3]
    await supply.close()


async def test_an_item_that_cannot_be_made_is_left_out() -> None:
    """None takes no place, and the position counts on."""

    async def make(n: int, _attempt: int) -> int | None:
        return None if n in (0, 2, 3) else n

    supply = Prefetcher(make, ahead=2, first=0)
    assert [await supply.next() for _ in range(3)] == [1, 4, 5]
    await asyncio.sleep(0.01)
    assert supply.position == 8 and supply.judged == [6, 7]
    await supply.close()


async def test_it_goes_on_where_it_is_told() -> None:
    """`first` is the first n that is made; a position handed over continues the stream."""

    async def make(n: int, _attempt: int) -> int:
        return n

    supply = Prefetcher(make, ahead=2, first=41)
    assert await supply.next() == 41
    resumed = Prefetcher(make, ahead=2, first=42)
    assert await resumed.next() == await supply.next() == 42
    await supply.close()
    await resumed.close()


async def test_giving_up_waiting_loses_no_item() -> None:
    """A cancelled `next` leaves its item to the next caller."""
    started = asyncio.Event()

    async def make(n: int, _attempt: int) -> int:
        started.set()
        await asyncio.sleep(0.05)
        return n

    supply = Prefetcher(make, ahead=1)
    impatient = asyncio.create_task(supply.next())
    await started.wait()
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert await supply.next() == 0
    await supply.close()


async def test_an_error_of_the_maker_reaches_the_caller() -> None:
    """What `make` raises is raised by `next`, again and again."""

    async def make(_n: int, _attempt: int) -> int:
        raise RuntimeError("no pool")

    supply = Prefetcher(make, ahead=1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no pool"):
            await supply.next()
    await supply.close()


async def test_what_is_not_accepted_is_made_anew() -> None:
    """The next attempt takes its place; judging goes in the order of n."""
    judged: list[tuple[int, int]] = []

    async def make(n: int, attempt: int) -> tuple[int, int]:
        await asyncio.sleep(0.01 if n == 0 else 0)
        return n, attempt

    def accept(item: tuple[int, int]) -> Judgement:
        judged.append(item)
        return "yes" if item[1] == item[0] % 3 else "never"

    supply = Prefetcher(make, accept, ahead=4, attempts=3)
    assert [await supply.next() for _ in range(4)] == [(0, 0), (1, 1), (2, 2), (3, 0)]
    assert judged[:7] == [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0)]
    await supply.close()


async def test_a_repetition_is_better_than_nothing_but_never_is_never() -> None:
    """After the last attempt the first bearable item is taken; an unbearable n is left out."""

    async def make(n: int, attempt: int) -> tuple[int, int]:
        return n, attempt

    def accept(item: tuple[int, int]) -> Judgement:
        return "never" if item[0] == 1 or item[1] == 0 else "only if nothing better comes"

    supply = Prefetcher(make, accept, ahead=1, attempts=3)
    assert [await supply.next() for _ in range(2)] == [(0, 1), (2, 1)]
    await supply.close()


async def test_a_stream_without_end_ends() -> None:
    """When nothing at all can be served, the caller is told instead of waiting for ever."""

    async def make(_n: int, _attempt: int) -> None:
        return None

    supply = Prefetcher(make, ahead=2)
    with pytest.raises(NothingLeft, match="200 items in a row"):
        await supply.next()
    await supply.close()


async def test_it_tells_what_was_judged_and_where_judging_goes_on() -> None:
    """Judged items wait in order; the position is the first n that nobody judged."""
    gate = asyncio.Event()

    async def make(n: int, _attempt: int) -> int:
        if n >= 3:
            await gate.wait()
        return n

    supply = Prefetcher(make, ahead=4)
    assert await supply.next() == 0
    await asyncio.sleep(0.01)
    assert (supply.judged, supply.position) == ([1, 2], 3)
    gate.set()
    await supply.close()


async def test_what_is_handed_out_is_told_before_the_next_is_judged() -> None:
    """Also when it was only the second best; what was turned down is not told."""
    told: list[tuple[int, int]] = []
    seen: list[list[tuple[int, int]]] = []

    async def make(n: int, attempt: int) -> tuple[int, int]:
        await asyncio.sleep(0.01 if n == 0 else 0)
        return n, attempt

    def accept(item: tuple[int, int]) -> Judgement:
        seen.append(list(told))
        if item[0] == 1:
            return "never" if item[1] != 2 else "only if nothing better comes"
        return "yes"

    supply = Prefetcher(make, accept, told.append, ahead=3, attempts=4)
    out = [await supply.next() for _ in range(3)]
    assert out == [(0, 0), (1, 2), (2, 0)] == told[:3]
    assert seen[0] == [] and seen[1] == [(0, 0)] and seen[5] == [(0, 0), (1, 2)]
    await supply.close()
