"""A pool whose workers do anything at any point: calls end in time, and no verdict is another's."""

import asyncio
import itertools
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rgenv.errors import MakeFailed, PoolBroken
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem, Verdict
from tests.support import hostile_worker
from tests.support.processes import template_of

SCORING, MAKING = 1.0, 2.0
"""Seconds, of which a quiet machine needs a hundredth."""

STARTING = 20.0
"""Seconds to replace workers, on a busy machine."""

ORDERS_GIVEN = 6
"""How often `attacked` has an order carried out: three times, each by two workers at most."""


@pytest.fixture(autouse=True)
def workers_that_fail_in_a_row_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pools here go on, and without pauses; another test is about those that give up."""
    monkeypatch.setattr("rgenv.pool.slots.MAX_DEATHS_IN_A_ROW", 1000)
    monkeypatch.setattr("rgenv.pool.slots.DEATH_PAUSE", 0.0)
    monkeypatch.setattr("rgenv.pool.workers.START_TIMEOUT", 3.0)


def new_pool(folder: Path, workers: int = 2) -> WorkerPool:
    """Return a pool, not started, of hostile workers."""
    settings = hostile_worker.write(folder)
    return WorkerPool(
        workers=workers,
        scoring_timeout=SCORING,
        generation_timeout=MAKING,
        settings=settings,
    )


def problem_of(seed: int, order: str = "") -> Problem:
    return Problem("gcd", seed, None, {"order": order}, str(seed), str(seed))


async def scored_rightly(pool: WorkerPool, seed: int, *hostile: str, order: str = "") -> int:
    """Score right and wrong answers among hostile ones, and check every verdict but theirs.

    Returns:
        How many answers that are not hostile have no score, because of what came before them.
    """
    spoilt = 0
    answers = [str(seed), "wrong", *hostile, str(seed), "0", str(seed + 1), str(seed)]
    limit = len(answers) * (4 * MAKING + 2 * SCORING) + STARTING
    began = time.monotonic()
    verdicts = await pool.score(problem_of(seed, order), answers)
    assert time.monotonic() - began < limit
    for answer, verdict in zip(answers, verdicts, strict=True):
        expected = Verdict(float(answer == str(seed)), "scored", float(answer == str(seed)), 0.0)
        if answer in hostile:
            assert verdict.kind in ("scored", "error", "rejected", "timeout", "crashed")
            assert type(verdict.score) is float and 0.0 <= verdict.score <= 1.0
        elif verdict != expected and order:
            assert verdict.kind in ("error", "timeout", "crashed") and verdict.score == 0.0
        elif verdict != expected:
            assert verdict.kind in ("timeout", "crashed") and verdict.score == 0.0, verdict
            spoilt += 1
    return spoilt


async def made_rightly(pool: WorkerPool, seed: int, order: str = "") -> int:
    """Make a problem; if it can't be made, that is a failure of a known kind.

    Returns:
        1 if it failed although no worker was told to spoil it, else 0.
    """
    began = time.monotonic()
    try:
        problem = await pool.make("gcd", seed, config={"order": order})
        assert (problem.question, problem.answer, problem.seed) == (str(seed), str(seed), seed)
    except MakeFailed as failure:
        assert failure.kind in ("timeout", "crashed") or (order and failure.kind == "error")
        return not order
    assert time.monotonic() - began < 2 * MAKING + STARTING
    return 0


def does_harm_later(order: str) -> bool:
    """Whether a worker that obeys an order spoils what it does next."""
    is_late = order.startswith(("after", "later"))
    return is_late or any(deed in order for deed in hostile_worker.STOPS)


async def attacked(pool: WorkerPool, order: str, starting: str, seeds: Iterator[int]) -> None:
    """Give an order to a worker in an answer, a problem and a problem to score, among others.

    A worker that stops, or does harm after its reply, costs what it does next, and nothing else.
    """
    spoilt = await asyncio.gather(
        scored_rightly(pool, next(seeds), order),
        made_rightly(pool, next(seeds)),
        made_rightly(pool, next(seeds), order),
        scored_rightly(pool, next(seeds)),
    )
    spoilt.append(await scored_rightly(pool, next(seeds), order=order))
    spoilt.append(await made_rightly(pool, next(seeds)))
    spoilt.append(await scored_rightly(pool, next(seeds)))
    assert sum(spoilt) <= ORDERS_GIVEN * any(map(does_harm_later, (order, starting))), spoilt
    for _ in range(2):  # these may still meet a worker that was stopped
        await made_rightly(pool, next(seeds))
    assert await scored_rightly(pool, next(seeds)) == 0


EVERY = len(hostile_worker.POINTS) * len(hostile_worker.DEEDS)


QUICK = [
    "before:line:{}",
    "after:reply:doubled",
    "instead:reply:old id",
    "instead:reply:failed and more",
    *itertools.islice(hostile_worker.orders(seed=1), 8),
]


@pytest.mark.parametrize(
    "orders",
    [
        pytest.param(QUICK, marks=pytest.mark.slow),
        pytest.param(
            list(itertools.islice(hostile_worker.orders(seed=7), EVERY)), marks=pytest.mark.soak
        ),
    ],
    ids=["some", "all"],
)
async def test_hostile_workers_shift_no_verdict_and_hold_no_call(
    tmp_path: Path, orders: list[str]
) -> None:
    """Only what workers were told to spoil is lost; each third order also goes to those that start.

    The long test takes all points and deeds.
    """
    seeds = itertools.count(2000)
    async with new_pool(tmp_path) as pool:
        for number, order in enumerate(orders):
            if number % 3 == 0:
                starting = order
                (tmp_path / "starts").write_text("".join(f"{order}:once {n}\n" for n in range(2)))
            try:
                async with asyncio.timeout(120):
                    await attacked(pool, order, starting, seeds)
            except BaseException as error:
                error.add_note(f"order {number}: {order}")
                raise
    assert pool.restarts and pool.malformed > len(orders) // 5


async def finished(calls: list[asyncio.Task[Any]], within: float) -> list[Any]:
    """Wait for calls, some of them cancelled; return their results and exceptions."""
    async with asyncio.timeout(within):
        return await asyncio.gather(*calls, return_exceptions=True)


def mixed_calls(pool: WorkerPool, orders: list[str]) -> list[asyncio.Task[Any]]:
    """Start a call for each order, in an answer or a problem, and as many ordinary ones."""
    calls: list[Any] = []
    for seed, order in enumerate(orders, 1):
        calls.append(pool.score(problem_of(seed), [str(seed), order, "wrong"]))
        calls.append(pool.make("gcd", seed, config={"order": order}))
        calls.append(pool.score(problem_of(seed), ["wrong", str(seed)]))
    return [asyncio.create_task(call) for call in calls]


async def test_cancelling_amid_attacks_frees_the_workers(tmp_path: Path) -> None:
    """Calls are cancelled at random moments; the others end, and the next ones are right."""
    random = Random(3)
    orders = list(itertools.islice(hostile_worker.orders(seed=3), 4))
    async with new_pool(tmp_path) as pool:
        calls = mixed_calls(pool, orders)
        for call in random.sample(calls, len(calls) // 2):
            await asyncio.sleep(random.random() / 10)
            call.cancel()
        results = await finished(calls, 30 + STARTING)
        allowed = (list, Problem, MakeFailed, asyncio.CancelledError)
        assert all(isinstance(result, allowed) for result in results), results
        await made_rightly(pool, 98)  # a worker may be stopped
        await made_rightly(pool, 98)
        assert await scored_rightly(pool, 99) == 0


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.3, 1.0])
async def test_closing_amid_attacks_ends_all_calls(tmp_path: Path, moment: float) -> None:
    orders = list(itertools.islice(hostile_worker.orders(seed=5), 5))
    pool = new_pool(tmp_path)
    await pool.start()
    calls = mixed_calls(pool, [*orders, "before:signal:STOP", "instead:hang"])
    await asyncio.sleep(moment)
    pids = [worker.pid for worker in pool.live_workers]
    async with asyncio.timeout(20):
        await pool.close()
        await pool.close()
    results = await finished(calls, 1)
    assert all(isinstance(result, list | Problem | MakeFailed | PoolBroken) for result in results)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize("moment", [0.02, 0.3], ids=["template", "worker"])
async def test_closing_while_the_first_worker_starts_ends_the_start(
    tmp_path: Path, moment: float
) -> None:
    """`start` raises PoolBroken, and is not taken for cancelled."""
    (tmp_path / "starts").write_text("before:hang\nbefore:hang:2\n")
    pool = new_pool(tmp_path)
    starting = asyncio.create_task(pool.start())
    await asyncio.sleep(moment)
    await pool.close()
    async with asyncio.timeout(10):
        with pytest.raises(PoolBroken):
            await starting


async def test_workers_that_cannot_be_started_again_end_all_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When no program can be started any more, calls raise PoolBroken, those under way included."""
    async with new_pool(tmp_path) as pool:
        assert await made_rightly(pool, 1) == 0
        monkeypatch.setattr("rgenv.pool.slots.MAX_DEATHS_IN_A_ROW", 3)
        monkeypatch.setattr("sys.executable", str(tmp_path / "missing"))
        [worker, *_] = pool.live_workers
        os.kill(template_of(worker.pid), signal.SIGKILL)
        orders = ["instead:exit:7", "instead:signal:STOP", "instead:hang"] * 2
        results = await finished(mixed_calls(pool, orders), 60)
        assert any(isinstance(result, PoolBroken) for result in results)
        with pytest.raises(PoolBroken, match="died in a row"):
            await pool.make("gcd", 5)


async def test_a_worker_that_is_stopped_while_idle_costs_one_problem(tmp_path: Path) -> None:
    """A call that gets a stopped worker ends with its time limit, and the next one is right."""
    async with new_pool(tmp_path, workers=1) as pool:
        assert await made_rightly(pool, 1, "after:signal:STOP") == 0
        began = time.monotonic()
        with pytest.raises(MakeFailed, match="timeout"):
            await pool.make("gcd", 2)
        assert time.monotonic() - began < MAKING + STARTING
        assert await made_rightly(pool, 3) == 0


async def test_a_problem_that_cannot_be_made_again_costs_two_workers(tmp_path: Path) -> None:
    """Its answers all fail, of whatever number, and no worker more is spent on them."""
    async with new_pool(tmp_path, workers=1) as pool:
        order = "instead:exit:7"
        verdicts = await pool.score(problem_of(1, order), ["1"] * 20)
        assert [verdict.kind for verdict in verdicts] == ["crashed"] * 20
        assert await scored_rightly(pool, 2) == 0
        assert pool.restarts == 2
