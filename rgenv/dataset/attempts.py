"""Attempts: what is tried for problem n, and whether it may be served.

The methods are called in the order of n (prefetch.py), except `make`, which works ahead.
"""

import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.filters import AnswerBalance, PromptFilter
from rgenv.dataset.plans import Plans
from rgenv.dataset.shared_evidence import Learning
from rgenv.errors import MakeFailed
from rgenv.text import level_name
from rgenv.types import Problem, ProblemKey

log = logging.getLogger(__name__)

Make = Callable[[str, int, float | None], Awaitable[Problem]]
"""``await make(task, seed, level)`` returns a problem or raises MakeFailed."""

TooLong = Callable[[Problem], Awaitable[str | None]]
"""Returns the option to raise where a prompt is too long, else None."""

Event = list[Any]
"""What happened to a problem; JSON-able. `ItemSource.replay` has the kinds."""

Judgement = Literal["accept", "fallback", "reject"]


async def try_to_make(
    make: Make, task: str, seed: int, level: float | None, *, count: Callable[[str], None]
) -> Problem | None:
    """Make a problem; log and count one that can't be made, and return None."""
    try:
        return await make(task, seed, level)
    except MakeFailed as failure:
        count(f"not_made/{failure.kind}")
        log.warning("No problem of %s, seed %d, level %s: %s.", task, seed, level, failure)
        return None


class Attempts:
    """Makes and judges the attempts at each problem, and remembers what is served.

    Attributes:
        events: what became of each n, until the source records it.
    """

    def __init__(
        self,
        draw: Make,
        plans: Plans,
        learning: Learning,
        difficulty: Difficulty,
        *,
        too_long: TooLong | None,
        balance_labels: bool,
        count: Callable[[str], None],
    ) -> None:
        self.prompts = PromptFilter()
        self.answers = AnswerBalance()
        self.events: deque[tuple[int, Event]] = deque()
        self._draw = draw
        self._plans = plans
        self._learning = learning
        self._difficulty = difficulty
        self._room = difficulty.room
        self._too_long = too_long
        self._balance_labels = balance_labels
        self._count = count
        self._obstacles: dict[ProblemKey, str] = {}
        self._told: set[str] = set()

    async def make(self, n: int, attempt: int) -> Problem | None:
        task, seed, level = self._plans.attempt(n, attempt)
        log.debug("Problem %d.%d: %s, seed %d, level %s.", n, attempt, task, seed, level)
        problem = await try_to_make(self._draw, task, seed, level, count=self._count)
        option = await self._too_long(problem) if problem and self._too_long else None
        if problem is not None and option is not None:
            self._obstacles[problem.key] = option
        return problem

    def judge(self, problem: Problem) -> Judgement:
        """Reject unwinnable, long and held-out problems; avoid repeats and frequent answers."""
        option = self._obstacles.pop(problem.key, None)
        if not problem.winnable:
            self._count("not_made/unwinnable")
            return "reject"
        if option is not None:
            self._count("not_made/question_too_long")
            self.tell(problem, option)
            self._plans.missed(problem)
            return "reject"
        if problem.held_out:
            return "reject"
        is_repeated = self.prompts.is_repeated(problem.task, problem.prompt_hash)
        return "fallback" if is_repeated or self._is_frequent(problem) else "accept"

    def _is_frequent(self, problem: Problem) -> bool:
        return self._balance_labels and self.answers.is_frequent(problem.task, problem.answer)

    def tell(self, problem: Problem, option: str) -> None:
        """Say once of each task that a prompt is too long."""
        if problem.task not in self._told:
            self._told.add(problem.task)
            log.warning(
                "A prompt of %s at level %s is too long: raise --env.%s, or such problems are "
                "drawn again, at lower levels if need be.",
                problem.task,
                level_name(problem.level),
                option,
            )

    def chosen(self, n: int, problem: Problem) -> None:
        """Remember a problem that will be served, and count the prompts that were tried."""
        self._count_misses(n)
        if self._too_long is not None and self._room.watches(problem.task):
            self._note_room(n, problem.task, problem.level, fits=1, too_long=0)
        self.prompts.add(problem.task, problem.prompt_hash)
        self.answers.add(problem.task, problem.answer)

    def skipped(self, n: int) -> None:
        """Note that no attempt at n will be served."""
        self.prompts.settle()
        if self._count_misses(n):
            self._count("skipped_too_long")
        task, level = self._plans.of(n)
        self._difficulty.skipped(task, level)
        self.events.append((n, ["skipped", n, task, level]))

    def _count_misses(self, n: int) -> bool:
        """Count the prompts that were too long; return whether there were any."""
        misses = self._plans.take_misses()
        for (task, level), too_long in misses.items():
            self._note_room(n, task, level, fits=0, too_long=too_long)
        return bool(misses)

    def _note_room(
        self, n: int, task: str, level: float | None, *, fits: int, too_long: int
    ) -> None:
        event = ["room", n, task, level, fits, too_long, self._room.limit]
        self.events.append((n, event))
        self._learning.prompts(task, level, fits=fits, too_long=too_long)
