"""The walk over the levels of each task: which cell is asked next, and what follows for the others.

In a round, each task that is not settled asks `STAGE` problems of one level. The runner of
evaluations asks and scores them. Problems have a fixed order and the runner asks none that `saved`
holds, so an interrupted run goes on to the same result.

The assumption is that a model is right less often as the level rises. So the levels above a dead
one are dead, those below a mastered one are mastered, and those between two learnable ones are
learnable; nothing is asked there. No order is assumed between the levels and the task's default
parameters.
"""

import asyncio
import itertools
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from rgenv.dataset.attempts import Make, try_to_make
from rgenv.dataset.filters import AnswerBalance
from rgenv.dataset.stream import random_for
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import SampleLog
from rgenv.measured import beyond_blind, blind_share
from rgenv.profiling.verdicts import HOPELESS, STAGE, Counts, Verdict, bounds, verdict
from rgenv.runtime.progress import LINE_SECONDS
from rgenv.types import Problem
from rgenv.worker.protocol import first_evaluation_seed

log = logging.getLogger(__name__)

Level = float | None

FEW = 0.125
"""The share of completions, beyond luck, that counts as hardly any."""

TRIES = 16
"""Problems that are made for one that is wanted; then a question may come again."""

ATTEMPTS = 2
"""A cell is given up after this many times its completions, if some of them fail."""

Problems = AsyncIterator[Problem | None]
ProblemsOf = Callable[[str, Level], Problems]
"""Returns the problems of a task at a level, without end."""


@dataclass(frozen=True)
class Cell:
    """What is known of a task at a level; without a verdict, completions are still asked for.

    Attributes:
        from_level: the level from whose verdict this one follows; None: it was asked.
    """

    counts: Counts = field(default_factory=Counts)
    blind: float = 0.0
    verdict: Verdict | None = None
    from_level: float | None = None

    @property
    def accuracy(self) -> float | None:
        """The accuracy beyond luck; None if it is not known."""
        if self.from_level is not None:
            return {"mastered": 1.0, "learnable": None}.get(str(self.verdict), 0.0)
        return beyond_blind(self.counts.share, blind=self.blind) if self.counts.trials else None

    def as_json(self) -> dict[str, Any]:
        low, high = bounds(self.counts.right, self.counts.trials)
        about = {"verdict": self.verdict, "from_level": self.from_level, "low": low, "high": high}
        counts = {"blind": self.blind, **asdict(self.counts), "share": self.counts.share}
        return about | counts


Cells = dict[Level, Cell]


# Which level


def with_inferred(cells: Mapping[Level, Cell]) -> dict[Level, Cell]:
    """Return the cells, each with a verdict, which may follow from another level."""
    others = inferred(cells)
    results = {}
    for level, cell in cells.items():
        found, source = others.get(level, (cell.verdict or "undecided", None))
        if source is not None and found == "guessable" and not cell.blind:
            found = "dead"
        results[level] = replace(cell, verdict=found, from_level=source)
    return results


def inferred(cells: Mapping[Level, Cell]) -> dict[Level, tuple[Verdict, float]]:
    """Return what the verdicts on some levels say about others, and from which it follows.

    A level about which two verdicts disagree is not among them.
    """
    known = {x: c.verdict for x, c in cells.items() if x is not None and c.verdict is not None}
    answers: dict[Level, tuple[Verdict, float]] = {}
    for level in cells:
        if level is None or known.get(level, "undecided") != "undecided":
            continue
        hopeless = [x for x, verdict in known.items() if x < level and verdict in HOPELESS]
        mastered = [x for x, verdict in known.items() if x > level and verdict == "mastered"]
        learnable = [x for x, verdict in known.items() if verdict == "learnable"]
        if hopeless and not mastered:
            nearest = max(hopeless)
            answers[level] = known[nearest], nearest
        elif mastered and not hopeless:
            answers[level] = "mastered", min(mastered)
        elif not hopeless and learnable and min(learnable) < level < max(learnable):
            answers[level] = "learnable", max(x for x in learnable if x < level)
    return answers


def settled(cells: Mapping[Level, Cell]) -> dict[Level, Verdict]:
    """Return the verdict on each level that has one, or about which others say it."""
    found = {level: cell.verdict for level, cell in cells.items() if cell.verdict is not None}
    return found | {level: verdict for level, (verdict, _) in inferred(cells).items()}


def next_level(cells: Mapping[Level, Cell]) -> tuple[Level] | None:
    """Return the level of the next stage of completions, in a tuple; None if all are settled.

    Of the open levels that follow each other, the middle comes first, or the end that is further
    from a learnable one, with one stage of completions. If hardly any is right, the lowest of them
    follows, since a verdict of dead there holds for all; if nearly all are, the highest one.
    """
    verdicts = settled(cells)
    levels = sorted(level for level in cells if level is not None)
    run = _first_run(levels, verdicts)
    if not run:
        return (None,) if None in cells and None not in verdicts else None
    before, after = levels.index(run[0]) - 1, levels.index(run[-1]) + 1
    if after < len(levels) and verdicts[levels[after]] == "learnable":
        best = run[0]
    elif before >= 0 and verdicts[levels[before]] == "learnable":
        best = run[-1]
    else:
        best = run[(len(run) - 1) // 2]
    cell = cells[best]
    if not cell.counts.trials:
        return (best,)
    beyond_luck = beyond_blind(cell.counts.share, blind=cell.blind)
    if beyond_luck <= FEW:
        return (run[0],)
    return (run[-1] if beyond_luck >= 1 - FEW else best,)


def _first_run(levels: list[float], verdicts: Container[Level]) -> list[float]:
    run: list[float] = []
    for level in levels:
        if level not in verdicts:
            run.append(level)
        elif run:
            break
    return run


# Asking


async def training_problems(
    make: Make, task: str, level: Level, *, seed: int, balance_labels: bool = True
) -> Problems:
    """Yield training problems of a task at a level; None for each that can't be made.

    None is held out, and each has a provable answer. No question comes twice and no reference
    answer often, as far as the task has others.
    """
    asked, answers = set[object](), AnswerBalance()
    seeds = first_evaluation_seed(task)
    for index in itertools.count():
        rng = random_for(seed, "profile", task, level, index)
        chosen: Problem | None = None
        for _ in range(TRIES):
            made = await try_to_make(make, task, rng.randrange(seeds), level, count=_ignore)
            if made is None:  # its generator failed: another attempt may take as long to fail
                break
            if made.held_out or not made.winnable or made.key in asked:
                continue
            chosen = made
            is_frequent = balance_labels and answers.is_frequent(task, made.answer)
            if made.prompt_hash not in asked and not is_frequent:
                break
        if chosen is not None:
            asked |= {chosen.key, chosen.prompt_hash}
            answers.add(task, chosen.answer)
        yield chosen


def _ignore(_metric: str) -> None: ...


class Profiler:
    """Asks for the completions of one profile, at most `completions` of a cell."""

    def __init__(
        self,
        runner: EvaluationRunner,
        problems_of: ProblemsOf,
        *,
        group_size: int,
        completions: int,
    ) -> None:
        self._runner, self._problems_of = runner, problems_of
        self._group_size, self._completions = group_size, completions
        self._problems: dict[tuple[str, Level], Problems] = {}
        self._attempts: Counter[tuple[str, Level]] = Counter()

    async def run(
        self, tasks: Mapping[str, Sequence[Level]], saved: SampleLog | None = None
    ) -> dict[str, Cells]:
        """Return the cells of each task; one without a verdict follows from others."""
        cells = {
            task: {level: Cell(blind=blind_share(task, level)) for level in levels}
            for task, levels in tasks.items()
        }
        answered, shown, total = False, time.monotonic(), sum(map(len, cells.values()))
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
            if time.monotonic() - shown >= LINE_SECONDS or done == total:
                shown = time.monotonic()
                log.info("Profiling: %d of %d cells are settled.", done, total)
        return cells

    async def _stage(
        self, task: str, level: Level, cells: Mapping[str, Cells]
    ) -> list[Problem | None]:
        key = task, level
        if key not in self._problems:
            self._problems[key] = self._problems_of(task, level)
        count = min(STAGE, self._completions - cells[task][level].counts.trials)
        self._attempts[key] += count
        return [await anext(self._problems[key]) for _ in range(count)]

    def _judged(self, task: str, level: Level, cell: Cell, new: Counts) -> Cell:
        counts, most = cell.counts + new, self._completions
        is_over = counts.trials >= most or self._attempts[task, level] >= ATTEMPTS * most
        found = verdict(counts, group_size=self._group_size, blind=cell.blind, is_over=is_over)
        return replace(cell, counts=counts, verdict=found)


def _next_cells(cells: Mapping[str, Cells]) -> list[tuple[str, Level]]:
    following = ((task, next_level(of_task)) for task, of_task in cells.items())
    return [(task, found[0]) for task, found in following if found is not None]
