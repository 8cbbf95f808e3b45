"""Measure the mean work of a task's problems at a level."""

from __future__ import annotations

import contextlib
import io
from statistics import fmean

import pytest

from rgenv.worker import levels, selection
from rgenv.worker.faster import replacements
from rgenv.worker.problem_maker import ProblemMaker
from tools.work import work

FIVE_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)


def mean_work(task: str, count: int, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return, for each of five levels, the mean over `count` problems that can be answered.

    They are drawn by their work where the table of levels says so. Makes them with the fast
    generators, until the end of the test.
    """
    for owner, name, replacement in replacements():
        monkeypatch.setattr(owner, name, replacement)
    maker = ProblemMaker()
    with contextlib.redirect_stdout(io.StringIO()):
        return [fmean(_amounts(maker, task, level, count)) for level in FIVE_LEVELS]


def _amounts(maker: ProblemMaker, task: str, level: float, count: int) -> list[float]:
    config = levels.level_config(task, level)
    amounts = []
    for number in range(count):
        seed = number
        if levels.work_range(task, level):
            seed = selection.draw(maker, task, number, config, level)
        if maker.winnable(task, seed, config):
            amount = work(task, maker.make(task, seed, config))
            assert amount is not None
            amounts.append(amount)
    return amounts
