"""tools/real_answers.py: scores answers, goes on where it ended, and counts differences."""

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rgenv.pool.pool import WorkerPool
from tools import real_answers

pytestmark = pytest.mark.slow


async def row(pool: WorkerPool, seed: int, *texts: str, **changes: Any) -> dict[str, Any]:
    made = await pool.make("gcd", seed)
    about: dict[str, Any] = {
        "task": "gcd",
        "difficulty": "easy",
        "config": {},
        "seed": seed - 1,
        "index": 1,
    }
    answers = [{"text": text, "models": {"m": 2, "n": 1}} for text in texts]
    about |= {"question": made.question, "reference": made.answer, "answers": answers}
    return about | changes


async def test_answers_are_scored_once_and_differences_are_counted(
    pool: WorkerPool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cut line is scored again; a decision in JUDGED counts more than our score."""
    problems = [await pool.make("gcd", seed) for seed in (5, 6)]
    right = [str(problem.answer) for problem in problems]
    rows = [
        await row(pool, 5, right[0], f"{right[0]}.0", "0"),
        await row(pool, 6, right[1]),
        await row(pool, 7, "1", question="another?"),
    ]
    file, results, judged = (tmp_path / name for name in ("a.jsonl.gz", "r.jsonl", "j.json"))
    file.write_bytes(gzip.compress("".join(f"{json.dumps(one)}\n" for one in rows).encode()))
    words = [str(file), str(results)]
    assert await asyncio.to_thread(real_answers.main, words) == 0
    first = results.read_text()
    assert len(first.splitlines()) == 3 and "Scoring" in capsys.readouterr().err
    results.write_text(first[:-20])
    judged.write_text(json.dumps({"gcd 0 2": True}))
    words += ["--judged", str(judged), "--show", "1"]
    assert await asyncio.to_thread(real_answers.main, words) == 0
    assert results.read_text() == first
    shown = capsys.readouterr().out
    [gcd] = [line.split() for line in shown.splitlines() if line.startswith("gcd")]
    assert gcd == ["gcd", "12", "0", "6", "0", "3"]
    assert "1 answers were checked; of all others" in shown
    assert "1 problems left out, library: another question" in shown
    assert f"== gcd 0 1: only ours pays\n{right[0]}.0\n-- {right[0]}" in shown


@pytest.mark.parametrize("content", [None, "no JSON", '{"task": "gcd"}'])
def test_another_file_is_refused(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "a.jsonl").write_text(content)
    assert real_answers.main([str(tmp_path / "a.jsonl"), str(tmp_path / "r")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
