"""WorkerPool: makes problems and scores answers in child processes, and replaces failed workers.

::

    async with WorkerPool(workers=2) as pool:
        problem = await pool.make("gcd", seed=7)
        verdicts = await pool.score(problem, ["14", "9**9**9", None])

A worker scores the answers of a call one at a time and reports each score at once. If an answer
hangs or kills the worker, only this answer is lost: a new worker scores the others (workers.py).

Every call ends: with a result, `MakeFailed` or `PoolBroken`, or with the TypeError or ValueError of
a parameter that JSON can't express. A worker takes at most 2 G (`make`, `inspect`) or 4 G + 2 S for
each answer (`score`), where G is `generation_timeout` and S is `scoring_timeout`, in seconds of
processor time; on the clock ten times as long (process.PATIENCE).

A pool serves the event loop that started it. From any other one, and before `start`, a call raises
PoolBroken at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rgenv.errors import MakeFailed, PoolBroken
from rgenv.pool.coverage import Coverage
from rgenv.pool.process import R, TasksRefused, Worker, WorkerDied, WorkerRefused, WorkerTimeout
from rgenv.pool.workers import WallIncomplete, Wish, Workers, say_layers
from rgenv.runtime.progress import say_if_slow
from rgenv.task_names import COMPOSITE, LIBRARY
from rgenv.text import one_line
from rgenv.types import Inspection, Kind, Problem, Verdict
from rgenv.worker.protocol import (
    Drawn,
    Greeting,
    Inspected,
    Ready,
    Scored,
    Tried,
    WorkerSettings,
)

log = logging.getLogger(__name__)

MAX_ANSWER_BYTES = 32 * 1024
"""In UTF-8. A larger answer is not scored."""

MAX_MADE_PROBLEMS = 4096
"""For so many problems, the pool knows which worker made them."""

EMPTY = Verdict(0.0, "no_answer", detail="empty answer")
NOT_MADE = "the problem can't be made"
"""The beginning of a verdict's detail if the worker could not make the problem again."""


class WorkerPool:
    """A fixed number of workers; one that fails is replaced.

    Args:
        scoring_timeout: seconds that scoring one answer may take.
        generation_timeout: seconds that making one problem may take.
        settings: for each worker process.
        require_wall: refuse to start unless the workers have every layer of their sandbox that this
            machine could have.

    Attributes:
        version: the release of reasoning-gym in the workers.
        task_categories: of all tasks.
        fixed_tasks: those whose problems are alike at every level.
        hardened_tasks: tasks that have harder problems of our own.
        own_tasks: a user's own: name -> what it asks for, or an empty text.
        coverage: to which tasks our corrections apply.
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        scoring_timeout: float = 5.0,
        generation_timeout: float = 10.0,
        settings: WorkerSettings | None = None,
        require_wall: bool = False,
    ) -> None:
        settings = settings or WorkerSettings()
        self._size = workers
        self._modules = ", ".join(module.word for module in settings.task_modules)
        self._scoring_timeout = scoring_timeout
        self._generation_timeout = generation_timeout
        self._workers = Workers(settings, require_wall=require_wall)
        self._made: dict[str, tuple[Worker, float]] = {}
        self._learn(Greeting("None", {}, [], [], {}, {}, {}))

    async def __aenter__(self) -> WorkerPool:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Start all workers and wait for the first one.

        Raises:
            PoolBroken: the first worker could not be started; the message gives the reason.
            BadUsage: a user's own tasks can't be loaded.
        """
        try:
            with say_if_slow(f"{self._modules or 'reasoning-gym'} is imported"):
                first = await self._workers.start(self._size)
        except (WorkerDied, WorkerTimeout, TasksRefused) as error:
            await self.close()
            raise self._not_started(error) from None
        say_layers(first.confined)
        if self._workers.greeting is not None:
            self._learn(self._workers.greeting)

    def _learn(self, greeting: Greeting) -> None:
        self.version = greeting.version
        self.task_categories = greeting.tasks
        self.fixed_tasks = frozenset(greeting.fixed)
        self.hardened_tasks = frozenset(greeting.hardened)
        self.own_tasks = greeting.own
        self.coverage = Coverage.of(greeting)

    def _not_started(self, error: Exception) -> Exception:
        if isinstance(error, TasksRefused):
            log.debug("%s", error.traceback)
            return error
        if isinstance(error, WallIncomplete):
            return PoolBroken(str(error))
        if self._modules:
            return PoolBroken(
                f"No worker could be started with {self._modules} ({error}): does it end "
                "Python, or hang?"
            )
        return PoolBroken(
            f"No worker could be started ({error}). Run `python -m rgenv.worker '{{}}'` to see "
            "what is wrong."
        )

    def prepare(self, tasks: Iterable[str]) -> None:
        """Prepare tasks in the background: workers then make their first problem without delay.

        Those that serve meanwhile are replaced when that is done, and others start then. A user's
        own tasks, and tasks of another source than ours, are left out.
        """
        others = {COMPOSITE, *self.own_tasks}
        covered = (task for task in tasks if self.coverage.state(task) == "covered")
        self._workers.prepare([task for task in covered if task not in others])

    async def close(self) -> None:
        """Kill all workers and fail all waiting calls; idempotent.

        From another event loop, the workers are killed and nothing is waited for.
        """
        await self._workers.end()

    @property
    def restarts(self) -> int:
        return self._workers.restarts

    @property
    def malformed(self) -> int:
        """How many workers wrote something else than a reply to what they were asked."""
        return self._workers.malformed

    @property
    def live_workers(self) -> frozenset[Worker]:
        """All started workers, for tools that look at their memory."""
        return frozenset(self._workers.live)

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
        select: bool = False,
        source: str | None = None,
        problems: str | None = None,
    ) -> Problem:
        """Make one problem; ``make(**problem.recipe)`` makes one again.

        At a level, or with `select`, a strict worker draws seeds derived from `seed` until the
        problem fits (worker/selection.py); it is held out if `seed` is an evaluation seed.
        Otherwise the library makes the problem of `seed`.

        Args:
            level: difficulty in [0, 1], which sets parameters of the task; None for its defaults.
                With `config` and without `select`, it is only noted, as in a recipe.
            config: keyword parameters for reasoning-gym; with `select`, they override those of
                the level.
            select: draw seeds without a level, too. The seed of the problem is the drawn one.
            source: the hash in a recipe; None if the recipe has none.
            problems: ``library`` or ``hardened``; None: ``library``.

        Raises:
            BadUsage: the task has another source now.
            MakeFailed: the generator failed or took too long.
        """
        self.coverage.require(task, source)
        if level is not None:
            level = float(level)  # 0 and 0.0 would give a column of a dump two types
        draw = select or (level is not None and config is None)
        request = {
            "op": "make",
            "task": task,
            "seed": seed,
            "level": level if draw else None,
            "config": dict(config or {}),
            "select": draw,
            "problems": problems or LIBRARY,
        }
        drawn, maker = await self._ask(request, Drawn, self._generation_timeout)
        problem = Problem(
            task,
            drawn.seed if level is None else seed,
            level,
            drawn.config,
            drawn.question,
            drawn.answer,
            winnable=drawn.winnable,
            hardened=drawn.hardened,
            drawn_seed=drawn.seed,
            family=drawn.family,
            held_out=drawn.held_out,
            source=self.coverage.source(task),
            covered=self.coverage.state(task) == "covered",
        )
        self._made[repr(problem.made_from)] = maker
        if len(self._made) > MAX_MADE_PROBLEMS:
            del self._made[next(iter(self._made))]
        return problem

    async def solve(self, problem: Problem) -> str | None:
        """Return an answer that is known to be right, or None if none is known."""
        return (await self._inspected(problem)).answer

    async def inspect(self, problem: Problem) -> Inspection:
        """Return what the record of a task says of a problem."""
        found = await self._inspected(problem)
        return Inspection(found.shortcuts, found.work, found.accepted)

    async def _inspected(self, problem: Problem) -> Inspected:
        request = {"op": "inspect", **problem.made_from}
        return (await self._ask(request, Inspected, self._generation_timeout))[0]

    async def attempt(
        self, task: str, level: float | None, *, references: int = 8, limit: float = 0.2
    ) -> str | None:
        """Return what is wrong with a task at a level, in words; None if nothing is.

        Args:
            references: seeds whose reference answers are scored, within `limit` seconds.
        """
        request = {"op": "attempt", "task": task, "level": level}
        request |= {"references": references, "limit": limit}
        seconds = 3 * self._generation_timeout + limit  # it makes the problem three times
        fault = (await self._ask(request, Tried, seconds))[0].fault
        return fault and one_line(fault)

    async def _ask(
        self, request: Mapping[str, Any], kind: type[R], seconds: float
    ) -> tuple[R, tuple[Worker, float]]:
        """Return the one reply to a request, with the worker and the seconds that it took.

        If a worker dies, another one is asked, once.
        """
        loop, crashes = asyncio.get_running_loop(), 0
        while True:
            try:
                async with self._workers.lend(Wish(), first=crashes > 0) as worker:
                    began = loop.time()
                    worker.send({**request, "seconds": (seconds, 0)})
                    return await worker.receive(kind, seconds), (worker, loop.time() - began)
            except WorkerRefused as refusal:
                raise MakeFailed("error", str(refusal)) from None
            except WorkerTimeout as error:
                raise MakeFailed("timeout", str(error)) from None
            except WorkerDied as error:
                crashes += 1
                if crashes > 1:
                    raise MakeFailed("crashed", str(error)) from None

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """Return one verdict for each answer, in order; None: a completion without an answer.

        Answers are scored one after the other. Where a worker fails at one, another worker goes on:
        with this answer, once more, if the worker died; with the next one, if it took too long.
        """
        self._workers.require()  # also if no answer needs a worker
        verdicts = [_without_scoring(answer) for answer in answers]
        pending = [index for index, verdict in enumerate(verdicts) if verdict is None]
        wish = Wish(True, *self._made.get(repr(problem.made_from), ()))
        limits = self._generation_timeout, self._scoring_timeout
        again, crashes = False, 0
        while pending:
            is_made = False
            try:
                async with self._workers.lend(wish, first=again) as worker:
                    again = True
                    request = {"op": "score", **problem.made_from, "seconds": limits}
                    worker.send({**request, "answers": [answers[index] for index in pending]})
                    await worker.receive(Ready, self._generation_timeout)
                    is_made = True
                    while pending:
                        reply = await worker.receive(Scored, self._scoring_timeout)
                        verdicts[pending.pop(0)] = _verdict(reply)
                        crashes = 0
                    break
            except WorkerRefused as refusal:
                failure = f"{'' if is_made else f'{NOT_MADE}: '}{refusal}"
                failed = Verdict(0.0, "error", detail=failure)
            except (WorkerDied, WorkerTimeout) as error:
                crashes += 1
                hung = isinstance(error, WorkerTimeout) and is_made  # else no answer is to blame
                if crashes == 1 and not hung:
                    continue
                failed = Verdict(0.0, "timeout" if hung else "crashed", detail=str(error))
            for _ in range(1 if is_made else len(pending)):
                verdicts[pending.pop(0)] = failed
            crashes = 0
        return [verdict for verdict in verdicts if verdict is not None]


def _without_scoring(answer: str | None) -> Verdict | None:
    """Return the verdict on an answer that no worker sees; None if it has to be scored."""
    if not answer:
        return Verdict(0.0, "no_answer") if answer is None else EMPTY
    size = len(answer.encode("utf-8", "surrogatepass"))
    return Verdict(0.0, "too_large", detail=f"{size} bytes") if size > MAX_ANSWER_BYTES else None


def _verdict(reply: Scored) -> Verdict:
    """Return what a reply says of an answer: the better score of both forms."""
    if reply.rejected is not None:
        return Verdict(0.0, "rejected", detail=one_line(reply.rejected))
    if reply.raw is None and reply.raw_error is None:
        return EMPTY
    errors = (("raw", reply.raw_error), ("tagged", reply.tagged_error))
    detail = "; ".join(f"{form}: {one_line(error)}" for form, error in errors if error is not None)
    kind: Kind = "error" if reply.raw is None else "scored"
    return Verdict(
        max(reply.raw or 0.0, reply.tagged or 0.0), kind, reply.raw, reply.tagged, detail
    )
