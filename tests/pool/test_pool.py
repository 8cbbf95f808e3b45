"""rgenv/pool/pool.py: making and scoring with workers that fail in every way."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from rgenv.errors import PoolBroken
from rgenv.pool.pool import WorkerPool
from rgenv.pool.process import Worker
from rgenv.pool.task_modules import found
from rgenv.types import Problem
from rgenv.worker.protocol import WorkerSettings
from tests.support.altered_library import EXECUTING, NEW, altered_library
from tests.support.own_tasks import write
from tests.support.paths import ROOT
from tests.support.polling import until
from tests.support.processes import ends_within, is_alive, template_of
from tests.support.worker_programs import scripted

pytestmark = pytest.mark.slow

SCORING_TIMEOUT = 1.5


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module with a task whose verifier does what an answer names."""
    return write(tmp_path_factory.mktemp("module"))


def new_pool(module: Path, **settings: object) -> WorkerPool:
    """Return a pool, not started, whose workers have that task."""
    timeouts = {"scoring_timeout": SCORING_TIMEOUT, "generation_timeout": 4 * SCORING_TIMEOUT}
    return WorkerPool(
        **{"workers": 1, **timeouts, **settings},
        settings=WorkerSettings(task_modules=found([module])),
    )


SECRETS = ("WANDB_API_KEY", "HF_TOKEN", "https_proxy", "HOME")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hostile(module: Path) -> AsyncIterator[WorkerPool]:
    """A pool of one worker; the verifier of its task does what an answer names."""
    with pytest.MonkeyPatch.context() as patch:
        for name in SECRETS:
            patch.setenv(name, "secret")
        async with new_pool(module) as pool:
            yield pool


async def test_a_worker_keeps_the_bytecode_of_all_but_a_users_file(
    module: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where Python may keep bytecode, the next worker does not compile the library again."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    library = altered_library(tmp_path)
    settings = WorkerSettings(import_path=str(library), task_modules=found([str(module)]))
    async with WorkerPool(workers=1, settings=settings) as pool:
        assert await pool.make("backwards", 0) and await pool.make("gcd", 0)
    kept = {path.name.partition(".")[0] for path in library.rglob("*.pyc")}
    assert {NEW, EXECUTING} <= kept  # modules that the installed library lacks
    assert list(module.parent.rglob("*.pyc")) == []


async def test_a_worker_has_no_secrets_and_low_priority(hostile: WorkerPool) -> None:
    [verdict] = await hostile.score(await hostile.make("backwards", 0), ["environment"])
    assert "PYTHONHASHSEED" in verdict.detail and os.environ["HF_TOKEN"] == "secret"
    assert "secret" not in verdict.detail and "WANDB" not in verdict.detail
    priorities = {os.getpriority(os.PRIO_PROCESS, w.pid) for w in hostile.live_workers}
    assert min(priorities) > os.nice(0)


async def test_large_answers_are_not_sent(hostile: WorkerPool) -> None:
    """An answer above the limit, in bytes and not in characters, is too large."""
    problem = await hostile.make("backwards", 0)
    verdicts = await hostile.score(problem, ["x" * 32769, "é" * 16385, problem.answer])
    assert [v.kind for v in verdicts] == ["too_large", "too_large", "scored"]
    [half_pairs] = await hostile.score(problem, ["\ud800" * 16])
    assert (half_pairs.score, half_pairs.kind) == (0.0, "scored")


def test_another_event_loop_is_refused_at_once(tmp_path: Path) -> None:
    """In a second event loop each call raises, and `close` ends the workers, without waiting."""
    pool = WorkerPool(workers=1, settings=scripted(tmp_path))

    async def used() -> list[int]:
        await pool.start()
        return [worker.pid for worker in pool.live_workers]

    async def used_again() -> None:
        async with asyncio.timeout(5):
            with pytest.raises(PoolBroken, match="event loop that started it"):
                await pool.make("gcd", 7)
            await pool.close()
            with pytest.raises(PoolBroken, match="closed"):
                await pool.score(Problem("gcd", 7, None, {}, "?", "1"), [None])

    first = asyncio.new_event_loop()
    [pid] = first.run_until_complete(used())
    asyncio.run(used_again())
    assert ends_within(pid, 20)
    first.run_until_complete(asyncio.sleep(0.2))  # transports close
    first.close()


PARENT = """
import asyncio, sys
from rgenv.worker.protocol import WorkerSettings
from rgenv.pool.pool import WorkerPool
from rgenv.pool.task_modules import found
from tests.support.processes import template_of

async def main():
    settings = WorkerSettings(task_modules=found(sys.argv[1:]))
    async with WorkerPool(workers=2, scoring_timeout=60, settings=settings) as pool:
        problem = await pool.make("backwards", 0)
        calls = [asyncio.ensure_future(pool.score(problem, ["hang"])) for _ in range(2)]
        await asyncio.sleep(1)
        pids = [worker.pid for worker in pool.live_workers]
        print(*pids, template_of(pids[0]), flush=True)
        await asyncio.wait(calls)

asyncio.run(main())
"""


def test_workers_end_with_their_parent(module: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(module)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        pids = parent.stdout.readline().split()
        parent.kill()
    assert len(pids) == 3 and all(ends_within(int(pid), 20) for pid in pids)


async def test_a_template_that_is_killed_is_replaced(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its workers end with it and count as one death; what they did is done by others."""
    monkeypatch.setattr("rgenv.pool.workers.MAX_DEATHS_IN_A_ROW", 2)
    async with new_pool(module, workers=3) as pool:
        problem = await pool.make("backwards", 0)
        await until(lambda: len(pool.live_workers) == 3)
        pids = [worker.pid for worker in pool.live_workers]
        template = template_of(pids[0])
        assert {template_of(pid) for pid in pids} == {template}
        calls = [pool.score(problem, ["slow", problem.answer, "half"]) for _ in range(3)]
        scoring = [asyncio.create_task(call) for call in calls]
        await asyncio.sleep(0.1)
        os.kill(template, signal.SIGKILL)
        for verdicts in await asyncio.gather(*scoring):
            assert [v.kind for v in verdicts] == ["scored"] * 3
        assert not any(map(is_alive, [template, *pids]))
        assert {template_of(worker.pid) for worker in pool.live_workers}.isdisjoint({template})


async def test_a_killed_worker_has_a_successor_at_once(
    hostile: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on with the answers. The template forks it, and leaves no zombie."""
    answers_sent, send = asyncio.Event(), Worker.send

    def send_and_set(worker: Worker, request: dict[str, Any]) -> None:
        send(worker, request)
        if request["op"] == "score":
            answers_sent.set()

    monkeypatch.setattr(Worker, "send", send_and_set)
    problem = await hostile.make("backwards", 0)
    [worker] = hostile.live_workers
    template = template_of(worker.pid)
    scoring = asyncio.create_task(hostile.score(problem, ["slow", "slow", problem.answer]))
    await answers_sent.wait()
    os.kill(worker.pid, signal.SIGKILL)
    assert [v.kind for v in await scoring] == ["scored"] * 3
    [successor] = hostile.live_workers
    assert successor is not worker and template_of(successor.pid) == template
    descriptors = {entry.name for entry in Path(f"/proc/{successor.pid}/fd").iterdir()}
    assert descriptors == {"0", "1", "2", "3"}  # the last one is for replies
    children = Path(f"/proc/{template}/task/{template}/children").read_text().split()
    assert children == [str(successor.pid)]


async def test_prepared_tasks_make_the_same_problems() -> None:
    """The worker that served meanwhile is replaced by a prepared one; nothing else changes."""
    recipes = [("gcd", 7), ("word_ladder", 3), ("intermediate_integration", 5), ("codeio", 1)]
    seen = []
    async with WorkerPool(workers=1) as pool:
        for _ in range(2):
            problems = [await pool.make(task, seed, select=True) for task, seed in recipes]
            verdicts = [await pool.score(one, [one.answer or "0", "7"]) for one in problems]
            seen.append((problems, verdicts))
            [worker] = pool.live_workers
            pool.prepare(["composite", *(task for task, _ in recipes)])
            async with asyncio.timeout(60):
                while worker in pool.live_workers:
                    await pool.make("gcd", 8)
        assert pool.restarts == 0
    assert seen[0] == seen[1]
