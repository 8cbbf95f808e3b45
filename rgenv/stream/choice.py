"""ProblemChoice: what is tried for problem n of a stream, and which attempt is served.

Task and level of a problem are planned once. A problem that may not be asked, or was asked before,
is followed by another one of the same plan. After three prompts that are too long, the level falls
step by step. A task whose prompts are too long at the lowest level, too, is asked no more.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from rgenv.errors import MakeFailed
from rgenv.stream.difficulty import Difficulty, Level
from rgenv.stream.filters import AnswerBalance, PromptFilter
from rgenv.stream.stream import MAX_ATTEMPTS, Stream
from rgenv.text import level_name
from rgenv.types import Problem, ProblemKey

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

MOST_TOO_LONG = TRIES + STEPS + TRIES
"""Prompts that are tried for a problem."""

MOST_TURNS = 64
"""Tasks that are drawn for one problem until one is not left out."""


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


class ProblemChoice:
    """Plans, makes and chooses the problems of one stream.

    `plan` and `choose` are called in the order of n; `make` works ahead.

    Args:
        make: makes a problem that was made before.
        draw: makes a problem of a task, seed and level that was never made.
        too_long: returns the option to raise where a prompt is too long, else None.
    """

    def __init__(
        self,
        make: Make,
        draw: Make,
        stream: Stream,
        difficulty: Difficulty,
        *,
        too_long: TooLong | None = None,
        balance_labels: bool = True,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.prompts = PromptFilter()
        self.answers = AnswerBalance()
        self.difficulty = difficulty
        self._make, self._draw = make, draw
        self._stream = stream
        self._too_long = too_long
        self._balance_labels = balance_labels
        self._count = count
        self._told: dict[str, str] = {}  # task -> the option to raise
        self._left_out: set[str] = set()

    def plan(self, n: int) -> Plan:
        """Plan problem n: the first draw of a task that is not left out."""
        draws = (self._stream.draw(n, turn) for turn in range(MOST_TURNS))
        fits = (drawn for drawn in draws if drawn.task not in self._left_out)
        drawn = next(fits, None) or self._stream.draw(n)
        return Plan(drawn.task, self.difficulty.level_for(*drawn))

    async def make_again(self, problem: ProblemKey) -> Problem | None:
        """Make a problem that was made before; None: it can't be made any more."""
        return await try_to_make(self._make, *problem, count=self._count)

    async def make(self, n: int, attempt: int, plan: Plan) -> Problem | None:
        seed = self._stream.seed(n, attempt, plan.task)
        return await try_to_make(self._draw, plan.task, seed, plan.level, count=self._count)

    async def choose(self, n: int, plan: Plan, first: Problem | None) -> Problem | None:
        """Return the attempt at problem n to serve; None: there is none.

        It is the first one that is not rejected, preferably with a new prompt and an answer that is
        not frequent.
        """
        if plan.task in self._left_out:
            return None
        problem, fallback = first, None
        rejected = too_long = 0
        for attempt in range(MAX_ATTEMPTS):
            if attempt:
                at = Plan(plan.task, lowered(plan.level, too_long))
                problem = await self.make(n, attempt, at)
            if problem is None:  # its generator failed: another attempt may take as long to fail
                break
            if await self._is_too_long(problem):
                too_long += 1
            elif problem.winnable and not problem.held_out:
                if self._is_preferred(problem):
                    return self._served(problem)
                fallback = fallback or problem
                continue
            rejected += 1
            if rejected == MAX_REJECTED or too_long == MOST_TOO_LONG:
                break
        if fallback is not None:
            return self._served(fallback)
        self.difficulty.unasked(*plan)
        if too_long:
            self._count("skipped_too_long")
        if too_long == MOST_TOO_LONG and not self.prompts.has_served(plan.task):
            self._left_out.add(plan.task)
            log.warning(
                "%s is asked no more: its prompts are too long. Leave it out, or raise --env.%s.",
                *(plan.task, self._told[plan.task]),
            )
        return None

    async def _is_too_long(self, problem: Problem) -> bool:
        if not problem.winnable:
            self._count("not_made/unwinnable")
            return False
        option = await self._too_long(problem) if self._too_long is not None else None
        if option is None:
            return False
        self._count("not_made/question_too_long")
        self.leaves_no_room(problem, option)
        return True

    def leaves_no_room(self, problem: Problem, option: str) -> None:
        """Learn that a prompt is too long, and say it once of each task."""
        self.difficulty.unasked(problem.task, problem.level)
        if problem.task not in self._told:
            self._told[problem.task] = option
            log.warning(
                "A prompt of %s at level %s is too long: raise --env.%s, or such problems are "
                "drawn again, at lower levels if need be.",
                problem.task,
                level_name(problem.level),
                option,
            )

    def _is_preferred(self, problem: Problem) -> bool:
        if self.prompts.is_repeated(problem.task, problem.prompt_hash):
            return False
        return not (self._balance_labels and self.answers.is_frequent(problem.task, problem.answer))

    def _served(self, problem: Problem) -> Problem:
        self.prompts.add(problem.task, problem.prompt_hash)
        self.answers.add(problem.task, problem.answer)
        return problem
