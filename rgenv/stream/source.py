"""ItemSource: the training problems of one replica, in order.

The first attempts at the next problems are made ahead of demand, so `next` rarely waits for a slow
generator. Which attempt is served is decided in the order of n, when a problem is handed out. So
position, plans and filters are a whole state, from which another process goes on.

Task and level of a problem are planned once. A problem that may not be asked, or was asked before,
is followed by another one of the same plan. After three prompts that are too long, the level falls
step by step. A task whose prompts are too long at the lowest level, too, is asked no more.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from rgenv.errors import MakeFailed, PoolBroken, StartupError
from rgenv.runtime.parts import end
from rgenv.stream.difficulty import Count, Difficulty, Evidence, Level, TaskState
from rgenv.stream.filters import AnswerBalance, PromptFilter
from rgenv.stream.shared_evidence import SharedEvidence
from rgenv.stream.stream import MAX_ATTEMPTS, Stream
from rgenv.text import level_name
from rgenv.types import Problem, ProblemKey

log = logging.getLogger(__name__)

MAX_SKIPPED = 200
"""Give up after this many consecutive skipped n."""

Make = Callable[[str, int, float | None], Awaitable[Problem]]
"""``await make(task, seed, level)`` returns a problem or raises MakeFailed."""

MAX_REJECTED = 24
"""Rejected problems after which attempts at one n end: its task may have no others."""

TRIES, STEPS = 3, 6
"""Prompts that are tried at the planned level of a problem, and lower levels after them."""

CLOSED = "The stream of problems is closed."

MOST_TOO_LONG = TRIES + STEPS + TRIES
"""Prompts that are tried for a problem."""


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


class StreamState(msgspec.Struct):
    """The state of a stream; in JSON, bytes are base64.

    Attributes:
        next_item: the first n that was not handed out.
        again: problems to ask again, before it.
        plans: those of the problems from `next_item` on.
        asked: hashes of the prompts that were served, by task.
        known_in_a_row: how many prompts of a task in a row were known.
        balance: digests of the last reference answers, by task.
    """

    next_item: Count
    again: list[tuple[str, Count, Level | None]]
    plans: list[Plan]
    asked: dict[str, bytes]
    known_in_a_row: dict[str, Count]
    balance: dict[str, list[str]]
    difficulty: dict[str, TaskState]


class ItemSource:
    """Serves the problems of one replica; `ahead` of them are begun before they are asked for.

    Args:
        make: makes a problem that was made before.
        draw: makes a problem of a task, seed and level that was never made.
        too_long: returns the option to raise where a prompt is too long, else None.

    Attributes:
        follows: whether a problem that is handed out is under way until `done`.
        position: the first n that was not handed out.
        shared: exchanges what groups show with other replicas, if there are any.
    """

    def __init__(
        self,
        make: Make,
        draw: Make,
        stream: Stream,
        difficulty: Difficulty,
        *,
        ahead: int,
        too_long: Callable[[Problem], Awaitable[str | None]] | None = None,
        balance_labels: bool = True,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.difficulty = difficulty
        self.follows = False
        self.position = 0
        self.shared: SharedEvidence | None = None
        self._make, self._draw = make, draw
        self._stream = stream
        self._most_ahead = ahead
        self._too_long = too_long
        self._balance_labels = balance_labels
        self._count = count
        self._prompts, self._answers = PromptFilter(), AnswerBalance()
        self._told: dict[str, str] = {}  # task -> the option to raise
        self._left_out: set[str] = set()
        self._plans: deque[Plan] = deque()
        self._ahead: deque[asyncio.Task[Problem | None]] = deque()
        self._again: deque[ProblemKey] = deque()
        self._under_way: dict[ProblemKey, None] = {}
        self._to_send: list[Evidence] = []
        self._exchange: asyncio.Task[list[Evidence]] | None = None
        self._due = 0.0
        self._one_at_a_time = asyncio.Lock()
        self._is_closed = False

    @property
    def requeued(self) -> int:
        """The number of problems to ask again."""
        return len(self._again)

    async def next(self) -> Problem:
        """Return the next problem: first those to ask again. What can't be made is skipped.

        Cancelling this loses no problem. StartupError: hundreds in a row could not be served.
        PoolBroken: this is closed.
        """
        await self._learn_from_others()
        async with self._one_at_a_time:
            if self._is_closed:
                raise PoolBroken(CLOSED)
            self._plan_ahead()
            problem, skipped = None, 0
            while problem is None:
                if self._again:
                    problem = await try_to_make(self._make, *self._again[0], count=self._count)
                    self._again.popleft()
                elif skipped < MAX_SKIPPED:
                    problem = await self._choose()
                    self._plans.popleft()
                    self._ahead.popleft()
                    self.position += 1
                    self._plan_ahead()
                    skipped += 1
                else:
                    raise StartupError(
                        f"{MAX_SKIPPED} items in a row could not be served: every problem was too "
                        "long, held out for evaluation, without an answer that is sure to be "
                        "right, or could not be made. Look at task_names, task_configs, "
                        "max_prompt_tokens, max_token_length and the log."
                    )
            if self.follows:
                self._under_way[problem.key] = None
            return problem

    def _plan_ahead(self) -> None:
        """Plan problems of tasks that are not left out, and begin their first attempts."""
        while len(self._plans) < self._most_ahead:
            n = self.position + len(self._plans)
            draws = (self._stream.draw(n, turn) for turn in range(64))
            fits = (drawn for drawn in draws if drawn[0] not in self._left_out)
            task, uniform = next(fits, None) or self._stream.draw(n)
            self._plans.append(Plan(task, self.difficulty.level_for(task, uniform)))
        for place in range(len(self._ahead), len(self._plans)):
            task, level = self._plans[place]
            seed = self._stream.seed(self.position + place, 0, task)
            making = try_to_make(self._draw, task, seed, level, count=self._count)
            self._ahead.append(asyncio.create_task(making))
            # Nobody may wait for it any more, and asyncio prints what nobody looks at.
            self._ahead[-1].add_done_callback(lambda made: made.cancelled() or made.exception())

    async def _choose(self) -> Problem | None:
        """Return the first attempt at the next n that may be served.

        Rather one with a new prompt and a rare answer; None if there is none at all.
        """
        (task, level), chosen, first = self._plans[0], None, self._ahead[0]
        await asyncio.wait([first])
        if first.cancelled():
            raise PoolBroken(CLOSED)
        problem = first.result()
        if task in self._left_out:
            return None
        rejected = too_long = 0
        for attempt in range(MAX_ATTEMPTS):
            if attempt:
                lower = level
                if level is not None and too_long >= TRIES:
                    lower = round(level * max(0.0, 1 - (too_long - TRIES + 1) / STEPS), 3)
                seed = self._stream.seed(self.position, attempt, task)
                problem = await try_to_make(self._draw, task, seed, lower, count=self._count)
            if problem is None:  # its generator failed: another attempt may take as long to fail
                break
            if not problem.winnable:
                self._count("not_made/unwinnable")
            elif self._too_long is not None and (option := await self._too_long(problem)):
                too_long += 1
                self._count("not_made/question_too_long")
                self.leaves_no_room(problem, option)
            elif not problem.held_out:
                known = self._prompts.is_repeated(task, problem.prompt_hash)
                frequent = self._balance_labels and self._answers.is_frequent(task, problem.answer)
                if not (known or frequent):
                    chosen = problem
                    break
                chosen = chosen or problem
                continue
            rejected += 1
            if rejected == MAX_REJECTED or too_long == MOST_TOO_LONG:
                break
        if chosen is not None:
            self._prompts.add(task, chosen.prompt_hash)
            self._answers.add(task, chosen.answer)
            return chosen
        self.difficulty.unasked(task, level)
        if too_long:
            self._count("skipped_too_long")
        if too_long == MOST_TOO_LONG and not self._prompts.has_served(task):
            self._left_out.add(task)
            log.warning(
                "%s is asked no more: its prompts are too long. Leave it out, or raise --env.%s.",
                *(task, self._told[task]),
            )
        return None

    def leaves_no_room(self, problem: Problem, option: str) -> None:
        """Learn that a prompt is too long, and say it once of each task."""
        self.difficulty.unasked(problem.task, problem.level)
        if problem.task not in self._told:
            self._told[problem.task] = option
            log.warning(
                "A prompt of %s at level %s is too long: raise --env.%s, or such problems are "
                "drawn again, at lower levels if need be.",
                *(problem.task, level_name(problem.level), option),
            )

    def done(self, problem: ProblemKey) -> None:
        """Note that the group of a problem is delivered, or that there will be none."""
        self._under_way.pop(problem, None)

    async def close(self) -> None:
        """End what is made ahead; calls that wait, and later ones, raise PoolBroken."""
        self._is_closed = True
        await end([*self._ahead, *([self._exchange] if self._exchange is not None else [])])

    def observe(
        self, problem: Problem, scores: Sequence[float], cut: Sequence[bool] | None = None
    ) -> float | None:
        """Pass scores of a group that reflect the model to the curriculum; return a new level."""
        group = Evidence.of(problem.task, problem.level, scores, cut)
        if self.shared is not None and group.size:
            self._to_send.append(group)
        return self.difficulty.learn(group)

    async def _learn_from_others(self) -> None:
        """Learn what the last exchange brought, and begin the next one if it is due."""
        if self.shared is None:
            return
        if self._exchange is None and time.monotonic() >= self._due:
            sent, self._to_send = self._to_send, []
            self._due = time.monotonic() + 2.0
            self._exchange = asyncio.create_task(asyncio.to_thread(self.shared.exchange, sent))
        elif self._exchange is not None and self._exchange.done():
            received, self._exchange = self._exchange.result(), None
            for evidence in received:
                self.difficulty.learn(evidence)
                await asyncio.sleep(0)  # each takes a millisecond

    def state(self, under_way: Iterable[Problem] = ()) -> StreamState:
        """Return the state from which `load` continues exactly; it shares nothing with this.

        `under_way` was handed out and has no group yet, besides what is followed.
        """
        asked = [*self._under_way, *(problem.key for problem in under_way), *self._again]
        known, known_in_a_row = self._prompts.state()
        return StreamState(
            next_item=self.position,
            again=list(dict.fromkeys(asked)),
            plans=list(self._plans),
            asked=known,
            known_in_a_row=known_in_a_row,
            balance=self._answers.state(),
            difficulty=self.difficulty.state(),
        )

    def load(self, state: StreamState) -> None:
        """Replace the state before the first problem; ValueError: it is damaged."""
        self.difficulty.load(state.difficulty)
        self._prompts.load(state.asked, state.known_in_a_row)
        self._answers.load(state.balance)
        self._again = deque(state.again)
        self._plans = deque(state.plans)
        self.position = state.next_item
