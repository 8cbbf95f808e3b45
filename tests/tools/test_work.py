"""The work of a problem rises from level to level."""

from __future__ import annotations

import contextlib
import io
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.tasks.registry import record_of
from rgenv.worker.faster import replacements
from rgenv.worker.levels import fixed_tasks, level_config
from rgenv.worker.problem_maker import ProblemMaker
from tools.work import WORK, work

pytestmark = pytest.mark.soak

TASKS = sorted(task for task in set(WORK) - {*fixed_tasks()} if record_of(task).work is None)
COUNTS = {
    **dict.fromkeys(("intermediate_integration", "knight_swap", "polynomial_equations"), 12),
    **dict.fromkeys(("futoshiki", "jugs", "kakurasu", "n_queens", "sudoku", "survo"), 8),
    **dict.fromkeys(("modulo_grid", "needle_haystack"), 40),
    "polynomial_multiplication": 12,
    "rectangle_count": 60,
    "rubiks_cube": 10,
    "shortest_path": 30,
    "zebra_puzzles": 3,
}
"""Problems of each level; 20 of the others."""


def mean_work(maker: ProblemMaker, task: str, level: float) -> float:
    """Return the mean over problems that can be answered."""
    config = level_config(task, level)
    amounts = []
    for seed in range(COUNTS.get(task, 20)):
        if maker.winnable(task, seed, config):
            amount = work(task, maker.make(task, seed, config))
            assert amount is not None
            amounts.append(amount)
    return fmean(amounts)


@pytest.mark.filterwarnings("ignore")  # about escape sequences in codeio's programs
@pytest.mark.parametrize("task", TASKS)
def test_the_mean_rises_from_level_to_level(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    monkeypatch.chdir(tmp_path)  # some of codeio's programs write files
    for owner, name, replacement in replacements():
        monkeypatch.setattr(owner, name, replacement)
    maker = ProblemMaker()
    with contextlib.redirect_stdout(io.StringIO()):
        means = [mean_work(maker, task, level) for level in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert all(low < high for low, high in pairwise(means)), means


@pytest.mark.parametrize("task", sorted(WORK))
@settings(max_examples=10, deadline=None)
@given(question=st.text(max_size=40), value=st.none() | st.integers() | st.text(max_size=9))
def test_an_entry_in_another_form_has_no_work(task: str, question: str, value: Any) -> None:
    """The work of an entry that the proxy can't read is unknown, or at least not negative."""
    keys = ("expression", "number", "numbers", "integrand", "puzzle", "words", "animals", "task")
    entry = {"question": question, "answer": "1", "metadata": dict.fromkeys(keys, value)}
    amount = work(task, entry)
    assert amount is None or amount >= 0


@pytest.mark.parametrize("task", ["prime_factorization", "lcm", "count_primes"])
def test_the_work_of_huge_numbers_is_unknown(task: str) -> None:
    """No time is lost on the factors of a number of 40 digits."""
    large = 10**40 + 1
    metadata = {"number": large, "numbers": [large, 2], "start": 1, "end": large}
    assert work(task, {"question": "?", "answer": "1", "metadata": metadata}) is None


def test_the_work_of_an_unknown_task_is_unknown() -> None:
    """A task without a proxy has no work."""
    assert work("composite", {"question": "?", "answer": "1", "metadata": {}}) is None
