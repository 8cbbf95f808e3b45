"""The measurement of levels: its statistics, its child process and its report."""

import json
import subprocess
import sys

import pytest

from benchmarks.levels import maker
from benchmarks.levels.correlation import correlations, progress, spearman
from tests.support.paths import ROOT


def test_rank_correlations_are_those_of_spearman() -> None:
    """Order alone counts, ties share their mean rank, and a constant side gives None."""
    assert spearman([1, 2, 3], [10, 100, 1000]) == 1.0
    assert spearman([1, 2, 3], [3, 2, 1]) == -1.0
    assert spearman([1, 2, 3, 4], [1, 1, 2, 2]) == 0.894
    assert spearman([1, 2, 3], [5, 5, 5]) is None


def test_the_progress_of_parameters_is_a_sum_of_shares() -> None:
    """Numbers, weights and words each count by their distance from the first config."""
    configs = [
        {"size": 10, "weights": [1.0, 0.0], "mode": "easy"},
        {"size": 15, "weights": [0.5, 0.5], "mode": "easy"},
        {"size": 20, "weights": [0.0, 1.0], "mode": "hard"},
    ]
    assert progress(configs) == [0.0, 1.0, 3.0]


def test_a_task_that_does_not_move_has_no_correlation() -> None:
    """The correlation is None for equal values at all levels, and 1 for values that rise."""
    items = [
        {"level": n / 2, "config": {"n": n}, "question_chars": 7, "answer_chars": n}
        for n in range(3)
    ]
    assert correlations(items) == {"parameters": 1.0, "question": None, "answer": 1.0}


@pytest.mark.slow
def test_the_maker_survives_errors_and_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """An item over the time limit is killed, an impossible one gives an error, the next is made."""
    monkeypatch.setattr(maker, "IMPORT_SECONDS", 0.0)
    with maker.ItemMaker("gcd", timeout=0.05) as gcd:  # importing the library takes longer
        assert "killed" in gcd.make(level=0.5, seed=1)["error"]
        gcd.timeout = 120.0
        assert "ValueError" in gcd.make(level=2.0, seed=1)["error"]
        record = gcd.make(level=0.5, seed=1)
        assert record["winnable"] and record["question_chars"] > 0


@pytest.mark.slow
def test_the_report_covers_every_level() -> None:
    """A run on one task makes each item within the budgets and measures its scale."""
    program = [sys.executable, str(ROOT / "benchmarks" / "difficulty.py")]
    words = ["--tasks", "chain_sum", "--levels", "3", "--seeds", "1"]
    done = subprocess.run([*program, *words], capture_output=True, text=True, timeout=300)
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["failures"] == report["over_budget"] == []
    assert (report["tasks"], report["items"], report["levels_tried"]) == (1, 3, 3)
    assert report["rank_correlation_with_level"]["chain_sum"]["question"] == 1.0
