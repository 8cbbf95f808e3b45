"""rgenv/evaluation/report.py: what an evaluation leaves beside its answers."""

import json
import os
from pathlib import Path

from rgenv.evaluation.metrics import metrics
from rgenv.evaluation.report import earlier_run, write

ABOUT = {"model": "m", "set": "abc"}


def sample(number: int, correct: bool = True) -> dict:
    return {
        "id": f"gcd/{number}/none/0",
        "task": "gcd",
        "category": "arithmetic",
        "level": None,
        "seed": number,
        "sample": 0,
        "question": "What?",
        "gold_answer": "1",
        "gold_parsed": "1",
        "messages": [{"role": "assistant", "content": "x"}],
        "model_parsed": "1",
        "response_after_think": "x",
        "score": float(correct),
        "correct": correct,
        "verdict": "scored",
        "finish_reason": "stop",
        "completion_tokens": 5,
        "recipe": {},
    }


def finished(folder: Path, numbers: list[int], age: float) -> None:
    """An evaluation that ended `age` seconds ago."""
    folder.mkdir(parents=True)
    lines = [json.dumps(sample(number)) + "\n" for number in numbers]
    (folder / "samples.jsonl").write_text("".join(lines))
    (folder / "metrics.json").write_text("{}")
    os.utime(folder / "metrics.json", (1e9 - age, 1e9 - age))


def test_the_newest_run_with_common_items_is_compared_with(tmp_path: Path) -> None:
    """Not this one, not one of other items, not one that never ended."""
    now = tmp_path / "now"
    finished(tmp_path / "old", [1, 2], age=300)
    finished(tmp_path / "newer", [2, 3], age=200)
    finished(tmp_path / "others", [8, 9], age=100)
    finished(now, [1, 2, 3], age=0)
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "samples.jsonl").write_text(json.dumps(sample(1)) + "\n")
    found = earlier_run(now, {sample(number)["id"] for number in (1, 2, 3)})
    assert found is not None and found[0] == "newer"
    assert [s["seed"] for s in found[1]] == [2, 3]
    assert earlier_run(now, {"gcd/77/none/0"}) is None


def test_a_page_and_plots_are_written(tmp_path: Path) -> None:
    """With the comparison when there is something to compare with."""
    samples = [sample(number, correct=number % 3 > 0) for number in range(12)]
    for name in ("run-one", "run-two"):
        folder = tmp_path / name
        folder.mkdir()
        write(folder, samples, metrics(samples), ABOUT)
        (folder / "metrics.json").write_text("{}")
        (folder / "samples.jsonl").write_text("".join(json.dumps(s) + "\n" for s in samples))
    pages = [(tmp_path / name / "report.html").read_text() for name in ("run-one", "run-two")]
    assert all(page.startswith("<!doctype html>") or "<html" in page[:200] for page in pages)
    assert "run-one" in pages[1] and "run-one" not in pages[0]
    assert list((tmp_path / "run-two").glob("*.png"))
