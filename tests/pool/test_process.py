"""rgenv/pool/process.py: one worker process, seen from its parent."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rgenv.pool.process
from rgenv.pool.process import ROOT, WorkerDied, WorkerProcess, WorkerTimeout, worker_environment
from rgenv.worker.protocol import WorkerSettings


def stand_in(folder: Path, body: str) -> WorkerSettings:
    """Settings under which `rgenv.worker` is a program that a test wrote."""
    package = folder / "rgenv"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "worker.py").write_text(f"import json, os, sys, time\n{body}\n")
    return WorkerSettings(import_path=str(folder))


HELLO = "print(json.dumps({'ready': True}), flush=True)\n"
ECHO = HELLO + "for line in sys.stdin:\n    print(line, end='', flush=True)"


async def test_requests_and_replies_are_json_lines(tmp_path: Path) -> None:
    """What is sent comes back as it was, whatever characters are in it."""
    worker = await WorkerProcess.start(stand_in(tmp_path, ECHO), timeout=20)
    for request in ({"text": "line\nbreak \ud800 \u2028 é"}, {"many": ["x" * 70_000] * 3}):
        await worker.send(request)
        assert await worker.receive(timeout=20) == request
    await worker.kill()


async def test_silence_is_a_timeout(tmp_path: Path) -> None:
    """No whole line within the limit: the caller decides what to do with the process."""
    body = HELLO + "print('half a li', end='', flush=True)\ntime.sleep(60)"
    worker = await WorkerProcess.start(stand_in(tmp_path, body), timeout=20)
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
async def test_what_is_no_reply_is_a_death(tmp_path: Path, body: str, reason: str) -> None:
    """An end, a torn line, other JSON, no JSON and a flood all say what they were."""
    worker = await WorkerProcess.start(stand_in(tmp_path, HELLO + body), timeout=20)
    with pytest.raises(WorkerDied, match=reason):
        await worker.receive(timeout=20)
    await worker.kill()


async def test_a_start_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No handshake, no process and no folder."""
    folders: list[str] = []
    make = rgenv.pool.process.tempfile.mkdtemp
    monkeypatch.setattr(
        rgenv.pool.process.tempfile,
        "mkdtemp",
        lambda **kw: folders.append(make(**kw)) or folders[-1],
    )
    with pytest.raises(WorkerTimeout):
        await WorkerProcess.start(stand_in(tmp_path, "time.sleep(60)"), timeout=0.3)
    assert len(folders) == 1 and not os.path.exists(folders[0])


async def test_killing_is_final_and_repeatable(tmp_path: Path) -> None:
    """After kill the process is gone; sending is harmless, receiving says it died."""
    worker = await WorkerProcess.start(stand_in(tmp_path, ECHO), timeout=20)
    await worker.kill()
    await worker.kill()
    assert not Path(f"/proc/{worker.pid}").exists()
    await worker.send({"anyone": "there"})
    with pytest.raises(WorkerDied):
        await worker.receive(timeout=5)


def test_the_environment_of_a_worker_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixed hash seed, one thread a library, and nothing secret of ours."""
    monkeypatch.setenv("HF_TOKEN", "secret")
    environment = worker_environment("/somewhere")
    assert environment["PYTHONHASHSEED"] == "0"
    assert environment["PYTHONPATH"].split(os.pathsep)[:2] == ["/somewhere", str(ROOT)]
    assert "secret" not in environment.values()


def test_the_parent_side_needs_neither_atropos_nor_reasoning_gym() -> None:
    """The pool and the rollouts are imported without Atropos and without the tasks."""
    program = (
        "import rgenv.pool.pool, rgenv.rollouts.dump, rgenv.rollouts.group, sys\n"
        "print({'atroposlib', 'wandb', 'reasoning_gym', 'sympy', 'numpy'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr
