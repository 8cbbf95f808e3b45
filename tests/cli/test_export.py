"""rgenv/cli/export.py: the command `export`."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rgenv.cli.entry import answer
from rgenv.pool.pool import WorkerPool
from tests.support.exported import problem
from tests.support.paths import ROOT
from tests.support.polling import until
from tests.support.samples import sample
from tests.support.viewed import DUMP, row, trainer_group, write_lines


def test_nothing_to_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roles = [{"role": role, "content": "4"} for role in ("environment", "agent")]
    other = {"item_id": "gcd", "rollouts": [{"conversation": roles, "score": 1.0}]}
    lines = [problem("a", [0.5, 0.0]), problem("b", [1.0], finish_reasons=["length"])]
    write_lines(tmp_path / DUMP, *lines, trainer_group("c"), sample("gcd", 7, 1.0), other)
    assert answer(["export", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        "error: export: Nothing can be exported. Left out: 1 sample of evaluations; 1 group "
        "without texts (`process` saves them with include_messages, `serve` with dump_rollouts); "
        "1 group whose messages are not of a user and, at the end, an assistant; 1 group in which "
        "no completion scores 0.99; 1 completion cut at the token limit.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == [DUMP]


@pytest.mark.slow
async def test_the_command(
    pool: WorkerPool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [await pool.make("gcd", seed) for seed in range(12)]
    lines = (row(f"g{p.seed}", recipe=p.recipe, question=p.question, level=None) for p in made)
    write_lines(tmp_path / DUMP, *lines)
    training = [f"g{p.seed}" for p in made if not p.held_out]
    assert 0 < len(training) < 12
    assert await asyncio.to_thread(answer, ["export", str(tmp_path)]) == 0
    output = tmp_path / "best.jsonl"
    assert capsys.readouterr().out == (
        f"{len(training)} completions of {len(training)} problems in {output} "
        f"({round(output.stat().st_size / 1000)} kB). "
        f"Left out: {12 - len(training)} groups whose problem is held out for evaluation.\n"
    )
    rows = [json.loads(line) for line in output.read_bytes().splitlines()]
    assert [row["group"] for row in rows] == training


@pytest.mark.soak
async def test_a_signal(tmp_path: Path) -> None:
    recipe = {"task": "gcd", "config": {}, "seed": 1}
    lines = [problem(f"g{n}", number=n, recipe={**recipe, "seed": n}) for n in range(999)]
    write_lines(tmp_path / DUMP, *lines)
    words = ("reasoning_gym_environment.py", "export", str(tmp_path), "--workers", "1")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, cwd=ROOT, stderr=subprocess.PIPE
    )
    await until(lambda: len(list(tmp_path.iterdir())) == 2)
    os.kill(process.pid, signal.SIGTERM)
    _, error = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 143
    assert b"Ended: signal SIGTERM; nothing was written." in error
    assert [path.name for path in tmp_path.iterdir()] == [DUMP]
