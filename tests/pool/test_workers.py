"""Workers that fail in every way: calls end in time, and each verdict is right or a failure."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import MakeFailed, PoolBroken
from rgenv.pool.pool import WorkerPool
from rgenv.pool.process import Template, WorkerDied
from rgenv.types import Problem, Verdict
from rgenv.worker.protocol import TaskModule
from tests.support.polling import until
from tests.support.processes import descendants, is_alive, template_of
from tests.support.worker_programs import scripted, worker_program

RIGHT, WRONG = (Verdict(score, "scored", score, 0.0) for score in (1.0, 0.0))


@pytest.fixture(autouse=True)
def workers_that_fail_in_a_row_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pools here go on, without pauses and with little patience; other tests say otherwise."""
    monkeypatch.setattr("rgenv.pool.workers.MAX_DEATHS_IN_A_ROW", 1000)
    monkeypatch.setattr("rgenv.pool.workers.DEATH_PAUSE", 0.0)
    monkeypatch.setattr("rgenv.pool.process.PATIENCE", 2)


def new_pool(folder: Path, workers: int = 1, start: str = "") -> WorkerPool:
    """Return a pool, not started, of scripted workers."""
    settings = scripted(folder, start)
    return WorkerPool(
        workers=workers, scoring_timeout=0.5, generation_timeout=0.5, settings=settings
    )


def problem_of(seed: int, run: str = "") -> Problem:
    return Problem("gcd", seed, None, {"run": run}, str(seed), str(seed))


LINES = (
    "b'nonsense\\n'",
    'b\'{"reply": "Ready"}\\n\'',
    'b\'{"reply": "Scored", "raw": 1.5, "tagged": 0.0}\\n\'',
    'b\'{"reply": "Scored", "raw": NaN, "tagged": 0.0}\\n\'',
    'b\'{"reply": "Scored", "raw": 1.0, "tagged": 0.0, "more": 1}\\n\'',
    "b'x' * 3_000_000",
    "b'[' * 1_000_000 + b'\\n'",
)
"""What is no reply to a score request."""


async def test_a_worker_that_writes_no_reply_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is scored once more, by another worker; then it has no score but a failure."""
    monkeypatch.setattr("rgenv.pool.workers.MAX_DEATHS_IN_A_ROW", 3)
    orders = [f"run write({line})" for line in LINES]
    async with new_pool(tmp_path) as pool:
        first, *others, last, wrong = await pool.score(problem_of(7), ["7", *orders, "7", "8"])
        assert [first, last, wrong] == [RIGHT, RIGHT, WRONG]
        assert {(verdict.kind, verdict.score) for verdict in others} == {("crashed", 0.0)}
        assert pool.malformed == pool.restarts == 2 * len(LINES)


FAILURES = {
    "os._exit(7)": ("crashed", "exit status 7"),
    "os.kill(os.getpid(), signal.SIGSEGV)": ("crashed", "exit status -11"),
    "time.sleep(60)": ("timeout", "no reply within 0.5 s"),
    "os.kill(os.getpid(), signal.SIGSTOP)": ("timeout", "no reply within 0.5 s"),
    "write(b'{')\nwhile True: time.sleep(0.01)": ("timeout", "no reply within 0.5 s"),
    "send(Failed('no\\tidea'))\nraise StopIteration": ("error", "no idea"),
}
"""What a worker does in place of a reply, and the verdict on the answer."""


async def test_a_worker_that_fails_costs_one_answer(tmp_path: Path) -> None:
    """A line that is not whole, and one that is never read, are none."""
    async with new_pool(tmp_path) as pool:
        answers = [text for code in FAILURES for text in (f"run {code}", "7")]
        async with asyncio.timeout(30):
            verdicts = await pool.score(problem_of(7), answers)
        assert set(verdicts[1::2]) == {RIGHT}
        for found, (kind, words) in zip(verdicts[::2], FAILURES.values(), strict=True):
            assert found.kind == kind and words in found.detail
        assert (await pool.make("gcd", 3)).answer == "3"


async def test_a_worker_dies_of_one_job_and_not_of_the_next(tmp_path: Path) -> None:
    """What it was doing is done once more by another one; a killed one has a successor."""
    once = f"os.path.exists({str(tmp_path / 'x')!r}) or open({str(tmp_path / 'x')!r}, 'w') and "
    async with new_pool(tmp_path) as pool:
        verdicts = await pool.score(problem_of(7), [f"run {once} os._exit(1)\nsend(Scored(1, 0))"])
        assert verdicts == [RIGHT] and pool.restarts == 1
        [worker] = pool.live_workers
        os.kill(worker.pid, signal.SIGKILL)
        assert (await pool.make("gcd", 3)).answer == "3"
        with pytest.raises(MakeFailed, match="exit status 9"):
            await pool.make("gcd", 4, config={"run": "os._exit(9)"})


@pytest.mark.parametrize("code", ["os._exit(7)", "time.sleep(60)"])
async def test_a_problem_that_cannot_be_made_again_costs_two_workers(
    tmp_path: Path, code: str
) -> None:
    """Its answers all fail, of whatever number: none of them is to blame for the time it takes."""
    async with new_pool(tmp_path) as pool:
        verdicts = await pool.score(problem_of(1, code), ["1"] * 20)
        assert [verdict.kind for verdict in verdicts] == ["crashed"] * 20
        assert await pool.score(problem_of(2), ["2"]) == [RIGHT]
        assert pool.restarts == 2
        with pytest.raises(MakeFailed, match="timeout"):  # most of a request is never read
            await pool.make("gcd", 1, config={"run": "time.sleep(60)", "text": "x" * 9_000_000})


COMPUTE = "end = time.process_time() + {}\nwhile time.process_time() < end: pass\n"
HOG = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no affinity")
async def test_a_worker_has_its_seconds_on_a_busy_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others leave it a third of the processor: it has `PATIENCE` times as long on the clock."""
    monkeypatch.setattr("rgenv.pool.process.PATIENCE", 40)
    start = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"
    pool = new_pool(tmp_path, start=start)
    hogs = [await asyncio.create_subprocess_exec(sys.executable, "-c", HOG) for _ in range(2)]
    try:
        async with pool:
            began = time.monotonic()
            answer = f"run {COMPUTE.format(0.3)}send(Scored(1, 0))"
            assert await pool.score(problem_of(1), [answer]) == [RIGHT]
            assert time.monotonic() - began > 0.35
    finally:
        for hog in hogs:
            hog.kill()
            await hog.wait()


async def test_calls_that_are_cancelled_free_their_workers(tmp_path: Path) -> None:
    async with new_pool(tmp_path, workers=2) as pool:
        hanging = [
            asyncio.create_task(pool.score(problem_of(seed), ["run time.sleep(60)"]))
            for seed in range(6)
        ]
        making = [asyncio.create_task(pool.make("gcd", seed)) for seed in range(6)]
        await asyncio.sleep(0.1)
        for call in hanging:
            call.cancel()
        async with asyncio.timeout(20):
            assert [one.answer for one in await asyncio.gather(*making)] == list("012345")


async def test_scores_come_before_problems(tmp_path: Path) -> None:
    ended: list[str] = []

    async def end(name: str, call: Coroutine[Any, Any, object]) -> None:
        await call
        ended.append(name)

    async with new_pool(tmp_path) as pool, asyncio.TaskGroup() as calls:
        calls.create_task(end("first", pool.make("gcd", 1, config={"run": "time.sleep(0.1)"})))
        calls.create_task(end("made", pool.make("gcd", 2)))
        calls.create_task(end("scored", pool.score(problem_of(3), ["3"])))
    assert ended == ["first", "scored", "made"]


@pytest.mark.parametrize(("seconds", "waits"), [(0.2, True), (0.0, False)])
async def test_a_problem_that_is_slow_to_make_is_scored_by_its_maker(
    tmp_path: Path, seconds: float, waits: bool
) -> None:
    """While that lives, even if another worker is free; a cheap one is made again."""
    name_yourself = ["run send(Scored(None, 0.0, raw_error=str(os.getpid())))"]
    async with new_pool(tmp_path, workers=2) as pool:
        await until(lambda: len(pool.live_workers) == 2)
        problem = await pool.make("gcd", 7, config={"run": f"time.sleep({seconds})"})
        [maker] = await pool.score(problem, name_yourself)
        busy = asyncio.create_task(pool.score(problem, ["run time.sleep(60)"]))
        await asyncio.sleep(0)
        [second] = await pool.score(problem, name_yourself)
        assert busy.done() == waits and (second != maker)  # it hung, so another one scored
        assert [verdict.kind for verdict in await busy] == ["timeout"]


async def test_a_call_that_is_cancelled_as_it_gets_a_worker_gives_it_back(tmp_path: Path) -> None:
    async with new_pool(tmp_path) as pool, asyncio.timeout(20):

        async def make_and_cancel() -> None:
            await pool.make("gcd", 1)
            waiting.cancel()  # its turn came in this round of the event loop

        first = asyncio.create_task(make_and_cancel())
        waiting = asyncio.create_task(pool.make("gcd", 2))
        await first
        assert (await pool.make("gcd", 3)).answer == "3" and pool.restarts == 0


@pytest.mark.parametrize("moment", [0.0, 0.3])
async def test_closing_ends_all_calls_and_processes(tmp_path: Path, moment: float) -> None:
    """Twice does no harm, and workers that hang or are stopped are ended, too."""
    pool = new_pool(tmp_path, workers=3)
    await pool.start()
    codes = ["time.sleep(60)", "os.kill(os.getpid(), signal.SIGSTOP)", "os._exit(3)"]
    calls = [asyncio.create_task(pool.score(problem_of(1), [f"run {code}"])) for code in codes]
    await asyncio.sleep(moment)
    pids = [worker.pid for worker in pool.live_workers]
    async with asyncio.timeout(20):
        await pool.close()
        await pool.close()
        results = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(result, list | PoolBroken) for result in results)
    assert not any(map(is_alive, pids))


@pytest.mark.parametrize("moment", [0.0, 0.3])
async def test_closing_while_the_first_worker_starts_ends_the_start(
    tmp_path: Path, moment: float
) -> None:
    """`start` raises PoolBroken, and is not taken for cancelled."""
    pool = new_pool(tmp_path, start="time.sleep(60)")
    before = set(descendants(os.getpid()))
    starting = asyncio.create_task(pool.start())
    await asyncio.sleep(moment)
    await pool.close()
    async with asyncio.timeout(10):
        with pytest.raises(PoolBroken):
            await starting
    await until(lambda: not set(descendants(os.getpid())) - before)


async def test_workers_that_cannot_be_started_again_end_all_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When no program can be started any more, calls raise PoolBroken, those under way included."""
    async with new_pool(tmp_path, workers=2) as pool:
        monkeypatch.setattr("rgenv.pool.workers.MAX_DEATHS_IN_A_ROW", 3)
        monkeypatch.setattr("sys.executable", str(tmp_path / "missing"))
        [worker, *_] = pool.live_workers
        os.kill(template_of(worker.pid), signal.SIGKILL)
        with pytest.raises(PoolBroken, match=r"died in a row .*be started: .*No such"):
            await pool.score(problem_of(1), ["run time.sleep(60)"])
        with pytest.raises(PoolBroken, match="died in a row"):
            await pool.make("gcd", 5)


async def test_a_library_that_changes_meanwhile_ends_the_pool(tmp_path: Path) -> None:
    async with new_pool(tmp_path) as pool:
        program = tmp_path / "rgenv" / "worker" / "__main__.py"
        program.write_text(program.read_text().replace('Greeting("0"', 'Greeting("1"'))
        [worker] = pool.live_workers
        os.kill(template_of(worker.pid), signal.SIGKILL)
        with pytest.raises(PoolBroken, match="reasoning-gym changed while this run used it"):
            await pool.score(problem_of(1), ["run time.sleep(60)"])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit('out of \x1b[31mmemory')", r"exit status 1: out of \\x1b\[31mmemory"),
        ("write(b'half a line')", "exit status 0"),
        ("write(b'x' * 3_000_000)", "a line of more than"),
        ("write(b'hello\\n')\ntime.sleep(60)", "malformed"),
    ],
)
async def test_a_template_that_does_not_greet_says_why(
    tmp_path: Path, body: str, reason: str
) -> None:
    template = Template(worker_program(tmp_path, body))
    with pytest.raises(WorkerDied, match=reason):
        await template.greet()


async def test_a_module_that_hangs_is_named_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rgenv.pool.process.START_TIMEOUT", 0.5)
    settings = replace(
        worker_program(tmp_path, "time.sleep(60)"),
        task_modules=(TaskModule("mine.py", "/mine.py"),),
    )
    pool = WorkerPool(workers=1, settings=settings)
    with pytest.raises(PoolBroken, match=r"mine.py \(no reply within 0.5 s\).* or hang\?"):
        await pool.start()
