"""rgenv/pool/process.py: the parent's side of one worker process."""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from rgenv.pool.process import ROOT, WorkerDied, WorkerProcess, WorkerTimeout, worker_environment
from tests.support.worker_programs import ECHO, HANDSHAKE, worker_program


async def test_requests_and_replies_are_json_lines(tmp_path: Path) -> None:
    """Any text is sent and received unchanged, line breaks and lone surrogates included."""
    worker = await WorkerProcess.start(worker_program(tmp_path, ECHO), timeout=20)
    for request in ({"text": "line\nbreak \ud800 \u2028 é"}, {"many": ["x" * 70_000] * 3}):
        await worker.send(request)
        assert await worker.receive(timeout=20) == request
    await worker.kill()


async def test_no_whole_line_in_time_is_a_timeout(tmp_path: Path) -> None:
    """Half a line is no reply, so `receive` raises WorkerTimeout after its limit."""
    body = HANDSHAKE + "print('half a li', end='', flush=True)\ntime.sleep(60)"
    worker = await WorkerProcess.start(worker_program(tmp_path, body), timeout=20)
    with pytest.raises(WorkerTimeout, match=r"0\.2 s"):
        await worker.receive(timeout=0.2)
    await worker.kill()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit('out of memory')", "exit status 1: out of memory"),
        ("print('half a line', end='')", "exit status 0"),
        ("print('[1, 2]', flush=True)\ntime.sleep(60)", "not a JSON object"),
        ("print('{', flush=True)\ntime.sleep(60)", "not a JSON object"),
        ("print('x' * 5_000_000, flush=True)\ntime.sleep(60)", "more than 4194304 bytes"),
    ],
)
async def test_an_invalid_reply_is_a_death(tmp_path: Path, body: str, reason: str) -> None:
    """The error says whether the process ended or what was wrong with its line."""
    worker = await WorkerProcess.start(worker_program(tmp_path, HANDSHAKE + body), timeout=20)
    with pytest.raises(WorkerDied, match=reason):
        await worker.receive(timeout=20)
    await worker.kill()


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which workers get their working directories."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "folders"))
    (tmp_path / "folders").mkdir()
    return tmp_path / "folders"


async def test_a_failed_start_leaves_no_folder(tmp_path: Path, folders: Path) -> None:
    """If there is no handshake in time, the working directory of the worker is removed."""
    with pytest.raises(WorkerTimeout):
        await WorkerProcess.start(worker_program(tmp_path, "time.sleep(60)"), timeout=0.3)
    assert list(folders.iterdir()) == []


async def test_a_cancelled_start_leaves_no_folder(tmp_path: Path, folders: Path) -> None:
    """A start that is cancelled before there is a process removes the working directory too."""
    settings = worker_program(tmp_path, ECHO)
    starting = asyncio.create_task(WorkerProcess.start(settings, timeout=60))
    await asyncio.sleep(0)
    assert len(list(folders.iterdir())) == 1
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert list(folders.iterdir()) == []


async def test_kill_is_idempotent(tmp_path: Path) -> None:
    """After `kill` the process is gone, `send` does nothing and `receive` raises WorkerDied."""
    worker = await WorkerProcess.start(worker_program(tmp_path, ECHO), timeout=20)
    await worker.kill()
    await worker.kill()
    assert not Path(f"/proc/{worker.pid}").exists()
    await worker.send({"anyone": "there"})
    with pytest.raises(WorkerDied):
        await worker.receive(timeout=5)


def test_the_environment_of_a_worker_has_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a fixed hash seed and the import path, and no other variables of the parent."""
    monkeypatch.setenv("HF_TOKEN", "secret")
    environment = worker_environment("/somewhere")
    assert environment["PYTHONHASHSEED"] == "0"
    assert "HF_TOKEN" not in environment
    assert environment["PYTHONPATH"].split(os.pathsep)[:2] == ["/somewhere", str(ROOT)]
    assert "secret" not in environment.values()


def test_the_parent_imports_neither_atropos_nor_reasoning_gym() -> None:
    """Importing the pool and the rollouts imports no heavy library."""
    program = (
        "import rgenv.pool.pool, rgenv.rollouts.dump, rgenv.rollouts.group, sys\n"
        "print({'atroposlib', 'wandb', 'reasoning_gym', 'sympy', 'numpy'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr
