"""ItemSource: the training problems of one replica, in order.

The task and level of problem n are planned once; what is observed later does not change them.
Problems are made ahead of demand, and judged and handed out in the order of n. A run that may be
killed records each event (`record_to`); another process loads the last state, then replays them.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rgenv.dataset.attempts import Attempts, Event, Make, TooLong, try_to_make
from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.filters import answer_digest
from rgenv.dataset.plans import Plans
from rgenv.dataset.prefetch import NothingLeft, Prefetcher
from rgenv.dataset.shared_evidence import Learning, SharedEvidence, read_evidence
from rgenv.dataset.stream import MAX_ATTEMPTS, Stream
from rgenv.errors import StartupError
from rgenv.types import Problem, ProblemKey, read_count, read_key


class ItemSource:
    """Serves the problems of one replica.

    Args:
        draw: makes a problem of a task, seed and level that was never made; default: `make`.
        too_long: returns the option to raise where a prompt is too long, else None.
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
        self._make = make
        self._plans = Plans(stream, difficulty)
        self._learning = Learning(difficulty, self._record, stream.tasks)
        self._too_long = too_long
        self._attempts = Attempts(
            draw or make,
            self._plans,
            self._learning,
            difficulty,
            too_long=too_long,
            balance_labels=balance_labels,
            count=count,
        )
        self._ahead = ahead
        self._count = count
        self._requeued: deque[ProblemKey] = deque()
        self._judged_of_requeued = 0
        self._under_way: dict[ProblemKey, None] = {}
        self._write: Callable[[Event], None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._prefetcher = self._new_prefetcher(first=0)

    def _new_prefetcher(self, first: int) -> Prefetcher:
        return Prefetcher(self._attempts, ahead=self._ahead, most=MAX_ATTEMPTS, first=first)

    @property
    def position(self) -> int:
        return self._prefetcher.position

    @property
    def requeued(self) -> int:
        return len(self._requeued)

    async def next(self) -> Problem:
        """Return the next problem. Problems that can't be made are counted and skipped.

        After a resume, the problems that were in progress come first, then those that had been made
        ahead. For each of those that is still to be served, one problem less is prefetched, so that
        each later problem is planned at the same moment as in an uninterrupted run.

        Raises:
            StartupError: hundreds of problems in a row could not be served.
        """
        await self._learning.poll()
        async with self._one_at_a_time:
            while self._requeued:
                key = self._requeued[0]
                problem = await try_to_make(self._make, *key, count=self._count)
                self._requeued.popleft()
                self._judged_of_requeued = min(len(self._requeued), self._judged_of_requeued)
                self._prefetcher.fill(reserved=self._judged_of_requeued)
                if problem is not None:
                    self._note_under_way(key)
                    return problem
                self._record("done", *key)
            try:
                problem = await self._prefetcher.next()
            except NothingLeft as error:
                raise StartupError(
                    f"{error}: every problem was too long, held out for evaluation, without an "
                    "answer that is sure to be right, or could not be made. Look at task_names, "
                    "task_configs, max_prompt_tokens, max_token_length and the log."
                ) from None
            self._record_new(problem, self._prefetcher.first_left - 1)
            self._note_under_way(problem.key)
            return problem

    def observe(
        self, problem: Problem, scores: Sequence[float], cut: Sequence[bool] | None = None
    ) -> float | None:
        """Pass scores of a group that reflect the model to the curriculum; return a new level."""
        task, level = problem.task, problem.level
        if self._too_long is None and self.difficulty.room.watches(task):
            self._learning.prompts(task, level, fits=1, too_long=0)
        cuts = [False] * len(scores) if cut is None else cut
        return self._learning.group(problem, scores, cuts)

    def share(self, shared: SharedEvidence) -> None:
        """Exchange what groups show with other replicas from now on."""
        self._learning.share(shared)

    def leaves_no_room(self, problem: Problem, option: str) -> None:
        """Learn that a prompt is too long to be asked; `option` is the one to raise."""
        self._attempts.tell(problem, option)
        self._learning.unasked(problem)

    async def close(self) -> None:
        await self._prefetcher.close()

    # Recording and replaying

    def record_to(self, write: Callable[[Event], None]) -> None:
        """From now on, pass each event to `write` before it takes effect outside.

        From now on, too, a problem that is handed out is under way until `done`.
        """
        self._write = write
        self._attempts.events.clear()

    def done(self, problem: ProblemKey) -> None:
        """Note that the group of a problem is delivered, or that there will be none."""
        if problem in self._under_way:
            del self._under_way[problem]
            self._record("done", *problem)

    def replay(self, event: Event) -> None:
        """Apply an event that was recorded after the loaded state; a damaged one raises."""
        kind, *values = event
        if kind == "asked":
            n, *key, prompt, answer = values
            problem = read_key(key)
            if read_count(n) < self.position:  # it had been made ahead, so the state has it
                self._judged_of_requeued = max(0, self._judged_of_requeued - 1)
                return
            self._attempts.prompts.add(problem[0], read_count(prompt))
            self._attempts.answers.add_digest(problem[0], answer)
            if problem not in self._requeued:
                self._requeued.append(problem)
            self._go_on_from(n + 1)
        elif kind == "skipped":
            n, task, level = values
            read_key([task, n, level])  # for its checks
            if n >= self.position:
                self.difficulty.skipped(task, level)
                self._go_on_from(n + 1)
        elif kind == "room":
            n, task, level, fits, too_long, limit = values
            read_evidence([task, level, fits, too_long, fits + too_long, limit])  # for its checks
            if read_count(n) >= self.position and self.difficulty.room.believes(limit):
                self._learning.count_prompts(task, level, fits, too_long)
        elif kind == "learned":
            self._learning.evidence(read_evidence(values))
        elif kind == "done":
            if (problem := read_key(values)) in self._requeued:
                self._requeued.remove(problem)
        else:
            raise ValueError(f"no event is called {kind!r}")

    def _go_on_from(self, n: int) -> None:
        self._plans.drop(n - 1)
        self._prefetcher = self._new_prefetcher(first=n)

    def _note_under_way(self, key: ProblemKey) -> None:
        if self._write is not None:
            self._under_way[key] = None

    def _record_new(self, problem: Problem, n: int) -> None:
        """Record problem n, after the events of the problems up to it."""
        events = self._attempts.events
        while events and events[0][0] <= n:
            self._record(*events.popleft()[1])
        self._record("asked", n, *problem.key, problem.prompt_hash, answer_digest(problem.answer))

    def _record(self, kind: str, *values: Any) -> None:
        if self._write is not None:
            self._write([kind, *values])

    # Checkpoints

    def state_dict(self, under_way: Iterable[Problem]) -> dict[str, Any]:
        """Return a JSON-able state from which `load_state_dict` continues exactly.

        Args:
            under_way: the problems that were handed out and have no group yet, besides those that
                were handed out since `record_to`.
        """
        judged = [problem.key for problem in self._prefetcher.judged]
        position = self._prefetcher.position
        asked = [*self._under_way, *(problem.key for problem in under_way)]
        again = [*asked, *self._requeued, *judged]
        return {
            "next_item": position,
            "again": list(dict.fromkeys(again)),
            "judged": min(len(self._requeued), self._judged_of_requeued) + len(judged),
            "plans": self._plans.state(position),
            "prompts": self._attempts.prompts.state_dict(),
            "balance": self._attempts.answers.state_dict(),
            "difficulty": self.difficulty.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state; a damaged one raises errors of `resume.checkpoints.DAMAGED`."""
        self.difficulty.load_state_dict(state["difficulty"])
        self._attempts.prompts.load_state_dict(state["prompts"])
        self._attempts.answers.load_state_dict(state["balance"])
        self._plans.load(state["plans"])
        self._requeued = deque(map(read_key, state["again"]))
        self._judged_of_requeued = min(len(self._requeued), read_count(state["judged"]))
        self._prefetcher = self._new_prefetcher(first=read_count(state["next_item"]))
