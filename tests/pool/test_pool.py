"""rgenv/pool/pool.py: every call ends, order holds, and trouble costs what it touches alone."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from rgenv.errors import MakeFailed, PoolBroken
from rgenv.pool.pool import WorkerPool, _verdict
from rgenv.types import KINDS
from rgenv.worker.protocol import WorkerSettings
from tests.support.paths import ROOT

HOSTILE = str(ROOT / "tests" / "support" / "hostile_verifier")
MARKER = Path("/tmp/rgenv-hostile-verifier-was-here")
LIMIT = 1.5


def new_pool(**settings: object) -> WorkerPool:
    return WorkerPool(
        **{"workers": 1, "scoring_timeout": LIMIT, "generation_timeout": LIMIT * 4, **settings},
        settings=WorkerSettings(import_path=HOSTILE),
    )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hostile() -> AsyncIterator[WorkerPool]:
    """A pool of one worker whose task `probe` does what its answers say."""
    MARKER.unlink(missing_ok=True)
    async with new_pool() as pool:
        yield pool
    assert not MARKER.exists(), "something a worker must not do was done"


async def kinds(pool: WorkerPool, *answers: str | None, seed: int = 0) -> list[str]:
    problem = await pool.make("probe", seed)
    return [verdict.kind for verdict in await pool.score(problem, answers)]


async def said(pool: WorkerPool, action: str) -> str:
    problem = await pool.make("probe", 0)
    [verdict] = await pool.score(problem, [action])
    return verdict.detail.partition("RuntimeError: ")[2]


async def test_verdicts_come_in_the_order_of_the_answers(hostile: WorkerPool) -> None:
    """Each answer gets its own score, whatever stands beside it."""
    problem = await hostile.make("probe", 0)
    verdicts = await hostile.score(problem, ["wrong", "right", None, "half", "", "right"])
    assert [verdict.score for verdict in verdicts] == [0, 1, 0, 0.5, 0, 1]
    assert all(verdict.kind in KINDS for verdict in verdicts)


@pytest.mark.parametrize(
    ("action", "score", "kind"),
    [
        ("three", 1.0, "scored"),
        ("negative", 0.0, "scored"),
        ("inf", 1.0, "scored"),
        ("nan", 0.0, "error"),
        ("text", 0.0, "error"),
        ("raise", 0.0, "error"),
        ("quit", 0.0, "error"),
        ("interrupt", 0.0, "error"),
    ],
)
async def test_a_score_is_a_finite_float_between_0_and_1(
    hostile: WorkerPool, action: str, score: float, kind: str
) -> None:
    """Whatever a verifier returns or raises becomes a number and a kind."""
    problem = await hostile.make("probe", 0)
    [verdict] = await hostile.score(problem, [action])
    assert (verdict.score, verdict.kind) == (score, kind)
    assert type(verdict.score) is float


async def test_an_answer_that_wants_to_leave_costs_itself_only(hostile: WorkerPool) -> None:
    """SystemExit and KeyboardInterrupt pass `except Exception`; each answer still has its reply."""
    assert await kinds(hostile, "right", "quit", "half", "interrupt", "right") == [
        "scored",
        "error",
        "scored",
        "error",
        "scored",
    ]


@pytest.mark.parametrize(
    ("reply", "score", "kind"),
    [
        ({"raw": 7.0, "tagged": 0.0}, 1.0, "scored"),
        ({"raw": -7.0, "tagged": None}, 0.0, "scored"),
        ({"raw": 0.2, "tagged": 0.4}, 0.4, "scored"),
        ({"raw": float("inf"), "tagged": None}, 0.0, "error"),
        ({"raw": "1.0", "tagged": True}, 0.0, "error"),
        ({"raw": None, "tagged": 0.5, "raw_error": "ValueError: x"}, 0.5, "error"),
        ({"rejected": "calls a function", "raw": 1.0}, 0.0, "rejected"),
        ({}, 0.0, "error"),
        ({"made": True}, 0.0, "error"),
    ],
)
def test_whatever_a_reply_says_the_score_is_in_range(reply: dict, score: float, kind: str) -> None:
    """The parent trusts no number of a worker: types and range are its own check."""
    verdict = _verdict(reply)
    assert (verdict.score, verdict.kind) == (score, kind)


async def test_an_answer_that_hangs_costs_itself_only(hostile: WorkerPool) -> None:
    """The worker is replaced, the answers before and after keep their scores."""
    problem = await hostile.make("probe", 1)
    verdicts = await hostile.score(problem, ["right", "hang", "half", "right"])
    assert [v.kind for v in verdicts] == ["scored", "timeout", "scored", "scored"]
    assert [v.score for v in verdicts] == [1, 0, 0.5, 1]


async def test_an_answer_that_swallows_interrupts_is_killed(hostile: WorkerPool) -> None:
    """No exception has to get through: the process ends."""
    assert await kinds(hostile, "hang_deaf", "right") == ["timeout", "scored"]


async def test_an_answer_that_kills_its_worker_costs_itself_only(hostile: WorkerPool) -> None:
    """It is tried once more on a fresh worker, then it is a crash."""
    assert await kinds(hostile, "right", "exit", "right") == ["scored", "crashed", "scored"]


async def test_slow_is_not_hung(hostile: WorkerPool) -> None:
    """The limit is each answer's own: many slow ones in a row are all scored."""
    assert await kinds(hostile, *["slow"] * 6) == ["scored"] * 6


@pytest.mark.parametrize(
    "action",
    [
        "fork",
        "native_fork",
        "file",
        "descriptor",
        "socket",
        "program",
        "files",
        "kill_parent",
        "memory",
    ],
)
async def test_a_worker_is_a_cell(hostile: WorkerPool, action: str) -> None:
    """Processes, files, sockets, signals, descriptors and memory are refused; the worker lives."""
    problem = await hostile.make("probe", 0)
    before = hostile.restarts
    verdicts = await hostile.score(problem, [action, "right"])
    assert [v.kind for v in verdicts] == ["error", "scored"]
    assert [v.score for v in verdicts] == [0, 1]
    assert hostile.restarts == before
    assert not MARKER.exists()


async def test_what_is_printed_is_no_reply(hostile: WorkerPool) -> None:
    """A forged line on stdout, and noise on stderr, change no score."""
    problem = await hostile.make("probe", 0)
    verdicts = await hostile.score(problem, ["forge", "wrong", "right"])
    assert [v.score for v in verdicts] == [0, 0, 1]


async def test_bytes_are_never_unpickled(hostile: WorkerPool) -> None:
    """A pickle on the reply pipe is no JSON, so its worker is done for and nothing ran."""
    assert await kinds(hostile, "pickle", "right") == ["crashed", "scored"]
    assert not MARKER.exists()


async def test_a_reply_has_a_size_limit(hostile: WorkerPool) -> None:
    """50 MB on the reply pipe, or a 50 MB question, end as a crash, not in our memory."""
    assert await kinds(hostile, "flood", "right") == ["crashed", "scored"]
    with pytest.raises(MakeFailed) as failure:
        await hostile.make("probe", 0, config={"question_bytes": 50_000_000})
    assert failure.value.kind == "crashed"
    assert await kinds(hostile, "right") == ["scored"]


async def test_a_worker_sees_no_secrets(
    monkeypatch: pytest.MonkeyPatch, hostile: WorkerPool
) -> None:
    """Keys, tokens and proxies of the parent are not in a worker's environment."""
    for name in ("WANDB_API_KEY", "HF_TOKEN", "https_proxy", "HOME"):
        monkeypatch.setenv(name, "secret")
    async with new_pool(spares=0) as pool:
        environment = await said(pool, "environment")
    assert "PYTHONHASHSEED" in environment
    assert "secret" not in environment and "WANDB" not in environment


async def test_the_log_says_what_holds_the_workers(caplog: pytest.LogCaptureFixture) -> None:
    """The layers of the cell, as a warning where the strongest is missing."""
    caplog.set_level("INFO")
    async with new_pool(spares=0) as pool:
        told = caplog.records[-1]
        assert "seccomp" in told.message and told.levelname == "INFO"
        pool.hello = {"layers": ["rlimits", "audit"]}
        pool._tell_layers()
    told = caplog.records[-1]
    assert "rlimits, audit" in told.message and told.levelname == "WARNING"


async def test_a_worker_stands_in_an_empty_folder_at_low_priority(hostile: WorkerPool) -> None:
    """Its working directory is its own and empty, and the event loop goes before it."""
    folder = await said(hostile, "folder")
    assert "rgenv-worker-" in folder and folder.endswith("[]]")
    assert int(await said(hostile, "nice")) > os.nice(0)


@pytest.mark.parametrize("action", ["hang", "exit", "raise"])
async def test_a_generator_that_fails_costs_its_item_only(hostile: WorkerPool, action: str) -> None:
    """Hanging, dying and raising are three kinds of failure; the next item is made."""
    kind = {"hang": "timeout", "exit": "crashed", "raise": "error"}[action]
    with pytest.raises(MakeFailed) as failure:
        await hostile.make("probe", 0, config={"on_make": action})
    assert failure.value.kind == kind
    assert (await hostile.make("probe", 0)).answer == "right"


async def test_a_task_is_prepared_by_one_worker_while_others_have_other_tasks() -> None:
    """A worker leaves a task that another one is making, and takes it when nothing else waits."""
    done = []

    async def make(pool: WorkerPool, task: str, seed: int, **config: str) -> None:
        await pool.make(task, seed, config=config)
        done.append((task, seed))

    async with new_pool(workers=2, spares=0) as pool:
        while len(pool.live_workers) < 2:
            await asyncio.sleep(0.05)
        slow = [make(pool, "probe", seed, on_make="slow") for seed in (1, 2)]
        await asyncio.gather(*slow, make(pool, "gcd", 3))
    assert done[0] == ("gcd", 3) and set(done[1:]) == {("probe", 1), ("probe", 2)}


async def test_a_spare_stands_ready_before_it_is_needed() -> None:
    """Some seconds after the start there is one worker more than work."""
    async with new_pool(spares=1) as pool:
        async with asyncio.timeout(60):
            while len(pool.live_workers) < 2:
                await asyncio.sleep(0.1)


async def test_a_worker_killed_by_someone_else_is_replaced(hostile: WorkerPool) -> None:
    """Killed in the middle of a request, the request goes on elsewhere and loses nothing."""
    problem = await hostile.make("probe", 0)
    pid = int(await said(hostile, "who"))
    scoring = asyncio.create_task(hostile.score(problem, ["slow", "slow", "right"]))
    await asyncio.sleep(0.2)
    os.kill(pid, signal.SIGKILL)
    assert [v.kind for v in await scoring] == ["scored"] * 3
    assert int(await said(hostile, "who")) != pid


async def test_nobody_waiting_frees_the_worker(hostile: WorkerPool) -> None:
    """A cancelled call does not hold its worker until the limit."""
    problem = await hostile.make("probe", 0)
    call = asyncio.create_task(hostile.score(problem, ["hang"] * 16))
    await asyncio.sleep(0.3)
    call.cancel()
    began = time.monotonic()
    assert [v.kind for v in await hostile.score(problem, ["right"])] == ["scored"]
    assert time.monotonic() - began < 16 * LIMIT / 2


async def test_a_problem_scores_the_same_in_another_worker(hostile: WorkerPool) -> None:
    """After its worker is gone the problem is made again from its recipe."""
    problem = await hostile.make("chain_sum", 5)
    await kinds(hostile, "exit")
    [verdict] = await hostile.score(problem, [problem.answer])
    assert verdict.score == 1.0
    assert (await hostile.make("chain_sum", 5)).question == problem.question


async def test_large_answers_make_no_trip(hostile: WorkerPool) -> None:
    """Over the limit in bytes, not characters, an answer is turned away unseen."""
    problem = await hostile.make("probe", 0)
    verdicts = await hostile.score(problem, ["x" * 32769, "é" * 16385, "right"])
    assert [v.kind for v in verdicts] == ["too_large", "too_large", "scored"]
    assert (await hostile.score(problem, ["\ud800" * 16]))[0].kind == "error"


async def test_closing_is_idempotent_and_fails_what_waits() -> None:
    """A closed pool answers at once with its one error, and leaves no process behind."""
    pool = new_pool(spares=0)
    await pool.start()
    problem = await pool.make("probe", 0)
    pid = int(await said(pool, "who"))
    waiting = asyncio.create_task(pool.score(problem, ["hang"]))
    await asyncio.sleep(0.1)
    await pool.close()
    await pool.close()
    with pytest.raises(PoolBroken):
        await waiting
    with pytest.raises(PoolBroken, match="closed"):
        await pool.score(problem, ["right"])
    assert not Path(f"/proc/{pid}").exists()


async def test_a_pool_that_cannot_start_says_why(tmp_path: Path) -> None:
    """A worker that dies while importing ends the start with its last words."""
    (tmp_path / "reasoning_gym").mkdir()
    (tmp_path / "reasoning_gym" / "__init__.py").write_text("raise ImportError('not today')")
    pool = WorkerPool(workers=1, settings=WorkerSettings(import_path=str(tmp_path)))
    with pytest.raises(PoolBroken, match="not today"):
        await pool.start()


async def test_workers_that_die_at_once_break_the_pool(
    monkeypatch: pytest.MonkeyPatch, hostile: WorkerPool
) -> None:
    """Past the restart budget every call ends with one clear error instead of waiting."""
    pool = new_pool(spares=0)
    await pool.start()
    problem = await pool.make("probe", 0)
    monkeypatch.setattr("rgenv.pool.pool.MAX_DEATHS_IN_A_ROW", 2)
    monkeypatch.setattr("rgenv.pool.process.worker_environment", lambda _path: {"PYTHONPATH": "/"})
    with pytest.raises(PoolBroken, match="died in a row"):
        await pool.score(problem, ["exit", "right"])
    await pool.close()


def test_a_dead_parent_leaves_no_worker() -> None:
    """kill -9 of the parent ends its workers, even one that hangs."""
    script = textwrap.dedent(f"""
        import asyncio
        from rgenv.worker.protocol import WorkerSettings
        from rgenv.pool.pool import WorkerPool

        async def main():
            settings = WorkerSettings(import_path={HOSTILE!r})
            async with WorkerPool(workers=2, scoring_timeout=60, settings=settings) as pool:
                problem = await pool.make("probe", 0)
                for _ in range(2):
                    asyncio.ensure_future(pool.score(problem, ["hang_deaf"]))
                await asyncio.sleep(1)
                print(*(worker.pid for worker in pool._live), flush=True)
                await asyncio.sleep(60)

        asyncio.run(main())
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert parent.stdout is not None
    pids = parent.stdout.readline().split()
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 20
    while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert pids and not any(_alive(pid) for pid in pids)


def _alive(pid: str) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
