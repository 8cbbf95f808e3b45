"""The command runs arms over seeds, on a real gym, and goes on where it was killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="learners need requirements-learn.txt")

from benchmarks.learning.__main__ import main, seeds
from benchmarks.learning.command import run_all
from benchmarks.learning.results import read
from benchmarks.learning.training import Size
from tests.support.paths import ROOT

SIZE = Size(budget=400, groups=2, group=4, checkpoints=2, problems=2, last_problems=2)
ARMS = ["uniform", "ours"]
TASKS = ["spell_backward", "chain_sum"]


def run(folder: Path, numbers: list[int]) -> int:
    """Do the runs that are missing in a folder."""
    return run_all(
        ARMS,
        numbers,
        output=folder / "results.jsonl",
        cache=folder,
        size=SIZE,
        tasks=TASKS,
        bank=40,
        warmup_steps=4,
    )


@pytest.mark.slow
def test_all_arms_of_a_seed_come_before_the_next_and_none_is_run_twice(tmp_path: Path) -> None:
    """A second command does what is missing alone, and both arms of a seed start alike."""
    assert run(tmp_path, [1]) == 2
    assert run(tmp_path, [1, 2]) == 2
    runs = read(tmp_path / "results.jsonl")
    assert [(r["seed"], r["arm"]) for r in runs] == [(s, arm) for s in (1, 2) for arm in ARMS]
    for arm in runs:
        assert arm["checkpoints"][0]["tokens"] == 0
        assert arm["checkpoints"][-1]["tokens"] == arm["tokens"] >= SIZE.budget
        assert set(arm["checkpoints"][-1]["accuracy"]) == set(TASKS)
    for first, second in (runs[:2], runs[2:]):
        assert first["before"] == second["before"]


@pytest.mark.slow
def test_a_run_that_is_killed_costs_itself_alone(tmp_path: Path) -> None:
    """After kill -9 in the middle of the second run, only that one is done again."""
    code = (
        "import sys, pathlib; from tests.benchmarks.learning.test_command import run; "
        "print(run(pathlib.Path(sys.argv[1]), [1]))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not read(tmp_path / "results.jsonl") and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert [run["arm"] for run in read(tmp_path / "results.jsonl")] == ["uniform"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert [run["arm"] for run in read(tmp_path / "results.jsonl")] == ARMS


def test_seeds_are_read_as_ranges() -> None:
    """Ranges and numbers may be mixed."""
    assert seeds("1-3,7") == [1, 2, 3, 7]


def test_an_unknown_arm_is_named_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """The message says what may be written."""
    with pytest.raises(SystemExit) as ended:
        main(["run", "--arms", "best"])
    assert ended.value.code == 2
    assert "no arm is called 'best'" in capsys.readouterr().err
