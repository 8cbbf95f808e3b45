"""Results: one JSON line for each run, appended when it is complete.

    done = read(path, stamp)          # {("mopps", 3): {...}} of runs with this fingerprint
    append(path, {"arm": "mopps", "seed": 3, "fingerprint": stamp, ...})

A run that was killed has no line and is done again. The fingerprint is a hash of the code that
determines a run of an arm: this package without what reads results, and for an arm that uses the
environment's sampler or curriculum, their code. A change there makes new runs, not wrong tables;
a change of a docstring does not.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.learning.tasks import LEVELS
from rgenv.measured import TASKS

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.jsonl"
SHARED = ("grpo.py", "model.py", "problems.py", "tasks.py", "tokens.py", "training.py", "warmup.py")
CURRICULUM = ("difficulty.py", "level_estimate.py", "blind.py")
SAMPLER = ("task_sampler.py", "stream.py")
Run = dict[str, Any]


def fingerprint(arm_file: str, *, curriculum: bool, sampler: bool) -> str:
    """Return the hash of the code that determines the runs of an arm.

    Args:
        arm_file: the name of its module in `arms`.
        curriculum, sampler: whether it uses those of the environment.
    """
    files = [HERE / name for name in SHARED]
    files += [HERE / "arms" / name for name in ("base.py", arm_file)]
    if curriculum:
        files += [HERE / "arms" / "uniform.py"]
        files += [ROOT / "rgenv" / "dataset" / name for name in CURRICULUM]
    if sampler:
        files += [ROOT / "rgenv" / "dataset" / name for name in SAMPLER]
    digest = hashlib.sha256()
    if curriculum:
        digest.update(str({task: one.blind for task, one in TASKS.items()}).encode())
    for path in sorted(set(files)):
        if path.exists():
            digest.update(f"{path.name}\0{code_of(path)}".encode())
    return digest.hexdigest()[:12]


def code_of(path: Path) -> str:
    """Return the text of a file; of a module, without docstrings and empty lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[number - 1] = ""
    return "\n".join(line for line in lines if line.strip())


def primary(accuracy: Mapping[str, Sequence[float]]) -> float:
    """Return the primary measure: the mean over tasks and `LEVELS`, without the harder level."""
    return fmean(fmean(levels[: len(LEVELS)]) for levels in accuracy.values())


def read(path: Path) -> list[Run]:
    """Return the complete lines of a file; a line that was cut off is left out."""
    if not path.exists():
        return []
    runs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            runs.append(json.loads(line))
        except ValueError:
            continue
    return runs


def is_done(runs: Iterable[Run], arm: str, seed: int, stamp: str, size: Mapping[str, Any]) -> bool:
    """Return whether a run is among the results."""
    wanted = {"arm": arm, "seed": seed, "fingerprint": stamp, "size": size}
    return any({name: run.get(name) for name in wanted} == wanted for run in runs)


def append(path: Path, run: Run) -> None:
    """Append a run, on a line of its own even after one that was cut off."""
    text = json.dumps(run, separators=(",", ":")) + "\n"
    with path.open("a+b") as file:
        if file.tell() and path.read_bytes()[-1:] != b"\n":
            text = "\n" + text
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
