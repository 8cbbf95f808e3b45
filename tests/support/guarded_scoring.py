"""Score honest and hostile answers in a child process, with or without the guard.

The parent calls `start`, then `results`. The child runs this module as a program::

    python -m tests.support.guarded_scoring MODE FOLDER

It reads FOLDER/request.json, works in FOLDER, and writes FOLDER/MODE.json. Modes: ``plain``, honest
answers without the guard; ``guarded``, honest answers with it; ``hostile``, given texts with it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rgenv.worker import levels
from rgenv.worker.guard import guard
from rgenv.worker.operations import rejection
from tests.support.library import make_entry
from tests.support.paths import ROOT

Recipe = tuple[str, int, float | None]
"""Task, seed, and level; None for the task's default parameters."""

FORMS = ["{}", "<answer>{}</answer>"]
LIST_TASKS = ["binary_matrix", "n_queens", "spiral_matrix", "string_insertion"]
"""Tasks whose verifiers call eval on a list."""

_FORMULAS = ["2(3 + 4)", "3*(4 + 5)", "x**2 + x + C", "3 + 4", "24 == 24", "0.1[6] + 2 % 3"]


def start(mode: str, request: Any, folder: Path) -> subprocess.Popen[bytes]:
    """Start a child on `request`: recipes, or for ``hostile`` pairs of task and text."""
    (folder / "request.json").write_text(json.dumps(request))
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", __name__, mode, str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"},
        stdout=subprocess.DEVNULL,
    )


def results(process: subprocess.Popen[bytes], mode: str, folder: Path, timeout: float) -> Any:
    """Return the child's results; fail if it does not end within `timeout` seconds."""
    try:
        assert process.wait(timeout) == 0
    finally:
        process.kill()
    return json.loads((folder / f"{mode}.json").read_text())


def score_honest(recipes: list[Recipe]) -> dict[str, list[Any]]:
    """Return the scores of all honest answers in both forms, by recipe."""
    scores = {}
    for task, seed, level in recipes:
        config = {} if level is None else levels.level_config(task, level)
        dataset, entry = make_entry(task, seed, config)
        right = _solution(task, entry)
        if task == "codeio" and len(right) > 200:
            continue  # without the guard, scoring a wrong answer to a long one takes minutes
        texts = [form.format(text) for text in _honest_answers(task, right) for form in FORMS]
        scores[f"{task} {seed} {level}"] = [_score(dataset, entry, task, text) for text in texts]
    return scores


def score_hostile(cases: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return score, CPU seconds, and the reason for the rejection of each task and text."""
    found = []
    made = functools.cache(lambda task: make_entry(task, 0, {}))
    for task, text in cases:
        dataset, entry = made(task)
        guard.take_rejection()
        started = time.process_time()
        reason, score = rejection(task, text), 0.0
        if reason is None:
            with contextlib.suppress(guard.Rejected):  # some verifiers do not swallow it
                score = dataset.score_answer(text, entry)
            reason = guard.take_rejection()
        found.append({"score": score, "seconds": time.process_time() - started, "reason": reason})
    return found


def _score(dataset: Any, entry: Any, task: str, text: str) -> Any:
    """Return the score, or the name of what the guard or the verifier raised."""
    guard.take_rejection()
    try:
        refused = rejection(task, text)
        score = "refused" if refused else dataset.score_answer(text, entry)
    except Exception as error:  # foreign code: what it raises is compared
        score = type(error).__name__
    return guard.take_rejection() or score


def _solution(task: str, entry: Any) -> str:
    """Return a right answer, or one of the right shape if the entry has none."""
    metadata = entry["metadata"]
    given = {
        "propositional_logic": lambda: metadata["example_answer"],
        "rubiks_cube": lambda: metadata["example_correct_answer"],
        "graph_color": lambda: json.dumps(metadata["possible_answer"]),
        "rush_hour": lambda: "A+1 B-1 C+2 A-1 H+3",
        "boxnet": lambda: '[{"Agent[0.5, 0.5]": "move(box_red, square[0.5, 1.5])"}]',
    }
    return given[task]() if task in given else entry["answer"]


def _honest_answers(task: str, right: str) -> list[str]:
    """Return the right answer, wrong ones of its shape, other ways to write it, and prose."""
    rows = [[int(c) if c.isdigit() else c for c in row.split()] for row in right.split("\n")]
    words = right.split()
    return [
        right,
        right + "1",
        right[:-1],
        re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), right, count=1),
        " ".join(words[::-1]),
        repr(rows),
        repr([cell for row in rows for cell in row]),
        repr([[str(cell) for cell in row] for row in rows]),
        repr(list(right)) if len(right) < 500 else "[]",
        right.replace("**", "^"),
        f"{right} = 24",
        f"The answer is {right[:500]}.",
        "I don't know",
        "",
        *([] if task in LIST_TASKS else _FORMULAS),  # nobody answers a formula for a list
    ]


def main(mode: str, folder: Path) -> None:
    if mode != "plain":
        guard.install()
    work = score_hostile if mode == "hostile" else score_honest
    request = json.loads((folder / "request.json").read_text())
    (folder / f"{mode}.json").write_text(json.dumps(work(request), default=float))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
