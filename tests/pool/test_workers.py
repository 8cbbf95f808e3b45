"""rgenv/pool/workers.py: workers that are started ahead of need."""

from pathlib import Path

import pytest

from rgenv.pool.process import WorkerDied
from rgenv.pool.workers import WorkerSupply
from tests.support.worker_programs import IDLE, worker_program


async def test_a_prepared_worker_is_taken(tmp_path: Path) -> None:
    """`first` waits for the first prepared worker, which `take` then returns."""
    supply = WorkerSupply(worker_program(tmp_path, IDLE))
    supply.prepare(1)
    worker = await supply.first()
    assert supply.live == {worker}
    assert await supply.take() is worker
    await supply.close()


async def test_a_worker_is_started_if_none_is_prepared(tmp_path: Path) -> None:
    """`take` starts a worker itself."""
    supply = WorkerSupply(worker_program(tmp_path, IDLE))
    first, second = await supply.take(), await supply.take()
    assert first is not second and supply.live == {first, second}
    await supply.close()


async def test_a_retired_worker_has_ended(tmp_path: Path) -> None:
    """`retire` kills one worker and leaves the others."""
    supply = WorkerSupply(worker_program(tmp_path, IDLE))
    retired, other = await supply.take(), await supply.take()
    await supply.retire(retired)
    assert supply.live == {other}
    assert not Path(f"/proc/{retired.pid}").exists() and Path(f"/proc/{other.pid}").exists()
    await supply.close()


async def test_closing_ends_all_workers(tmp_path: Path) -> None:
    """Workers that were taken, are prepared or are starting all end."""
    supply = WorkerSupply(worker_program(tmp_path, IDLE))
    taken = await supply.take()
    supply.prepare(2)
    prepared = await supply.first()
    await supply.close()
    assert supply.live == set()
    for worker in (taken, prepared):
        assert not Path(f"/proc/{worker.pid}").exists()


async def test_a_worker_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    """`first` and `take` raise the error of the start, and the next `take` tries again."""
    supply = WorkerSupply(worker_program(tmp_path, "sys.exit('no memory')"))
    supply.prepare(1)
    for attempt in (supply.first, supply.take, supply.take):
        with pytest.raises(WorkerDied, match="no memory"):
            await attempt()
    assert supply.live == set()
    await supply.close()
