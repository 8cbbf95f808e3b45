"""The measurement of shortcuts by task and level."""

import json
import subprocess
import sys

from benchmarks.shortcuts import measure, parse_options
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.paths import ROOT


def test_the_library_s_problems_are_solved_and_the_chosen_ones_are_not() -> None:
    """The distance without walls is right in most mazes, and in fewer of those that are chosen."""
    maker = ProblemMaker(strict=True)
    options = parse_options(["--problems", "30", "--undrawn"])
    record = measure(maker, "maze", None, options)
    assert record["best"] == "distance without walls" and record["solved"] > 0.5
    assert record["excess"] > 0.25 and record["any"] > 0.8
    chosen = measure(maker, "maze", None, parse_options(["--problems", "30"]))
    assert chosen["rules"]["distance without walls"] < 0.5


def test_guesses_are_measured_apart() -> None:
    """A constant answer counts as a guess, not as the best rule."""
    record = measure(
        ProblemMaker(strict=True), "mahjong_puzzle", 1.0, parse_options(["--problems", "12"])
    )
    assert record["guessed"] > 0 and not str(record["best"]).startswith("guess: ")


def test_the_report_is_json() -> None:
    """The program prints one record for each task and level."""
    command = [sys.executable, "benchmarks/shortcuts.py", "--problems", "3"]
    command += ["--tasks", "lcm", "spell_backward", "--levels", "null", "0.5"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    report = json.loads(printed)
    assert {task: set(levels) for task, levels in report["tasks"].items()} == {
        "lcm": {"None", "0.5"},
        "spell_backward": {"None", "0.5"},
    }
