"""rgenv/pool/process.py: the parent's side of one worker process."""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import pytest

from rgenv.pool.process import MalformedReply, WorkerDied, WorkerProcess, WorkerTimeout
from rgenv.pool.replies import WorkerRefused, solution
from tests.support.worker_programs import HANDSHAKE, worker_program

SENT = (
    "request = json.loads(sys.stdin.readline())\n"
    "print(json.dumps({'id': request['ids'][0], 'answer': 'x'}), flush=True)\n"
)
"""Reads one request and replies to it."""


DRIBBLE = """
sys.stdin.readline()
while True:
    print('{', end='', flush=True)
    time.sleep(0.02)
"""


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (DRIBBLE, 0),
        ("time.sleep(60)", 10_000_000),
    ],
    ids=["half a line", "does not read"],
)
async def test_no_whole_line_in_time_is_a_timeout(tmp_path: Path, body: str, size: int) -> None:
    """However many bytes come meanwhile, or are left in the pipe of the request."""
    worker = await WorkerProcess.start(worker_program(tmp_path, HANDSHAKE + body), timeout=20)
    worker.send({"text": "x" * size})
    async with asyncio.timeout(10):
        with pytest.raises(WorkerTimeout, match=r"0\.2 s"):
            await worker.receive(solution, timeout=0.2)
    await worker.kill()


COMPUTE = """
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
id = json.loads(sys.stdin.readline())["ids"][0]
end = time.process_time() + SECONDS
while time.process_time() < end:
    pass
print(json.dumps({"id": id, "answer": "x"}), flush=True)
"""
HOG = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"


@pytest.mark.skipif(sys.platform != "linux", reason="processor time is known on Linux only")
@pytest.mark.parametrize(("seconds", "gets"), [(0.6, "x"), (60, None)])
async def test_a_process_has_its_seconds_on_a_busy_processor(
    tmp_path: Path, seconds: float, gets: str | None
) -> None:
    """Four others leave it a fifth of the processor; it gets its second, and no more."""
    program = worker_program(tmp_path, HANDSHAKE + COMPUTE.replace("SECONDS", str(seconds)))
    worker = await WorkerProcess.start(program, timeout=20)
    hogs = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", HOG, start_new_session=True)
        for _ in range(4)
    ]
    try:
        began = time.monotonic()
        worker.send({})
        if gets is None:
            with pytest.raises(WorkerTimeout):
                await worker.receive(solution, timeout=1)
        else:
            assert await worker.receive(solution, timeout=1) == gets
        assert 1 < time.monotonic() - began < 10 + 5
    finally:
        for hog in hogs:
            hog.kill()
            await hog.wait()
        await worker.kill()


async def test_the_limit_is_wall_time_where_processor_time_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(clock: int) -> float:
        raise OSError

    program = worker_program(tmp_path, HANDSHAKE + COMPUTE.replace("SECONDS", "60"))
    worker = await WorkerProcess.start(program, timeout=20)
    monkeypatch.setattr("rgenv.pool.process.time.clock_gettime", unknown)
    worker.send({})
    async with asyncio.timeout(1):
        with pytest.raises(WorkerTimeout):
            await worker.receive(solution, timeout=0.2)
    await worker.kill()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit('out of \x1b[31mmemory')", "exit status 1: out of  \\[31mmemory"),
        ("sys.stdin.readline()\nprint('half a line', end='')", "exit status 0"),
        ("sys.stdin.readline()\nos.close(1)\ntime.sleep(60)", "closed a pipe"),
        ("os.close(0)\ntime.sleep(60)", "closed a pipe"),
    ],
)
async def test_a_worker_that_ends_is_a_death(tmp_path: Path, body: str, reason: str) -> None:
    """The error has the exit status and the last line of stderr, without control codes."""
    worker = await WorkerProcess.start(worker_program(tmp_path, HANDSHAKE + body), timeout=20)
    worker.send({})
    with pytest.raises(WorkerDied, match=reason):
        await worker.receive(solution, timeout=20)
    await worker.kill()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.stdin.readline()\nprint('{', flush=True)", "Expecting"),
        ("sys.stdin.readline()\nprint('x' * 5_000_000, flush=True)", "more than 1048576 bytes"),
        ("sys.stdin.readline()\nos.write(2, b'x' * 5_000_000)", "bytes on stderr"),
        ('sys.stdin.readline()\nprint(\'{"answer": "x"}\', flush=True)', "no request"),
        (SENT.replace("[0]", "[0][::-1]"), "no request"),
        (SENT.replace("'answer': 'x'", "'answer': 'x', 'more': 1"), "other keys"),
    ],
)
async def test_a_malformed_reply_ends_its_worker(tmp_path: Path, body: str, reason: str) -> None:
    """The error says what is wrong, and the process is killed at once."""
    program = worker_program(tmp_path, f"{HANDSHAKE}{body}\ntime.sleep(60)")
    worker = await WorkerProcess.start(program, timeout=20)
    worker.send({})
    with pytest.raises(MalformedReply, match=reason):
        await worker.receive(solution, timeout=20)
    with pytest.raises(MalformedReply, match=reason):
        worker.require_usable()
    await worker.kill()
    assert not Path(f"/proc/{worker.pid}").exists()


async def test_a_reply_that_comes_twice_is_believed_once(tmp_path: Path) -> None:
    """The second one ends the worker, so that it can't answer the next request."""
    body = SENT.replace("'x'}), ", "'x'}), end='\\n{}\\n', ")
    worker = await WorkerProcess.start(worker_program(tmp_path, HANDSHAKE + body), timeout=20)
    worker.send({})
    assert await worker.receive(solution, timeout=20) == "x"
    with pytest.raises(MalformedReply, match="not asked for"):
        worker.require_usable()
    await worker.kill()


@pytest.mark.parametrize("then", ["end='\\n{}\\n')", "flush=True)\nprint('{}', flush=True)"])
async def test_a_request_that_failed_has_no_further_replies(tmp_path: Path, then: str) -> None:
    """A line after `failed`, written with it or later, ends the worker."""
    body = HANDSHAKE + SENT.replace("'answer': 'x'}), flush=True)", f"'failed': 'x'}}), {then}")
    worker = await WorkerProcess.start(worker_program(tmp_path, body), timeout=20)
    worker.send({}, replies=2)
    with pytest.raises(WorkerRefused, match="x"):
        await worker.receive(solution, timeout=20)
    async with asyncio.timeout(20):
        with pytest.raises((MalformedReply, WorkerDied), match="not asked for"):
            while True:
                worker.require_usable()
                await asyncio.sleep(0.01)
    await worker.kill()


async def test_a_start_that_the_system_refuses_is_a_death(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = worker_program(tmp_path, HANDSHAKE)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    with pytest.raises(WorkerDied, match=r"could not be started: .*No such file"):
        await WorkerProcess.start(settings, timeout=20)


async def test_a_cancelled_start_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = tmp_path / "folders"  # of workers, as their working directories
    folders.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folders))
    settings = worker_program(tmp_path, HANDSHAKE)
    starting = asyncio.create_task(WorkerProcess.start(settings, timeout=60))
    await asyncio.sleep(0)
    assert len(list(folders.iterdir())) == 1
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert list(folders.iterdir()) == []
