"""ItemSource: the training problems of one replica, in order.

The first attempts at the next problems are made ahead of demand, so `next` rarely waits for a slow
generator. Which attempt is served is decided in the order of n, when a problem is handed out. So
position, plans and filters are a whole state, from which another process goes on.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Sequence

import msgspec

from rgenv.errors import StartupError
from rgenv.runtime.parts import end
from rgenv.stream.choice import Plan, ProblemChoice
from rgenv.stream.difficulty import Count, Evidence, Level, TaskState
from rgenv.stream.shared_evidence import SharedEvidence
from rgenv.types import Problem, ProblemKey

MAX_SKIPPED = 200
"""Give up after this many consecutive skipped n."""

SECONDS = 2.0
"""Seconds between two exchanges of evidence."""


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
    """Serves the problems of one replica, `ahead` of which are begun before they are asked for.

    Attributes:
        follows: whether a problem that is handed out is under way until `done`.
        position: the first n that was not handed out.
    """

    def __init__(self, choice: ProblemChoice, *, ahead: int = 16) -> None:
        self.difficulty = choice.difficulty
        self.follows = False
        self.position = 0
        self._choice = choice
        self._most_ahead = ahead
        self._plans: deque[Plan] = deque()
        self._ahead: deque[asyncio.Task[Problem | None]] = deque()
        self._again: deque[ProblemKey] = deque()
        self._under_way: dict[ProblemKey, None] = {}
        self._shared: SharedEvidence | None = None
        self._to_send: list[Evidence] = []
        self._exchange: asyncio.Task[list[Evidence]] | None = None
        self._due = 0.0
        self._one_at_a_time = asyncio.Lock()

    @property
    def requeued(self) -> int:
        """The number of problems to ask again."""
        return len(self._again)

    async def next(self) -> Problem:
        """Return the next problem: first those to ask again. What can't be made is skipped.

        Cancelling this loses no problem.

        Raises:
            StartupError: hundreds of problems in a row could not be served.
        """
        await self._learn_from_others()
        async with self._one_at_a_time:
            problem = await self._asked_before() or await self._new()
            if self.follows:
                self._under_way[problem.key] = None
            return problem

    async def _asked_before(self) -> Problem | None:
        self._make_ahead()
        while self._again:
            problem = await self._choice.make_again(self._again[0])
            self._again.popleft()
            if problem is not None:
                return problem
        return None

    async def _new(self) -> Problem:
        for _ in range(MAX_SKIPPED):
            self._plan_ahead()
            first = await asyncio.shield(self._ahead[0])
            problem = await self._choice.choose(self.position, self._plans[0], first)
            self._plans.popleft()
            self._ahead.popleft()
            self.position += 1
            self._plan_ahead()
            if problem is not None:
                return problem
        raise StartupError(
            f"{MAX_SKIPPED} items in a row could not be served: every problem was too long, held "
            "out for evaluation, without an answer that is sure to be right, or could not be made. "
            "Look at task_names, task_configs, max_prompt_tokens, max_token_length and the log."
        )

    def _plan_ahead(self) -> None:
        while len(self._plans) < self._most_ahead:
            self._plans.append(self._choice.plan(self.position + len(self._plans)))
        self._make_ahead()

    def _make_ahead(self) -> None:
        """Begin with the first attempts at what is planned."""
        for place in range(len(self._ahead), len(self._plans)):
            making = self._choice.make(self.position + place, 0, self._plans[place])
            self._ahead.append(asyncio.create_task(making))

    def done(self, problem: ProblemKey) -> None:
        """Note that the group of a problem is delivered, or that there will be none."""
        self._under_way.pop(problem, None)

    async def close(self) -> None:
        """End what is made ahead."""
        ahead, self._ahead = self._ahead, deque()
        await end([*ahead, *([self._exchange] if self._exchange is not None else [])])

    # What is learned from groups

    def observe(
        self, problem: Problem, scores: Sequence[float], cut: Sequence[bool] | None = None
    ) -> float | None:
        """Pass scores of a group that reflect the model to the curriculum; return a new level."""
        group = Evidence.of(problem.task, problem.level, scores, cut)
        if self._shared is not None and group.size:
            self._to_send.append(group)
        return self.difficulty.learn(group)

    def share(self, shared: SharedEvidence) -> None:
        """Exchange what groups show with other replicas from now on."""
        self._shared = shared

    async def _learn_from_others(self) -> None:
        """Learn what the last exchange brought, and begin the next one if it is due."""
        if self._shared is None:
            return
        if self._exchange is None and time.monotonic() >= self._due:
            sent, self._to_send = self._to_send, []
            self._due = time.monotonic() + SECONDS
            work = asyncio.to_thread(self._shared.exchange, sent)
            self._exchange = asyncio.create_task(work)
        elif self._exchange is not None and self._exchange.done():
            received, self._exchange = self._exchange.result(), None
            for evidence in received:
                self.difficulty.learn(evidence)
                await asyncio.sleep(0)  # each takes a millisecond

    def leaves_no_room(self, problem: Problem, option: str) -> None:
        """Learn that a prompt is too long to be asked; `option` is the one to raise."""
        self._choice.leaves_no_room(problem, option)

    # The state

    def state(self, under_way: Iterable[Problem] = ()) -> StreamState:
        """Return the state from which `load` continues exactly; it shares nothing with this.

        Args:
            under_way: problems that were handed out and have no group yet, besides those that are
                followed.
        """
        asked = [*self._under_way, *(problem.key for problem in under_way), *self._again]
        known, known_in_a_row = self._choice.prompts.state()
        return StreamState(
            next_item=self.position,
            again=list(dict.fromkeys(asked)),
            plans=list(self._plans),
            asked=known,
            known_in_a_row=known_in_a_row,
            balance=self._choice.answers.state(),
            difficulty=self.difficulty.state(),
        )

    def load(self, state: StreamState) -> None:
        """Replace the state before the first problem; ValueError: it is damaged."""
        self.difficulty.load(state.difficulty)
        self._choice.prompts.load(state.asked, state.known_in_a_row)
        self._choice.answers.load(state.balance)
        self._again = deque(state.again)
        self._plans = deque(state.plans)
        self.position = state.next_item
