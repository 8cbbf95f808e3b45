"""The evaluation set: held-out problems of each task.

The problems of a task depend only on the evaluation seed, the levels and the number of problems.
Each is of a held-out family (docs/tasks.md), so no training run asks it, nor the same problem
with other names, in another order or turned. As in training, no reference answer is frequent.
"""

import asyncio
import contextlib
import itertools
import logging
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from rgenv.runtime.parts import in_order
from rgenv.runtime.progress import Progress
from rgenv.stream.filters import MOST, WINDOW
from rgenv.stream.source import Make, try_to_make
from rgenv.stream.stream import evaluation_seeds, random_for
from rgenv.types import Problem

log = logging.getLogger(__name__)

SEEDS_TO_TRY, SEEDS_FOR_BALANCE = 40, 8
"""Seeds for each wanted problem: all, as tasks with few different questions need many, and those
after which frequent reference answers are taken, too."""


def choose_eval_tasks(names: Sequence[str], count: int, *, eval_seed: int) -> list[str]:
    """Choose `count` of the tasks by `eval_seed`; 0: all of them."""
    if not 0 < count < len(names):
        return list(names)
    return sorted(random_for(eval_seed, "evaluation tasks").sample(names, count))


def interleaved(problems: Iterable[Problem]) -> list[Problem]:
    """Order problems so that the tasks take turns, and in each task its levels.

    The first problems of the tasks have different levels, as far as there are any.
    """
    tasks: dict[str, dict[float | None, list[Problem]]] = {}
    for problem in problems:
        tasks.setdefault(problem.task, {}).setdefault(problem.level, []).append(problem)
    queues = []
    for place, levels in enumerate(tasks.values()):
        first = place % len(levels)
        rows = list(levels.values())
        queues.append(_in_turns(rows[first:] + rows[:first]))
    return _in_turns(queues)


def _in_turns(rows: Iterable[Sequence[Problem]]) -> list[Problem]:
    return [
        problem for turn in itertools.zip_longest(*rows) for problem in turn if problem is not None
    ]


def few_families(
    families: Iterable[tuple[str, float | None, Hashable]],
) -> dict[tuple[str, float | None], int]:
    """Return the number of families of each task and level that has few.

    A task has few families at a level if its problems are at least twice as many as its families.
    """
    families = list(families)
    problems = Counter((task, level) for task, level, _ in families)
    numbers = Counter((task, level) for task, level, _ in set(families))
    return {key: numbers[key] for key in problems if 2 * numbers[key] <= problems[key]}


@dataclass(frozen=True)
class EvaluationSet:
    """Makes the evaluation problems of tasks."""

    make: Make
    per_task: int
    eval_seed: int
    levels: Sequence[float | None]
    balance_labels: bool = True
    count: Callable[[str], None] = lambda name: None

    async def of_tasks(self, names: Iterable[str], *, limit: int | None = None) -> list[Problem]:
        """Return the problems of several tasks, in the order of `names`.

        At most `limit`, if possible as many of each task and level as of any other; a greater
        limit adds problems to those of a smaller one.
        """
        names = list(names)
        if limit is not None:
            order = random_for(self.eval_seed, "limited evaluation")
            names = order.sample(names, len(names))[:limit]
        with Progress(
            "Making the evaluation set", total=len(names), unit="tasks", brief=True
        ) as shown:

            async def made(name: str) -> list[Problem]:
                problems = await self.of_task(name)
                shown.advance()
                return problems

            batches = await asyncio.gather(*map(made, names))
        if none := [name for name, batch in zip(names, batches, strict=True) if not batch]:
            log.warning(
                "These have no problem that is held out (docs/tasks.md), so nothing is found out "
                "about them: %s.",
                ", ".join(none),
            )
        problems = list(itertools.chain.from_iterable(batches))
        if limit is not None:
            problems = interleaved(problems)[:limit]
        if few := few_families((p.task, p.level, p.family) for p in problems):
            log.warning(
                "These have few different problems that are held out (docs/tasks.md), so little is "
                "found out about them: %s.",
                ", ".join(
                    f"{task}{'' if level is None else f' at level {level:g}'} ({number})"
                    for (task, level), number in few.items()
                ),
            )
        return problems

    async def of_task(self, task: str) -> list[Problem]:
        """Return the problems of one task, level by level."""
        problems: list[Problem] = []
        for level in self.levels:
            known = {problem.prompt_hash for problem in problems}
            problems += await self._new_problems(task, level, known)
        return problems

    async def _new_problems(self, task: str, level: float | None, known: set[int]) -> list[Problem]:
        """Make up to `per_task` winnable held-out problems with questions not in `known`."""
        wanted = self.per_task
        most = math.ceil(wanted * MOST / WINDOW) if self.balance_labels else wanted
        answers: Counter[str | None] = Counter()
        chosen: list[Problem] = []
        frequent: list[Problem] = []  # those whose answer came `most` times before
        seeds = evaluation_seeds(task, eval_seed=self.eval_seed)
        tried = in_vain = 0

        def hopeless() -> bool:  # the task hardly has other questions, however many are wanted
            return in_vain >= SEEDS_TO_TRY * max(len(known), 100)

        while (missing := wanted - len(chosen)) and not hopeless():
            would_do = len(frequent) >= missing
            if tried >= (SEEDS_FOR_BALANCE if would_do else SEEDS_TO_TRY) * wanted:
                break
            tried += missing
            batch = itertools.islice(seeds, missing)
            calls = (try_to_make(self.make, task, s, level, count=self.count) for s in batch)
            # More than 64 at the same time would only wait for workers.
            async with contextlib.aclosing(in_order(calls, 64)) as made:
                async for problem in made:
                    in_vain += 1
                    is_fit = problem is not None and problem.held_out and problem.winnable
                    if problem is not None and is_fit and problem.prompt_hash not in known:
                        in_vain = 0
                        known.add(problem.prompt_hash)
                        answers[problem.answer] += 1
                        is_rare = problem.answer is None or answers[problem.answer] <= most
                        (chosen if is_rare and len(chosen) < wanted else frequent).append(problem)
                    if hopeless():
                        break
        return chosen + frequent[: wanted - len(chosen)]
