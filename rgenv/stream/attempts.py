"""Attempts: what is tried for problem n of a stream, and which attempt is served.

Task and level of a problem are planned once. A problem that may not be asked, or was asked before,
is followed by another one of the same plan. After three prompts that are too long, the level of
this problem falls step by step; below the lowest level, another task takes its place.
"""

import logging
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

from rgenv.errors import MakeFailed
from rgenv.stream.difficulty import Difficulty, Level
from rgenv.stream.filters import AnswerBalance, PromptFilter
from rgenv.stream.stream import MAX_ATTEMPTS, Stream
from rgenv.text import level_name
from rgenv.types import Problem

log = logging.getLogger(__name__)

Make = Callable[[str, int, float | None], Awaitable[Problem]]
"""``await make(task, seed, level)`` returns a problem or raises MakeFailed."""

TooLong = Callable[[Problem], Awaitable[str | None]]
"""Returns the option to raise where a prompt is too long, else None."""

MAX_REJECTED = 24
"""Stop attempts at one n after this many rejected problems; its task may have no others."""

TRIES, STEPS = 3, 6
"""Prompts that are tried at the planned level of a problem, and lower levels that are tried after
them, down to the lowest."""

TRIES_OF_A_TASK = TRIES + STEPS + TRIES
"""Prompts that are tried before another task takes the place of the planned one."""

MOST_TURNS = 64
"""Tasks that are drawn for one problem until one is served; then it is the last one's turn."""


class Plan(NamedTuple):
    task: str
    level: Level | None


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


def lowered(level: float | None, misses: int) -> float | None:
    """Return the level to try next for a problem after so many prompts that were too long."""
    if level is None or misses < TRIES:
        return level
    return round(level * max(0.0, 1 - (misses - TRIES + 1) / STEPS), 3)


class Attempts:
    """Plans, makes and chooses the problems of one stream.

    `plan` and `choose` are called in the order of n; `make` works ahead.
    """

    def __init__(
        self,
        draw: Make,
        stream: Stream,
        difficulty: Difficulty,
        *,
        too_long: TooLong | None,
        balance_labels: bool,
        count: Callable[[str], None],
    ) -> None:
        self.prompts = PromptFilter()
        self.answers = AnswerBalance()
        self._draw = draw
        self._stream = stream
        self._difficulty = difficulty
        self._too_long = too_long
        self._balance_labels = balance_labels
        self._count = count
        self._told: set[str] = set()
        self._without_room: set[str] = set()

    def plan(self, n: int, turn: int = 0, without: Collection[str] = ()) -> Plan:
        """Plan problem n; after `turn` tasks that can't be served, another one than these."""
        drawn = self._stream.draw(n, turn)
        while turn < MOST_TURNS and (drawn.task in without or drawn.task in self._without_room):
            turn += 1
            drawn = self._stream.draw(n, turn)
        return Plan(drawn.task, self._difficulty.level_for(*drawn))

    async def make(self, n: int, attempt: int, plan: Plan) -> Problem | None:
        seed = self._stream.seed(n, attempt, plan.task)
        log.debug("Problem %d.%d: %s, seed %d, level %s.", n, attempt, plan.task, seed, plan.level)
        return await try_to_make(self._draw, plan.task, seed, plan.level, count=self._count)

    async def choose(self, n: int, plan: Plan, first: Problem | None) -> Problem | None:
        """Return the attempt at problem n to serve; None: there is none.

        It is the first one that is not rejected, preferably with a new prompt and an answer that is
        not frequent.
        """
        problem, fallback = first, None
        rejected = 0
        too_long: list[str] = []
        for attempt in range(MAX_ATTEMPTS):
            if attempt:
                problem = await self.make(n, attempt, self._next_plan(n, plan, too_long))
            if problem is None:  # its generator failed: another attempt may take as long to fail
                break
            if await self._may_be_asked(problem, too_long):
                if self._is_preferred(problem):
                    return self._served(problem)
                fallback = fallback or problem
            else:
                rejected += 1
            if rejected == MAX_REJECTED:
                break
        if fallback is not None:
            return self._served(fallback)
        self._difficulty.unasked(*plan)
        if too_long:
            self._count("skipped_too_long")
        return None

    def _next_plan(self, n: int, plan: Plan, too_long: Collection[str]) -> Plan:
        turn, misses = divmod(len(too_long), TRIES_OF_A_TASK)
        task, level = self.plan(n, turn, without=too_long) if turn else plan
        return Plan(task, lowered(level, misses))

    async def _may_be_asked(self, problem: Problem, too_long: list[str]) -> bool:
        """Return whether a problem may be served; add a task whose prompt is too long."""
        if not problem.winnable:
            self._count("not_made/unwinnable")
            return False
        option = await self._too_long(problem) if self._too_long is not None else None
        if option is None:
            return not problem.held_out
        too_long.append(problem.task)
        self._count("not_made/question_too_long")
        self.leaves_no_room(problem, option)
        if too_long.count(problem.task) == TRIES_OF_A_TASK:
            self._leave_out(problem.task)
        return False

    def leaves_no_room(self, problem: Problem, option: str) -> None:
        """Learn that a prompt is too long, and say it once of each task."""
        self._difficulty.unasked(problem.task, problem.level)
        if problem.task not in self._told:
            self._told.add(problem.task)
            log.warning(
                "A prompt of %s at level %s is too long: raise --env.%s, or such problems are "
                "drawn again, at lower levels if need be.",
                problem.task,
                level_name(problem.level),
                option,
            )

    def _leave_out(self, task: str) -> None:
        """Draw a task no more, unless a prompt of it has fitted before."""
        if not self.prompts.has_served(task):
            self._without_room.add(task)
            log.warning(
                "%s is asked no more: its prompts leave no room for an answer. Leave it out, or "
                "raise the limit.",
                task,
            )

    def _is_preferred(self, problem: Problem) -> bool:
        if self.prompts.is_repeated(problem.task, problem.prompt_hash):
            return False
        return not (self._balance_labels and self.answers.is_frequent(problem.task, problem.answer))

    def _served(self, problem: Problem) -> Problem:
        self.prompts.add(problem.task, problem.prompt_hash)
        self.answers.add(problem.task, problem.answer)
        return problem
