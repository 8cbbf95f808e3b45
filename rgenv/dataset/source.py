"""ItemSource: the training problems of one replica, in order.

The task and level of problem n are planned once; what is observed later does not change them.
Problems are made ahead of demand, and judged and handed out in the order of n. A run that may be
killed records each event (`record_to`); another process loads the last state, then replays them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.filters import AnswerBalance, PromptFilter, PromptStatus, answer_digest
from rgenv.dataset.plans import Plans
from rgenv.dataset.prefetch import Judgement, NothingLeft, Prefetcher
from rgenv.dataset.shared_evidence import Learning, SharedEvidence, read_evidence
from rgenv.dataset.stream import MAX_ATTEMPTS, Stream
from rgenv.errors import MakeFailed, StartupError
from rgenv.text import level_name
from rgenv.types import Problem, ProblemKey, read_count, read_key

Event = list[Any]
"""What happened to a problem; JSON-able. `ItemSource.replay` has the kinds."""

log = logging.getLogger(__name__)

Make = Callable[[str, int, float | None], Awaitable[Problem]]
"""``await make(task, seed, level)`` returns a problem or raises MakeFailed."""

PROMPT_JUDGEMENTS: dict[PromptStatus, Judgement] = {
    "new": "accept",
    "exhausted": "accept",
    "repeated": "fallback",
}


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
        too_long: Callable[[Problem], Awaitable[str | None]] | None = None,
        balance_labels: bool = True,
        ahead: int = 16,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.difficulty = difficulty
        self._make = make
        self._draw = draw or make
        self._plans = Plans(stream, difficulty)
        self._learning = Learning(difficulty, self._record)
        self._too_long = too_long
        self._obstacles: dict[ProblemKey, str] = {}
        self._told: set[str] = set()
        self._balance_labels = balance_labels
        self._ahead = ahead
        self._count = count
        self._prompts = PromptFilter()
        self._answers = AnswerBalance()
        self._requeued: deque[ProblemKey] = deque()
        self._judged_of_requeued = 0
        self._under_way: dict[ProblemKey, None] = {}
        self._notes: deque[tuple[int, Event]] = deque()
        self._write: Callable[[Event], None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._prefetcher = self._new_prefetcher(first=0)

    def _new_prefetcher(self, first: int) -> Prefetcher[Problem]:
        return Prefetcher(
            self._make_nth,
            self._judge,
            self._remember,
            self._skipped,
            ahead=self._ahead,
            attempts=MAX_ATTEMPTS,
            first=first,
        )

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
                    self._hand_out(key)
                    return problem
                self._record("done", *key)
            try:
                problem = await self._prefetcher.next()
            except NothingLeft as error:
                raise StartupError(
                    f"{error}: every problem was too long, held out for evaluation, or could not "
                    "be made. Look at task_names, task_configs, max_prompt_tokens, "
                    "max_token_length and the log."
                ) from None
            self._record_new(problem, self._prefetcher.first_left - 1)
            self._hand_out(problem.key)
            return problem

    def requeue(self, problem: Problem) -> None:
        """Serve this problem again, before new ones."""
        self._requeued.append(problem.key)
        self._under_way.pop(problem.key, None)

    def observe(
        self,
        problem: Problem,
        scores: Sequence[float],
        cut: Sequence[bool] | None = None,
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
        self._tell(problem, option)
        self._learning.unasked(problem)

    def _tell(self, problem: Problem, option: str) -> None:
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

    async def close(self) -> None:
        await self._prefetcher.close()

    # Called by the prefetcher

    async def _make_nth(self, n: int, attempt: int) -> Problem | None:
        task, seed, level = self._plans.attempt(n, attempt)
        log.debug("Problem %d.%d: %s, seed %d, level %s.", n, attempt, task, seed, level)
        problem = await try_to_make(self._draw, task, seed, level, count=self._count)
        option = await self._too_long(problem) if problem and self._too_long else None
        if problem is not None and option is not None:
            self._obstacles[problem.key] = option
        return problem

    def _judge(self, problem: Problem) -> Judgement:
        """Reject unwinnable, long and held-out problems; avoid repeats and frequent answers."""
        option = self._obstacles.pop(problem.key, None)
        if not problem.winnable:
            self._count("not_made/unwinnable")
            return "reject"
        if option is not None:
            self._count("not_made/question_too_long")
            self._tell(problem, option)
            self._plans.missed(problem)
            return "reject"
        if problem.held_out:
            return "reject"
        judgement = PROMPT_JUDGEMENTS[self._prompts.judge(problem.task, problem.prompt_hash)]
        if judgement == "accept" and self._is_frequent(problem):
            return "fallback"
        return judgement

    def _is_frequent(self, problem: Problem) -> bool:
        return self._balance_labels and self._answers.is_frequent(problem.task, problem.answer)

    def _learn_from_attempts(self, served: Problem | None) -> bool:
        """Count the prompts tried for a judged problem; return whether any was too long."""
        misses = self._plans.take_misses()
        for (task, level), too_long in misses.items():
            self._note_room(task, level, 0, too_long)
        if self._too_long is None or served is None:
            return bool(misses)
        if self.difficulty.room.watches(served.task):
            self._note_room(served.task, served.level, 1, 0)
        return bool(misses)

    def _note_room(self, task: str, level: float | None, fits: int, too_long: int) -> None:
        n, limit = self.position, self.difficulty.room.limit
        self._note(n, "room", n, task, level, fits, too_long, limit)
        self._learning.prompts(task, level, fits=fits, too_long=too_long)

    def _remember(self, problem: Problem) -> None:
        self._learn_from_attempts(problem)
        self._prompts.add(problem.task, problem.prompt_hash)
        self._answers.add(problem.task, problem.answer)

    def _skipped(self, n: int) -> None:
        self._prompts.settle()
        if self._learn_from_attempts(None):
            self._count("skipped_too_long")
        task, level = self._plans.of(n)
        self.difficulty.skipped(task, level)
        self._note(n, "skipped", n, task, level)

    def _note(self, n: int, *event: Any) -> None:
        """Keep an event of problem n, which is recorded when a problem from n on is asked."""
        if self._write is not None:
            self._notes.append((n, [*event]))

    # Recording and replaying

    def record_to(self, write: Callable[[Event], None]) -> None:
        """From now on, pass each event to `write` before it takes effect outside.

        From now on, too, a problem that is handed out is under way until `done`.
        """
        self._write = write

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
            self._prompts.add(problem[0], read_count(prompt))
            self._answers.add_digest(problem[0], answer)
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

    def _hand_out(self, key: ProblemKey) -> None:
        if self._write is not None:
            self._under_way[key] = None

    def _record_new(self, problem: Problem, n: int) -> None:
        """Record problem n, the skipped ones before it, and what their prompts showed."""
        while self._notes and self._notes[0][0] <= n:
            kind, *values = self._notes.popleft()[1]
            self._record(kind, *values)
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
            "prompts": self._prompts.state_dict(),
            "balance": self._answers.state_dict(),
            "difficulty": self.difficulty.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state; a damaged one raises errors of `resume.checkpoints.DAMAGED`."""
        self.difficulty.load_state_dict(state["difficulty"])
        self._prompts.load_state_dict(state["prompts"])
        self._answers.load_state_dict(state["balance"])
        self._plans.load(state["plans"])
        self._requeued = deque(map(read_key, state["again"]))
        self._judged_of_requeued = min(len(self._requeued), read_count(state["judged"]))
        self._prefetcher = self._new_prefetcher(first=read_count(state["next_item"]))
