"""Asking for completions, round by round, until every cell has its verdict.

::

    profiler = Profiler(runner, problems_of, group_size=8, completions=64)
    cells = await profiler.run({"gcd": [0.0, 0.5, 1.0]}, saved)
    cells["gcd"][0.5].counts.right

In a round, each task that is not settled asks `STAGE` problems of the level that walk.py names.
The runner of evaluations asks and scores them. Problems have a fixed order and the runner asks none
that `saved` holds, so an interrupted run goes on to the same result.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

from rgenv.dataset.blind import blind_share
from rgenv.dataset.filters import AnswerBalance, PromptFilter
from rgenv.dataset.source import Make, try_to_make
from rgenv.dataset.stream import random_for
from rgenv.evaluation.item_cache import problem_id
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import SampleLog
from rgenv.profiling.verdicts import STAGE, Counts, verdict
from rgenv.profiling.walk import Cell, Level, next_level, settled
from rgenv.types import Problem
from rgenv.worker.protocol import first_evaluation_seed

log = logging.getLogger(__name__)

Cells = dict[Level, Cell]
"""Level -> what is known of a task there."""

TRIES = 16
"""Problems that are made for one that is wanted; then one is taken whose prompt or answer is
frequent."""

ATTEMPTS = 2
"""A cell is given up after this many times its completions, if some of them fail."""

Problems = AsyncIterator[Problem | None]
ProblemsOf = Callable[[str, Level], Problems]
"""Returns the problems of a task at a level, without end."""


async def training_problems(
    make: Make, task: str, level: Level, *, seed: int, balance_labels: bool = True
) -> Problems:
    """Yield training problems of a task at a level; None for each that can't be made.

    None is held out, each has a provable answer, none comes twice, and no question or reference
    answer comes often, as far as the task has others.

    Args:
        make: makes the problem of a task, seed and level, or raises MakeFailed.
        seed: of the order.
        balance_labels: limit the frequency of each reference answer.
    """
    prompts, answers, served = PromptFilter(), AnswerBalance(), set[str]()
    seeds = first_evaluation_seed(task)
    for index in itertools.count():
        rng = random_for(seed, "profile", task, level, index)
        chosen: Problem | None = None
        for _ in range(TRIES):
            made = await try_to_make(make, task, rng.randrange(seeds), level, count=_ignore)
            if made is None:  # its generator failed: another attempt may take as long to fail
                break
            if made.held_out or not made.winnable or problem_id(made) in served:
                continue
            chosen = chosen or made
            is_new = prompts.judge(task, made.prompt_hash) == "new"
            if is_new and not (balance_labels and answers.is_frequent(task, made.answer)):
                chosen = made
                break
        if chosen is not None:
            served.add(problem_id(chosen))
            prompts.add(task, chosen.prompt_hash)
            answers.add(task, chosen.answer)
        yield chosen


def _ignore(_metric: str) -> None: ...


class Profiler:
    """Asks for the completions of one profile.

    Args:
        runner: asks for samples and scores them, one for each problem.
        problems_of: returns the problems of a cell.
        group_size: completions of a group in training.
        completions: the most completions of a cell.
        blind: returns what a blind guess earns at a task and a level.
    """

    def __init__(
        self,
        runner: EvaluationRunner,
        problems_of: ProblemsOf,
        *,
        group_size: int,
        completions: int,
        blind: Callable[[str, Level], float] = blind_share,
    ) -> None:
        self._runner, self._problems_of = runner, problems_of
        self._group_size, self._completions = group_size, completions
        self._blind = blind
        self._problems: dict[tuple[str, Level], Problems] = {}
        self._attempts: Counter[tuple[str, Level]] = Counter()

    async def run(
        self, tasks: Mapping[str, Sequence[Level]], saved: SampleLog | None = None
    ) -> dict[str, Cells]:
        """Profile tasks.

        Args:
            tasks: name -> levels.
            saved: the samples on disk.

        Returns:
            task -> level -> cell. A cell without a verdict follows from others.

        Raises:
            InferenceUnavailable: requests are not answered, for a reason that concerns all of them.
            OSError: a sample can't be written.
        """
        cells = {
            task: {level: Cell(blind=self._blind(task, level)) for level in levels}
            for task, levels in tasks.items()
        }
        answered = False
        while wanted := _next_cells(cells):
            stages = await asyncio.gather(*(self._stage(task, at, cells) for task, at in wanted))
            problems = [problem for stage in stages for problem in stage if problem is not None]
            samples = iter(await self._runner.run(problems, saved, answered=answered))
            answered = answered or bool(problems)
            for (task, level), stage in zip(wanted, stages, strict=True):
                found = [next(samples) for problem in stage if problem is not None]
                counts = Counts.of(found) + Counts(failed=stage.count(None))
                cells[task][level] = self._judged(task, level, cells[task][level], counts)
            done = sum(len(settled(of_task)) for of_task in cells.values())
            log.info("%d of %d cells are settled.", done, sum(map(len, cells.values())))
        return cells

    async def _stage(
        self, task: str, level: Level, cells: Mapping[str, Cells]
    ) -> list[Problem | None]:
        """Return the next problems of a cell."""
        key = task, level
        if key not in self._problems:
            self._problems[key] = self._problems_of(task, level)
        count = min(STAGE, self._completions - cells[task][level].counts.trials)
        self._attempts[key] += count
        return [await anext(self._problems[key]) for _ in range(count)]

    def _judged(self, task: str, level: Level, cell: Cell, new: Counts) -> Cell:
        counts, most = cell.counts + new, self._completions
        found = verdict(counts, group_size=self._group_size, blind=cell.blind)
        is_over = counts.trials >= most or self._attempts[task, level] >= ATTEMPTS * most
        if found is None and is_over:
            found = "undecided" if counts.trials else "failed"
        return replace(cell, counts=counts, verdict=found)


def _next_cells(cells: Mapping[str, Cells]) -> list[tuple[str, Level]]:
    following = ((task, next_level(of_task)) for task, of_task in cells.items())
    return [(task, found[0]) for task, found in following if found is not None]
