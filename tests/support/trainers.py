"""Run programs in the environments of other trainers, which `make test-trainers` installs.

What runs there is the wheel of this tree, and never the tree: a program starts in a folder of its
own, and only the packages `examples` and `tests` are linked into it.
"""

import asyncio
import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from rgenv.task_names import KNOWN_TASKS
from scripts.test_wheel import build
from tests.support.paths import ROOT
from tests.support.programs import run_python
from tests.test_conformance import recorded
from tests.test_hostile import DANGEROUS, hostile_answers

Test = TypeVar("Test", bound=Callable[..., Any])

FRAMEWORKS = ROOT / "tests" / "support" / "frameworks"
"""Doubles of the frameworks: as much of each as the adapters import."""

LONGEST = 20_000
"""Characters of a hostile answer; the few longer ones would make the files large."""


def folder_of(trainer: str) -> Path:
    return ROOT / f".venv-{trainer}"


def needs(trainer: str) -> list[pytest.MarkDecorator]:
    missing = not (folder_of(trainer) / "bin" / "python").exists()
    reason = f"{trainer} is not installed: make test-trainers"
    return [pytest.mark.soak, pytest.mark.skipif(missing, reason=reason)]


def against(trainer: str) -> Callable[[Test], Test]:
    """Mark a test as one against a trainer."""

    return lambda test: functools.reduce(lambda marked, mark: mark(marked), needs(trainer), test)


@functools.cache
def installed(trainer: str) -> Path:
    """Install the wheel of this tree into a trainer's environment; return its programs."""
    python = folder_of(trainer) / "bin" / "python"
    words = ["--python", python, "install", "-q", "--no-deps", "--force-reinstall", wheel()]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return python.parent


@functools.cache
def wheel() -> Path:
    """Build the wheel of this tree."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _, path = build(folder)
    return path


def run(trainer: str, *words: object, cwd: Path, **variables: str) -> str:
    """Run a program of a trainer's environment, and return what it prints."""
    bin_folder = installed(trainer)
    for package in ("examples", "tests"):
        if not (cwd / package).exists():
            (cwd / package).symlink_to(ROOT / package)
    settings = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": "",
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "HOME": str(cwd),  # files that frameworks write on their own
        **variables,
    }
    done = subprocess.run(
        [str(bin_folder / str(words[0])), *map(str, words[1:])],
        cwd=cwd,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    return done.stdout


async def run_while_serving(trainer: str, *words: object, cwd: Path, **variables: str) -> str:
    """Do the same in a thread, so that a server in this event loop can answer meanwhile."""
    return await asyncio.to_thread(run, trainer, *words, cwd=cwd, **variables)


Row = tuple[dict[str, Any], str]
"""A recipe, and a completion."""


def recorded_rows(
    tasks: Collection[str] = KNOWN_TASKS, rows: int = 10**6
) -> list[tuple[str, int, str]]:
    """Return task, seed and completion of recorded answers, and of hostile ones."""
    found = [
        (task, seed, row["completion"])
        for (task, seed), group in recorded().items()
        for row in group
        if task in tasks
    ]
    hostile = [text for text in hostile_answers(Path("/nowhere/marker")) if len(text) < LONGEST]
    found += [(task, 1, f"<answer>{text}</answer>") for task in DANGEROUS for text in hostile]
    return found[:: max(1, len(found) // rows)]


def run_over_doubles(*words: str, cwd: Path) -> str:
    """Run a Python program where doubles stand for the frameworks; return what it prints."""
    path = {"PYTHONPATH": f"{ROOT}{os.pathsep}{FRAMEWORKS}"}
    return run_python(*words, cwd=cwd, env=os.environ | path).stdout


def scores_by_adapter(
    adapter: str, rows: Sequence[Row], cwd: Path, *, real: bool, opened: bool = False
) -> list[float]:
    """Score rows by an adapter, in the environment of its trainer or over doubles."""
    (cwd / "rows.json").write_text(json.dumps(rows))
    words = ["-m", "tests.support.score_by_adapter", adapter, "rows.json"]
    words += ["opened"] if opened else []
    printed = run(adapter, "python", *words, cwd=cwd) if real else run_over_doubles(*words, cwd=cwd)
    return json.loads(printed)
