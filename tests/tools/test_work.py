"""The work of a problem rises from level to level."""

import contextlib
import io
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest

from rgenv.worker.faster import replacements
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import ProblemMaker
from tools.work import WORK

pytestmark = pytest.mark.soak

TASKS = sorted(WORK)
COUNTS = {
    **dict.fromkeys(("intermediate_integration", "knight_swap", "polynomial_equations"), 12),
    **dict.fromkeys(("futoshiki", "jugs", "kakurasu", "n_queens", "sudoku", "survo"), 8),
    **dict.fromkeys(("modulo_grid", "needle_haystack"), 40),
    "polynomial_multiplication": 12,
    "rectangle_count": 60,
    "rubiks_cube": 10,
    "shortest_path": 30,
    "sokoban": 80,
    "zebra_puzzles": 3,
}
"""Problems of each level; 20 of the others."""


def mean_work(maker: ProblemMaker, task: str, level: float) -> float:
    """Return the mean over problems that can be answered."""
    config = level_config(task, level)
    amounts = []
    for seed in range(COUNTS.get(task, 20)):
        if maker.winnable(task, seed, config):
            amounts.append(WORK[task](maker.make(task, seed, config)))
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
