"""ItemSource: the training problems of one replica, in order.

The first attempts at the next problems are made ahead of demand, so `next` rarely waits for a slow
generator. Which attempt is served is decided in the order of n, when a problem is handed out. So
position, plans and filters are a whole state, from which another process goes on.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rgenv.errors import StartupError
from rgenv.runtime.parts import end
from rgenv.stream.attempts import Attempts, Make, Plan, TooLong, try_to_make
from rgenv.stream.difficulty import Count, Difficulty, Evidence, Level, TaskState
from rgenv.stream.shared_evidence import SharedEvidence
from rgenv.stream.stream import Stream
from rgenv.types import Problem, ProblemKey

MAX_SKIPPED = 200
"""Give up after this many consecutive skipped n."""


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
    """Serves the problems of one replica.

    Args:
        draw: makes a problem of a task, seed and level that was never made; default: `make`.
        too_long: returns the option to raise where a prompt is too long, else None.

    Attributes:
        follows: whether a problem that is handed out is under way until `done`.
        position: the first n that was not handed out.
    """

    def __init__(
        self,
        make: Make,
        *,
        draw: Make | None = None,
        stream: Stream,
        difficulty: Difficulty,
        too_long: TooLong | None = None,
        balance_labels: bool = True,
        ahead: int = 16,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.difficulty = difficulty
        self.follows = False
        self.position = 0
        self._make = make
        self._attempts = Attempts(
            draw or make,
            stream,
            difficulty,
            too_long=too_long,
            balance_labels=balance_labels,
            count=count,
        )
        self._tasks = frozenset(stream.tasks)
        self._most_ahead = max(1, ahead)
        self._count = count
        self._plans: deque[Plan] = deque()
        self._ahead: deque[asyncio.Task[Problem | None]] = deque()
        self._again: deque[ProblemKey] = deque()
        self._under_way: dict[ProblemKey, None] = {}
        self._shared: SharedEvidence | None = None
        self._received: deque[Evidence] = deque()
        self._one_at_a_time = asyncio.Lock()

    @property
    def requeued(self) -> int:
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
            problem = await try_to_make(self._make, *self._again[0], count=self._count)
            self._again.popleft()
            if problem is not None:
                return problem
        return None

    async def _new(self) -> Problem:
        for _ in range(MAX_SKIPPED):
            self._plan_ahead()
            first = await asyncio.shield(self._ahead[0])
            problem = await self._attempts.choose(self.position, self._plans[0], first)
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
            self._plans.append(self._attempts.plan(self.position + len(self._plans)))
        self._make_ahead()

    def _make_ahead(self) -> None:
        """Begin with the first attempts at what is planned."""
        for place in range(len(self._ahead), len(self._plans)):
            making = self._attempts.make(self.position + place, 0, self._plans[place])
            self._ahead.append(asyncio.create_task(making))

    def done(self, problem: ProblemKey) -> None:
        """Note that the group of a problem is delivered, or that there will be none."""
        self._under_way.pop(problem, None)

    async def close(self) -> None:
        ahead, self._ahead = self._ahead, deque()
        await end(ahead)

    # What is learned from groups

    def observe(
        self, problem: Problem, scores: Sequence[float], cut: Sequence[bool] | None = None
    ) -> float | None:
        """Pass scores of a group that reflect the model to the curriculum; return a new level."""
        group = Evidence.of(problem.task, problem.level, scores, cut)
        if self._shared is not None and group.size:
            self._shared.add(group)
        return self.difficulty.learn(group)

    def share(self, shared: SharedEvidence) -> None:
        """Exchange what groups show with other replicas from now on."""
        self._shared = shared

    def leaves_no_room(self, problem: Problem, option: str) -> None:
        """Learn that a prompt is too long to be asked; `option` is the one to raise."""
        self._attempts.leaves_no_room(problem, option)

    async def _learn_from_others(self) -> None:
        """Learn what other replicas have sent, and let others work after each group."""
        if self._shared is not None:
            self._received.extend(one for one in self._shared.poll() if one.task in self._tasks)
        while self._received:
            self.difficulty.learn(self._received.popleft())
            await asyncio.sleep(0)

    # The state

    def state(self, under_way: Iterable[Problem] = ()) -> StreamState:
        """Return the state from which `load` continues exactly; it shares nothing with this.

        Args:
            under_way: problems that were handed out and have no group yet, besides those that are
                followed.
        """
        asked = [*self._under_way, *(problem.key for problem in under_way), *self._again]
        known, known_in_a_row = self._attempts.prompts.state()
        return StreamState(
            next_item=self.position,
            again=list(dict.fromkeys(asked)),
            plans=list(self._plans),
            asked=known,
            known_in_a_row=known_in_a_row,
            balance=self._attempts.answers.state(),
            difficulty=self.difficulty.state(),
        )

    def load(self, state: StreamState) -> None:
        """Replace the state before the first problem; ValueError: it is damaged."""
        self.difficulty.load(state.difficulty)
        self._attempts.prompts.load(state.asked, state.known_in_a_row)
        self._attempts.answers.load(state.balance)
        self._again = deque(state.again)
        self._plans = deque(state.plans)
        self.position = state.next_item

    def state_dict(self, under_way: Iterable[Problem] = ()) -> dict[str, Any]:
        """Return `state` as a JSON-able mapping."""
        found: dict[str, Any] = msgspec.to_builtins(self.state(under_way))
        return found

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Load what `state_dict` returned; ValueError: it is damaged."""
        self.load(msgspec.convert(state, StreamState))
