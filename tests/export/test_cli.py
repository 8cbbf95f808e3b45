"""rgenv/export/cli.py: the command `export`."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rgenv.export.cli import main
from rgenv.pool.pool import WorkerPool
from tests.support.exported import problem
from tests.support.paths import ROOT
from tests.support.polling import until
from tests.support.samples import sample
from tests.support.viewed import DUMP, row, trainer_group, write_lines


def command(*words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, "reasoning_gym_environment.py", "export", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        **more,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the following arguments are required: FOLDER"),
        (["nowhere"], "nowhere does not exist: name the folder of a run, or a file"),
        (["empty"], "here are no groups. Name a folder that `serve` or `process` wrote"),
        (["foreign.jsonl", "--output", "x.jsonl"], "here are no groups"),
        ([".", "--output", "x.csv"], "x.csv: name a file that ends with .jsonl or .parquet"),
        ([".", "--output", "empty"], "empty: name a file that ends with .jsonl or .parquet"),
        ([".", "--output", "no/x.jsonl"], "no is not a folder: create it first"),
        ([".", "--output", "best.jsonl"], "best.jsonl exists: add --force to replace it, or name"),
        ([".", "--force", "--output", "run.jsonl"], "run.jsonl is a file of the run: name another"),
        ([".", "--tasks", "gdc"], "--tasks: No task or category is called 'gdc'. Did you mean gcd"),
        ([".", "--min-score", "2"], "'2' is not a number from 0 to 1"),
        ([".", "--min-level", "x"], "'x' is not a number from 0 to 1"),
        ([".", "--min-level=0.5", "--max-level=0.2"], "--min-level is above --max-level"),
        ([".", "--per-problem", "0"], "'0' is not a positive whole number"),
        ([".", "--workers", "2000"], "2000 is more than 1024"),
        ([".", "--pears"], "unrecognized arguments: --pears"),
    ],
)
def test_bad_usage(
    words: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A mistake is one sentence and exit code 2, and no file is touched."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write_lines(tmp_path / "foreign.jsonl", {"foreign": 1})
    write_lines(tmp_path / "run.jsonl", problem("a"))
    write_lines(tmp_path / "best.jsonl", {"messages": []})
    before = {path: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error and len(error.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.glob("*.jsonl")} == before


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([problem("a", [0.5, 0.0])], "1 groups in which no completion scores 0.99"),
        ([problem("a", [1.0], finish_reasons=["length"])], "1 completions that were cut"),
        ([trainer_group("a")], "1 groups without texts (`process` saves them with include_mess"),
        ([sample("gcd", 7, 1.0)], "1 samples of evaluations"),
    ],
)
def test_nothing_to_export(
    lines: list[Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reasons are one line with exit code 1, and no file is written."""
    write_lines(tmp_path / DUMP, *lines)
    assert main([str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: export: Nothing can be exported. Left out: ") and said in error
    assert [path.name for path in tmp_path.iterdir()] == [DUMP]


@pytest.mark.slow
async def test_the_command(pool: WorkerPool, tmp_path: Path) -> None:
    """It writes the problems of training, and says what it left out."""
    made = [await pool.make("gcd", seed) for seed in range(12)]
    lines = [
        row(f"g{p.seed}", recipe=p.recipe, question=p.prompt, task="gcd", level=p.level)
        for p in made
    ]
    write_lines(tmp_path / "run" / DUMP, *lines)
    training = [f"g{p.seed}" for p in made if not p.held_out]
    assert 0 < len(training) < 12
    done = await asyncio.to_thread(command, tmp_path / "run")
    output = tmp_path / "run" / "best.jsonl"
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"{len(training)} completions of {len(training)} problems in {output} (0.0 MB). "
        f"Left out: {12 - len(training)} groups whose problem is held out for evaluation.\n"
    )
    rows = [json.loads(line) for line in output.read_bytes().splitlines()]
    assert [row["group"] for row in rows] == training


def _little_disk() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.soak
async def test_a_disk_that_fills_up(pool: WorkerPool, tmp_path: Path) -> None:
    """One sentence, exit code 1, the old file, and no other."""
    made = [p for p in [await pool.make("gcd", s) for s in range(40)] if not p.held_out]
    lines = [row(f"g{p.seed}", recipe=p.recipe, question=p.prompt) for p in made]
    write_lines(tmp_path / "run" / DUMP, *lines)
    output = tmp_path / "best.jsonl"
    output.write_text("old")
    words = [tmp_path / "run", "--output", output, "--force", "--workers", 1]
    done = await asyncio.to_thread(command, *words, preexec_fn=_little_disk)
    assert done.returncode == 1
    assert f"\nerror: export: {output}: File too large." in f"\n{done.stderr}"
    assert output.read_text() == "old" and len(list(tmp_path.iterdir())) == 2


@pytest.mark.soak
async def test_a_signal(tmp_path: Path) -> None:
    """It ends the command with its code, and leaves no file behind."""
    lines = [
        problem(f"g{n}", number=n, recipe={"task": "gcd", "config": {}, "seed": n})
        for n in range(999)
    ]
    write_lines(tmp_path / DUMP, *lines)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("reasoning_gym_environment.py", "export", str(tmp_path), "--workers", "1"),
        cwd=ROOT,
        stderr=subprocess.PIPE,
    )
    await until(lambda: len(list(tmp_path.iterdir())) == 2)
    os.kill(process.pid, signal.SIGTERM)
    _, error = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 143
    assert b"Ended: signal SIGTERM; nothing was written." in error
    assert [path.name for path in tmp_path.iterdir()] == [DUMP]
