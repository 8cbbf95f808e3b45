"""The loops of `serve` and `process`, and the groups under way.

`serve` takes the place of Atropos' loop, which fills the whole queue with each environment and
cancels everything under way when the queue is full. Here groups are asked for while there is room
for them, and they finish. What is under way is cancelled at the end of the run, for an evaluation
with STOP_TRAIN, and if it takes longer than `worker_timeout`; its problem is asked again.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
import uuid
from collections.abc import Callable, Container, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from atroposlib.envs.base import BaseEnvConfig, EvalHandlingEnum

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.errors import StartupError
from rgenv.rollout_api.client import Sizes
from rgenv.rollouts.admission import Admission, Concurrency, Queue
from rgenv.runtime.parts import end
from rgenv.types import Problem, ProblemKey

Made = tuple[Problem, Any]
"""A problem, and its group as `collect_trajectories` returns it."""

log = logging.getLogger("ReasoningGymEnv")

LOOP_SECONDS = 0.1
"""Seconds between two looks at the queue."""

ADDING_SECONDS = 1.0
"""Seconds after which a loop that waits for problems looks at the queue again."""

GROUPS_PER_SERVER: int = BaseEnvConfig.model_fields["max_num_workers_per_node"].default
"""Groups that are always allowed, for each inference server, unless an option says otherwise."""

AHEAD = 4
"""So many times the groups under way are held by `process`, for a group before them to be made."""

OTHER_SIZE = (
    "Another environment sends groups of %d completions. With ours of %d, the rollout API may "
    "never fill a batch: set --env.group_size to the same number in both."
)
GROUP_TOO_LARGE = (
    "group_size {} does not fit the trainer's batch_size {}: lower --env.group_size or raise the "
    "trainer's."
)


class Hooks(Protocol):
    """What a run calls of its environment: hooks of Atropos' BaseEnv, which subclasses override."""

    name: str | None
    tokenizer: Any
    curr_step: int
    eval_metrics: list[tuple[str, float]]
    mainloop_timings: list[float]

    async def setup(self) -> None: ...
    async def setup_wandb(self) -> None: ...
    async def register_env(self) -> None: ...
    async def get_server_info(self) -> None: ...
    async def get_status(self) -> None: ...
    async def env_step_checks(self) -> None: ...
    async def add_train_workers(self) -> None: ...
    async def get_next_item(self) -> Problem | None: ...
    async def handle_env(self, item_uuid: str) -> Any: ...
    async def collect_trajectories(self, item: Problem) -> tuple[Any, list[Problem]]: ...
    async def postprocess_histories(self, trajectories: Any) -> Any: ...
    async def handle_send_to_api(self, scored_data: Any, *args: Any, **kwargs: Any) -> None: ...
    async def wandb_log(self, wandb_metrics: dict[str, Any] | None = None) -> None: ...
    async def evaluate(self) -> None: ...
    async def close(self) -> None: ...


@dataclass(frozen=True)
class Limits:
    """What the options and the inference servers allow.

    Attributes:
        batches: how many batches may wait for the trainer.
        allocation: the part of each batch that is reserved for this environment.
        fixed: how many groups may be under way; None: as many as the servers take.
        at_first: how many may be before any answer came.
        timeout: seconds after which a group is cancelled; 0 or less: never.
        during_evaluation: the part of the groups that goes on while an evaluation runs.
    """

    group_size: int
    batches: int
    allocation: float
    fixed: int | None
    at_first: int
    at_most: float
    timeout: float
    during_evaluation: float
    stops: bool

    @classmethod
    def of(
        cls, config: ReasoningGymEnvConfig, clients: Sequence[Any], at_once: int | None
    ) -> Limits:
        """Return the limits of a configuration; `at_once` is the most completions in a request."""
        each = config.max_num_workers_per_node
        at_first = each * len(clients) if config.max_num_workers == -1 else config.max_num_workers
        is_free = config.max_num_workers == -1 and each == GROUPS_PER_SERVER
        requests = sum(client.config.num_max_requests_at_once for client in clients)
        parts = {EvalHandlingEnum.STOP_TRAIN: 0.0}
        parts[EvalHandlingEnum.LIMIT_TRAIN] = config.eval_limit_ratio
        return cls(
            group_size=config.group_size,
            batches=config.max_batches_offpolicy,
            allocation=config.min_batch_allocation or 0.0,
            fixed=None if is_free else at_first,
            at_first=at_first,
            at_most=requests / math.ceil(config.group_size / (at_once or config.group_size)),
            timeout=config.worker_timeout,
            during_evaluation=parts.get(config.eval_handling, 1.0),
            stops=config.eval_handling == EvalHandlingEnum.STOP_TRAIN,
        )


class Loop:
    """Owns the groups that are under way, and the problems to ask again.

    Attributes:
        waiting: problems to ask again, before new ones.
        running: name -> ``item``, ``worker`` and ``start_time`` of each group under way, as
            Atropos' `handle_env` reads them.
        workers: the tasks of these groups.
        total_steps: the trainer's step after which `serve` ends.
        evaluation: the task of the last evaluation beside the training.
    """

    def __init__(
        self,
        hooks: Hooks,
        limits: Limits,
        admission: Admission,
        concurrency: Concurrency,
        *,
        sizes: Sizes,
        delivered: Callable[[], int],
        finishing: Callable[[], Container[object]],
    ) -> None:
        self.waiting: list[Problem] = []
        self.running: dict[str, dict[str, Any]] = {}
        self.workers: set[asyncio.Task[Any]] = set()
        self.status: dict[str, Any] = {}
        self.sizes = sizes
        self.most = limits.at_first
        self.total_steps = 0
        self.evaluation: asyncio.Task[None] | None = None
        self._hooks = hooks
        self._limits = limits
        self._admission = admission
        self._concurrency = concurrency
        self._delivered = delivered
        self._finishing = finishing
        self._has_told_size = False
        self._made: dict[ProblemKey, Made | None] = {}

    # The two commands

    async def serve(self) -> None:
        hooks = self._hooks
        await hooks.setup()
        await hooks.setup_wandb()
        await hooks.register_env()
        await hooks.get_server_info()
        while True:
            began = time.monotonic()
            await hooks.get_status()
            await hooks.env_step_checks()
            if self._step_ahead > self.total_steps:
                return  # `close` cancels what is under way
            await hooks.add_train_workers()
            self._stop_overdue()
            await asyncio.sleep(LOOP_SECONDS)
            hooks.mainloop_timings.append(time.monotonic() - began)

    async def process(self, groups: int) -> None:
        """Make groups, as many at a time as the servers take; write them in the stream's order.

        A problem that gives none is followed by another one.
        """
        self._hooks.curr_step = 0
        while self._hooks.curr_step < groups:
            self.most = self._most_groups()
            most = min(AHEAD * self.most, groups - self._hooks.curr_step)
            has_room = len(self.workers) < self.most and len(self._made) < most
            item = await self._next_item() if has_room else None
            if item is not None:
                self._made[item.key] = None
                self.workers.add(asyncio.create_task(self._make(item)))
            elif not self.workers:
                return
            else:
                await asyncio.wait(self.workers, return_when=asyncio.FIRST_COMPLETED)
            for worker in [worker for worker in self.workers if worker.done()]:
                self.workers.discard(worker)
                worker.result()
            while self._made and (first := next(iter(self._made.values()))) is not None:
                await self._write(first)

    async def _make(self, item: Problem) -> None:
        """Ask an item until it gives a group, or is given up."""
        group, again = await self._hooks.collect_trajectories(item)
        while not group and again:
            group, again = await self._hooks.collect_trajectories(item)
        if group:
            self._made[item.key] = item, group
        else:
            del self._made[item.key]

    async def _write(self, made: Made) -> None:
        """Write a group of `process`, which its file then has."""
        item, group = made
        data = await self._hooks.postprocess_histories(group)
        await self._hooks.handle_send_to_api(
            data, item, do_send_to_api=False, abort_on_any_max_length_exceeded=False
        )
        del self._made[item.key]  # only now: what is cancelled before is written by `write_rest`
        await self._hooks.wandb_log()
        self._hooks.curr_step += 1

    async def write_rest(self) -> None:
        """Write what is made when `process` ends."""
        for made in [made for made in self._made.values() if made is not None]:
            await self._write(made)

    # What the rollout API says

    def take_status(self, status: dict[str, Any]) -> None:
        ours, others = self._limits.group_size, status["max_group_size"]
        if others % ours and others != 1 and not self._has_told_size:
            log.warning(OTHER_SIZE, others, ours)
            self._has_told_size = True
        self.status = status

    def take_sizes(self, sizes: Sizes) -> None:
        """Take what the trainer takes; -1 leaves a size. StartupError: a group exceeds a batch."""
        known = zip(sizes, self.sizes, strict=True)
        self.sizes = Sizes(*(before if new == -1 else new for new, before in known))
        if self._limits.group_size > self.sizes.batch_size:
            raise StartupError(
                GROUP_TOO_LARGE.format(self._limits.group_size, self.sizes.batch_size)
            )

    @property
    def queue_limit(self) -> int:
        return self._limits.batches * self.sizes.batch_size // self._limits.group_size

    @property
    def _step_ahead(self) -> int:
        """The trainer's step once it has taken the whole batches that wait for it."""
        waiting = self.status["queue_size"] * self._limits.group_size // self.sizes.batch_size
        return int(self.status["current_step"] + waiting)

    @property
    def _queue(self) -> Queue:
        """What the rollout API said last about its queue.

        Whatever the weights of others, there is room for one group of ours.
        """
        status, limits = self.status, self._limits
        batch = self.sizes.batch_size / limits.group_size
        ours = status.get("unallocated_fraction", 1.0) + limits.allocation
        limit = limits.batches * int(self.sizes.batch_size * ours) // limits.group_size
        return Queue(
            step=status["current_step"],
            waiting=status["queue_size"],
            own=status["self_queue_size"],
            weight=max(status["env_weight"], 1 / max(1, limit)),
            limit=limit,
            batch=batch,
            reserved=math.ceil(limits.allocation * batch * limits.batches),
            wanted=(self.total_steps + 1 - status["current_step"]) * batch,
        )

    # Groups under way

    async def ask(self) -> int:
        """Ask for the groups for which there is room, those given back first; return how many."""
        self._admission.look(self._queue, self._delivered())
        self.most = self._most_groups()
        room = self._admission.room(len(self.workers))
        room = wanted = min(room, self._most_now - len(self.workers))
        until = time.monotonic() + ADDING_SECONDS
        while room > 0 and time.monotonic() < until:
            if (item := await self._next_item()) is None:
                break
            self._start(item)
            room -= 1
        return wanted

    async def _next_item(self) -> Problem | None:
        return self.waiting.pop(0) if self.waiting else await self._hooks.get_next_item()

    def _most_groups(self) -> int:
        if self._limits.fixed is not None:
            return self._limits.fixed
        share = max(1, int(self._limits.at_most * self.status.get("env_weight", 1.0)))
        return self._concurrency.groups(len(self.workers), share)

    @property
    def _most_now(self) -> int:
        return int(self.most * self._limits.during_evaluation) if self.evaluates else self.most

    def _start(self, item: Problem) -> None:
        name, began = str(uuid.uuid4()), time.monotonic()
        worker = asyncio.create_task(self._hooks.handle_env(name))
        self.running[name] = {
            "item": item,
            "worker": worker,
            "start_time": time.time(),  # for Atropos
            "began": began,
        }
        self.workers.add(worker)

        def ended(worker: asyncio.Task[Any]) -> None:
            self.workers.discard(worker)
            if not worker.cancelled():
                self._admission.finished(time.monotonic() - began)

        worker.add_done_callback(ended)

    def _stop_overdue(self) -> None:
        """Cancel what has taken longer than `worker_timeout`; its problem is asked again."""
        limit = self._limits.timeout
        for name, running in list(self.running.items()):
            if 0 < limit < time.monotonic() - running["began"]:
                log.warning("A group took longer than --env.worker_timeout %g s: cancelled.", limit)
                self._cancel(name)

    def give_back(self, item: Problem) -> None:
        """Ask a cancelled problem again, unless it waits already."""
        if not any(item is waiting for waiting in self.waiting):
            self.waiting.append(item)

    @property
    def unfinished(self) -> list[Problem]:
        return [running["item"] for running in self.running.values()] + self.waiting

    # Evaluations beside the training

    @property
    def evaluates(self) -> bool:
        return self.evaluation is not None and not self.evaluation.done()

    @property
    def is_paused(self) -> bool:
        return self.evaluates and self._limits.stops

    def start_evaluation(self, evaluate: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start an evaluation in the background, unless one is still running."""
        if self.evaluates:
            log.warning("The last evaluation is still running; this one is skipped.")
            return
        self.evaluation = asyncio.create_task(evaluate())
        if self._limits.stops:
            self._cancel_generating()

    def _cancel_generating(self) -> None:
        """Cancel what has no completions yet; its problems are asked again first."""
        for name, running in list(self.running.items()):
            if running["worker"] not in self._finishing():
                self.waiting.append(running["item"])
                self._cancel(name)

    def _cancel(self, name: str) -> None:
        worker = self.running.pop(name)["worker"]
        worker.cancel()
        self.workers.discard(worker)

    async def stop(self, deadline: float) -> None:
        """Cancel what has no completions yet, and all at `deadline`, of the monotonic clock."""
        if self.evaluates:
            log.warning("The run ends before its last evaluation did: that evaluation is dropped.")
        evaluation = [self.evaluation] if self.evaluation is not None else []
        finishing = [worker for worker in self.workers if worker in self._finishing()]
        await end([*evaluation, *self.workers.difference(finishing)])
        if finishing:
            await asyncio.wait(finishing, timeout=max(0.0, deadline - time.monotonic()))
        await end(finishing)
