"""Asking for completions, stage by stage, until every cell has its verdict.

::

    profiler = Profiler(runner, new_problems, rules=Rules(), completions=64)
    cells = await profiler.run({"gcd": [0.0, 0.5, 1.0]}, saved)
    cells["gcd"][0.5].counts.right

All tasks are profiled at the same time, each cell by cell (walk.py). A stage of `STAGE` completions
counts once all of it is there. Completions that the log already holds are not asked for again; the
others follow in the same order, so an interrupted run goes on to the same result.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

from rgenv.dataset.blind import blind_share
from rgenv.errors import MakeFailed
from rgenv.evaluation.asking import Asking
from rgenv.evaluation.cost import CountTokens
from rgenv.evaluation.item_cache import problem_id
from rgenv.evaluation.runner import EvaluationRunner, show_waits, together
from rgenv.evaluation.sample_log import SampleLog
from rgenv.profiling.problems import CellProblems
from rgenv.profiling.verdicts import STAGE, Counts, Rules, verdict
from rgenv.profiling.walk import Cell, Level, inferred, next_level
from rgenv.runtime.progress import Progress
from rgenv.types import Sample

Cells = dict[Level, Cell]
"""Level -> what is known of a task there."""

ATTEMPTS = 2
"""So many times the completions of a cell are tried, if some of them fail."""

NewProblems = Callable[[str, Level], CellProblems]
"""Returns the problems of a task at a level."""

Key = tuple[str, Level, int]
"""Task, level, and the index of the problem in its cell."""


class Profiler:
    """Asks for the completions of one profile.

    Args:
        runner: asks for samples and scores them.
        new_problems: returns the problems of a cell.
        rules: the borders between verdicts.
        completions: the most completions of a cell.
        count_tokens: returns the length of the prompt of a problem.
        blind: returns what a blind guess earns at a task and a level.

    Attributes:
        samples: all samples so far, by task, level and index; a scored one has `prompt_tokens`.
    """

    def __init__(
        self,
        runner: EvaluationRunner,
        new_problems: NewProblems,
        *,
        rules: Rules,
        completions: int,
        count_tokens: CountTokens,
        blind: Callable[[str, Level], float] = blind_share,
    ) -> None:
        self._runner = runner
        self._new_problems = new_problems
        self._rules = rules
        self._completions = completions
        self._count_tokens = count_tokens
        self._blind = blind
        self.samples: dict[Key, Sample] = {}

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
        before = saved.answered.values() if saved is not None else []
        self.samples = {
            (sample["task"], sample["level"], sample["sample"]): sample
            for sample in before
            if isinstance(sample.get("sample"), int)
        }
        asking = self._runner.new_asking(answered=bool(self.samples))
        cells = {
            task: {level: Cell(blind=self._blind(task, level)) for level in levels}
            for task, levels in tasks.items()
        }

        def status() -> str:
            return f"{len(self.samples):,} completions"

        with Progress("Profiling", total=sum(map(len, cells.values())), unit="cells") as shown:
            ticking = asyncio.create_task(show_waits(shown, asking, status))

            async def walk(task: str) -> None:
                settled = 0
                async for count in self._walk(task, cells[task], asking, saved):
                    shown.advance(count - settled, status())
                    settled = count

            try:
                await together(map(walk, cells))
            finally:
                ticking.cancel()
        asking.require_an_answer()
        return cells

    async def _walk(
        self, task: str, cells: Cells, asking: Asking, saved: SampleLog | None
    ) -> AsyncIterator[int]:
        """Ask for the cells of a task, stage by stage; yield the number of settled cells."""
        problems = {level: self._new_problems(task, level) for level in cells}
        attempts, not_made = dict.fromkeys(cells, 0), dict.fromkeys(cells, 0)

        async def ask(level: Level, index: int) -> None:
            if (task, level, index) in self.samples:
                return
            try:
                problem = await problems[level].get(index)
            except MakeFailed:
                not_made[level] += 1
                return
            name = f"{problem_id(problem)}/{index}"
            sample = await self._runner.sample(asking, name, problem, index)
            if "score" in sample:
                sample["prompt_tokens"] = await self._count_tokens(problem)
            if saved is not None:
                saved.add(sample)
            self.samples[task, level, index] = sample

        while (following := next_level(cells)) is not None:
            [level] = following
            cell, first = cells[level], attempts[level]
            attempts[level] += min(STAGE, self._completions - cell.counts.trials)
            await together(ask(level, index) for index in range(first, attempts[level]))
            keys = ((task, level, index) for index in range(attempts[level]))
            samples = [self.samples[key] for key in keys if key in self.samples]
            counts = Counts.of(samples, failed=not_made[level])
            cells[level] = self._judged(cell, counts, attempts[level])
            found = {x: one.verdict for x, one in cells.items() if one.verdict is not None}
            yield len({*found, *inferred(found, cells)})

    def _judged(self, cell: Cell, counts: Counts, attempts: int) -> Cell:
        found = verdict(counts, self._rules, blind=cell.blind)
        most = self._completions
        if found is None and (counts.trials >= most or attempts >= ATTEMPTS * most):
            found = "undecided" if counts.trials else "failed"
        return replace(cell, counts=counts, verdict=found)
