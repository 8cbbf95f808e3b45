"""rgenv/stream/source.py: the training problems of one replica, in order."""

import asyncio
import base64
import gc
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from typing import Any

import msgspec
import numpy
import pytest
import pytest_asyncio

from rgenv.errors import MakeFailed, PoolBroken, StartupError
from rgenv.stream import source as module
from rgenv.stream.difficulty import Difficulty, Mode
from rgenv.stream.source import MAX_REJECTED, MOST_TOO_LONG, ItemSource, StreamState
from rgenv.stream.stream import Stream
from rgenv.types import Problem
from tests.support.rollouts import problem

TASKS = {"gcd": 1.0, "lcm": 2.0}

New = Callable[..., ItemSource]
Make = Callable[..., Awaitable[Problem]]


def maker(*, failing: Collection[int] = (), **attributes: Callable[[int], Any]) -> Make:
    """A `make` that fails for some seeds; attributes of its problems are functions of the seed."""

    async def make(task: str, seed: int, level: float | None) -> Problem:
        if seed in failing:
            raise MakeFailed("timeout", "no reply within 10 s")
        values = {name: value(seed) for name, value in {"answer": str, **attributes}.items()}
        return problem(seed, task, level, **values)

    return make


make_any = maker()
make_varied = maker(
    question=lambda seed: f"{seed % 200}?",
    answer=lambda seed: str(seed % 2),
    winnable=lambda seed: seed % 5 > 0,
)


def too_long_if(is_long: Callable[[Problem], bool]) -> Callable[[Problem], Awaitable[str | None]]:
    """A `too_long` that asks for a higher limit."""

    async def too_long(asked: Problem) -> str | None:
        return "max_token_length" if is_long(asked) else None

    return too_long


def too_long_above(level: float) -> Callable[[Problem], Awaitable[str | None]]:
    """A `too_long` for three quarters of gcd's problems above a level."""
    return too_long_if(lambda p: p.task == "gcd" and (p.level or 0.0) > level and p.seed % 4 > 0)


@pytest_asyncio.fixture(loop_scope="session")
async def new() -> AsyncIterator[New]:
    """Makes sources and closes them."""
    made: list[ItemSource] = []

    def make(make: Make = make_any, tasks: dict[str, float] = TASKS, **changes: Any) -> ItemSource:
        ahead, difficulty = changes.pop("ahead", 4), changes.pop("difficulty", Difficulty(None))
        stream = Stream(seed=42, tasks=tasks)
        made.append(ItemSource(make, make, stream, difficulty, ahead=ahead, **changes))
        return made[-1]

    yield make
    for source in made:
        await source.close()


def hand_over(source: ItemSource, other: ItemSource, under_way: Iterable[Problem] = ()) -> None:
    """Let `other` go on where `source` stands, through JSON."""
    state = msgspec.json.encode(source.state(under_way))
    other.load(msgspec.json.decode(state, type=StreamState))


async def drawn(source: ItemSource, count: int) -> list[Problem]:
    return [await source.next() for _ in range(count)]


async def test_problems_to_ask_again_come_before_new_ones(new: New) -> None:
    """They come in their order; then the stream goes on. What can't be made again is left out."""
    source, undisturbed = new(), new()
    first, _, third = await drawn(source, 3)
    hand_over(source, again := new(), [third, first])
    assert await drawn(again, 4) == [third, first, *(await drawn(undisturbed, 5))[3:]]
    broken = new(maker(failing=[first.seed]))
    hand_over(source, broken, [first])
    assert (await broken.next()).key != first.key and broken.state().again == []


@pytest.mark.parametrize("pool_is_closed", [False, True])
async def test_calls_end_with_one_clear_error_when_it_is_closed(
    pool_is_closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the problems that are made ahead fail, which asyncio doesn't print then."""
    printed: list[Any] = []
    loop, is_closed = asyncio.get_running_loop(), asyncio.Event()
    monkeypatch.setattr(loop, "call_exception_handler", printed.append)

    async def make(*_: object) -> Problem:
        await is_closed.wait()
        raise PoolBroken("The worker pool is closed.")

    stream = Stream(seed=42, tasks=TASKS)
    source = ItemSource(make, make, stream, Difficulty(None), ahead=4)
    calls = [asyncio.create_task(source.next()) for _ in range(3)]
    await asyncio.sleep(0.01)
    if pool_is_closed:
        is_closed.set()
        await asyncio.sleep(0.01)
    await source.close()
    for call in [*calls, source.next()]:
        with pytest.raises(PoolBroken, match=r"^The (worker pool|stream of problems) is closed\.$"):
            await call
    del calls, call, source
    gc.collect()
    assert printed == []


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("unwinnable", {"winnable": lambda seed: seed % 3 > 0}),
        ("", {"held_out": lambda seed: seed % 3 == 0}),
        ("question_too_long", {"question": lambda seed: f"{seed}{'!' * 90 * (seed % 3 == 0)}"}),
        ("timeout", {"failing": range(0, 2**60, 3)}),
    ],
)
async def test_what_can_not_be_asked_is_replaced(
    new: New, name: str, attribute: dict[str, Any]
) -> None:
    """Others take the place of what is unwinnable, held out, too long or not made; it is counted,
    unless it is held out."""
    counts: Counter[str] = Counter()
    too_long = too_long_if(lambda asked: len(asked.question) > 80)
    source = new(maker(**attribute), too_long=too_long, count=lambda name: counts.update([name]))
    problems = await drawn(source, 60)
    assert all(p.seed % 3 for p in problems)
    assert set(counts) == ({f"not_made/{name}"} if name else set())
    assert not name or 10 < counts.total() < 60


@pytest.mark.parametrize("balance", [True, False])
async def test_a_frequent_answer_is_avoided_unless_balancing_is_off(
    new: New, balance: bool
) -> None:
    """With balancing, an answer comes at most 11 times in 20 problems of a task."""
    make = maker(answer=lambda seed: "no" if seed % 10 else "yes")
    source = new(make, tasks={"gcd": 1.0}, balance_labels=balance)
    answers = [p.answer for p in await drawn(source, 100)]
    most = max(answers[i : i + 20].count("no") for i in range(81))
    assert (most <= 11) == balance


@pytest.mark.parametrize("is_requeued", [True, False])
async def test_a_cancelled_call_loses_no_problem(new: New, is_requeued: bool) -> None:
    """New and requeued problems both go to the next caller."""
    gate, made = asyncio.Event(), asyncio.Event()

    async def make(task: str, seed: int, level: float | None) -> Problem:
        made.set()
        await gate.wait()
        return await make_any(task, seed, level)

    source, expected = new(make), await drawn(new(), 3)
    if is_requeued:
        hand_over(new(), source, expected := expected[2:])
    waiting = asyncio.create_task(source.next())
    await made.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    gate.set()
    assert await source.next() == expected[0]


async def test_a_stream_that_serves_nothing_ends_with_the_options_to_look_at(
    new: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_SKIPPED", 9)
    source = new(too_long=too_long_if(lambda _asked: True))
    with pytest.raises(StartupError, match=r"task_names.*max_prompt_tokens"):
        await source.next()


@pytest.mark.parametrize("mode", ["curriculum", "random"])
async def test_no_problem_is_lost_to_long_prompts(new: New, mode: Mode) -> None:
    counted: list[str] = []
    source = new(
        difficulty=Difficulty(mode, random_range=(0.8, 0.8)),
        too_long=too_long_above(0.5),
        count=counted.append,
    )
    late: list[float] = []
    for number in range(500):
        each = await source.next()
        source.observe(each, [1.0] * 8)
        if number < 200:
            counted.clear()
        elif each.task == "gcd":
            late.append(each.level or 0.0)
    assert source.position == 500 and "skipped_too_long" not in counted
    assert 60 < len(late) < 125 and max(late) > 0.4  # about a third of 300
    if mode == "curriculum":
        assert len(counted) < 60
        assert sum(level > 0.5 for level in late) < 10 and min(late) >= 0.3


async def test_a_task_whose_prompts_are_all_too_long_is_left_out_once(
    new: New, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = {"gcd": 1.0, "lcm": 2.0, "bf": 1.0}
    counts: Counter[str] = Counter()
    too_long = too_long_if(lambda asked: asked.task == "gcd")
    source = new(tasks=tasks, too_long=too_long, count=lambda name: counts.update([name]))
    asked = Counter(each.task for each in await drawn(source, 300))
    assert set(asked) == {"lcm", "bf"} and 170 < asked["lcm"] < 230
    assert counts == {"not_made/question_too_long": MOST_TOO_LONG, "skipped_too_long": 1}
    lines = [record.message for record in caplog.records if "gcd" in record.message]
    assert len(lines) == 2 and "raise --env.max_token_length" in lines[0]
    assert "gcd is asked no more" in lines[1]


def observe(asked: Problem, *sources: ItemSource) -> Problem:
    """Give sources the scores of one group, a function of the problem."""
    for source in sources:
        source.observe(asked, [float(asked.seed % 16 > i) for i in range(8)])
    return asked


@pytest.mark.parametrize("mode", [None, "random", "curriculum"])
async def test_a_restored_source_continues_exactly(new: New, mode: Mode) -> None:
    original, restored = (
        new(make_varied, difficulty=Difficulty(mode), too_long=too_long_above(0.4))
        for _ in range(2)
    )
    for _ in range(40):
        observe(await original.next(), original)
    under_way = await drawn(original, 3)
    hand_over(original, restored, under_way)
    assert await drawn(restored, 3) == under_way
    for each in under_way:
        observe(each, original, restored)
    for _ in range(60):
        expected = await original.next()
        assert await restored.next() == observe(expected, original, restored)
    assert restored.state() == original.state()


NANS = base64.b64encode(numpy.full(729, math.nan).tobytes()).decode()


@pytest.mark.parametrize(
    "damage",
    [
        {"next_item": None},
        {"plans": [["gcd", 9.35]]},
        {"known_in_a_row": {"gcd": -5}},
        {"asked": {"gcd": "AAAA"}},
        {"difficulty": {"gcd": {"level": 0.3, "right": "AAAA", "finished": ""}}},
        {"difficulty": {"gcd": {"level": 0.3, "right": NANS, "finished": NANS}}},
    ],
)
async def test_a_damaged_state_is_refused(new: New, damage: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        new().load(msgspec.convert({**msgspec.to_builtins(new().state()), **damage}, StreamState))


async def test_problems_are_chosen_in_their_order(new: New) -> None:
    """Whatever they take to be made: an answer that is frequent is so by those before it."""

    async def slowly(task: str, seed: int, level: float | None) -> Problem:
        for _ in range(seed % 20):
            await asyncio.sleep(0)
        return await make_varied(task, seed, level)

    assert await drawn(new(slowly), 60) == await drawn(new(make_varied), 60)


async def test_attempts_end_after_many_rejected_ones(new: New) -> None:
    made: list[int] = []

    async def noting(task: str, seed: int, level: float | None) -> Problem:
        made.append(seed)
        return problem(seed, task, level, winnable=len(made) > MAX_REJECTED)

    await new(noting, ahead=1).next()
    assert len(made) == MAX_REJECTED + 1
