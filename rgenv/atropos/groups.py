"""The groups that are under way in `serve`, and how many there may be.

Groups are asked for while there is room for them, and they finish. What is under way is cancelled
at the end of the run, for an evaluation with STOP_TRAIN, and if it takes longer than
`worker_timeout`; its problem is asked again.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
import uuid
from collections.abc import Callable, Container, Coroutine, Sequence
from typing import Any

from atroposlib.envs.base import BaseEnvConfig, EvalHandlingEnum

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.rollout_api import Sizes
from rgenv.errors import StartupError
from rgenv.rollouts.admission import Admission, Concurrency, Queue
from rgenv.runtime.parts import end
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

GROUPS_PER_SERVER: int = BaseEnvConfig.model_fields["max_num_workers_per_node"].default
"""Groups that are always allowed, for each inference server, unless an option says otherwise."""


class Groups:
    """The groups under way, the problems to ask again, and how many groups there may be.

    Args:
        at_once: the most completions in a request.
        delivered: returns how many groups were delivered.
        finishing: returns the tasks of groups that have their completions.

    Attributes:
        waiting, running, workers: problems to ask again; the groups under way as Atropos'
            `handle_env` reads them; their tasks.
        concurrency: finds out how many groups the servers can make at once.
        most: how many may be under way.
        total_steps: the trainer's step after which `serve` ends.
    """

    def __init__(
        self,
        config: ReasoningGymEnvConfig,
        clients: Sequence[Any],
        *,
        at_once: int | None,
        delivered: Callable[[], int],
        finishing: Callable[[], Container[object]],
    ) -> None:
        self.waiting: list[Problem] = []
        self.running: dict[str, dict[str, Any]] = {}
        self.workers: set[asyncio.Task[Any]] = set()
        self.status: dict[str, Any] = {}
        self.sizes = Sizes(config.batch_size, -1)
        self.total_steps = 0
        self.stops_for_evaluation = config.eval_handling == EvalHandlingEnum.STOP_TRAIN
        each, is_free = config.max_num_workers_per_node, config.max_num_workers == -1
        self.most: int = each * len(clients) if is_free else config.max_num_workers
        self._fixed = None if is_free and each == GROUPS_PER_SERVER else self.most
        requests = sum(client.config.num_max_requests_at_once for client in clients)
        self._requests = requests / math.ceil(config.group_size / (at_once or config.group_size))
        self._config = config
        self._admission = Admission(config.replica_id, config.num_replicas)
        self.concurrency = Concurrency(GROUPS_PER_SERVER * len(clients))
        self._delivered, self._finishing = delivered, finishing
        self._has_told_size = False

    # What the rollout API says

    def take_status(self, status: dict[str, Any]) -> None:
        ours, others = self._config.group_size, status["max_group_size"]
        if others % ours and others != 1 and not self._has_told_size:
            log.warning(
                "Another environment sends groups of %d completions. With ours of %d, the rollout "
                "API may never fill a batch: set --env.group_size to the same number in both.",
                *(others, ours),
            )
            self._has_told_size = True
        self.status = status

    def take_sizes(self, sizes: Sizes) -> None:
        """Take what the trainer takes; -1 leaves a size. StartupError: a group exceeds a batch."""
        before = self.sizes
        self.sizes = Sizes(
            before.batch_size if sizes.batch_size == -1 else sizes.batch_size,
            before.max_token_len if sizes.max_token_len == -1 else sizes.max_token_len,
        )
        group, batch = self._config.group_size, self.sizes.batch_size
        if group > batch:
            raise StartupError(
                f"group_size {group} does not fit the trainer's batch_size {batch}: lower "
                "--env.group_size or raise the trainer's."
            )

    @property
    def queue_limit(self) -> int:
        most: int = self._config.max_batches_offpolicy * self.sizes.batch_size
        return most // int(self._config.group_size)

    @property
    def step_ahead(self) -> int:
        """The trainer's step once it has taken the whole batches that wait for it."""
        waiting = self.status["queue_size"] * self._config.group_size // self.sizes.batch_size
        return int(self.status["current_step"] + waiting)

    @property
    def _queue(self) -> Queue:
        """What the API said last; whatever others weigh, there is room for one group of ours."""
        status, config = self.status, self._config
        allocation, batches = config.min_batch_allocation or 0.0, config.max_batches_offpolicy
        batch = self.sizes.batch_size / config.group_size
        ours = status.get("unallocated_fraction", 1.0) + allocation
        limit = batches * int(self.sizes.batch_size * ours) // config.group_size
        return Queue(
            step=status["current_step"],
            waiting=status["queue_size"],
            own=status["self_queue_size"],
            weight=max(status["env_weight"], 1 / max(1, limit)),
            limit=limit,
            batch=batch,
            reserved=math.ceil(allocation * batch * batches),
            wanted=(self.total_steps + 1 - status["current_step"]) * batch,
        )

    # Groups under way

    def room(self, *, evaluates: bool) -> int:
        """Return how many groups more may be asked for; `evaluates`: beside an evaluation."""
        self._admission.look(self._queue, self._delivered())
        most = self.look()
        if evaluates and self.stops_for_evaluation:
            most = 0
        elif evaluates and self._config.eval_handling == EvalHandlingEnum.LIMIT_TRAIN:
            most = int(most * self._config.eval_limit_ratio)
        return min(self._admission.room(len(self.workers)), most - len(self.workers))

    def look(self) -> int:
        """Return how many groups the options and the servers allow now, which `most` has then."""
        if self._fixed is None:
            share = max(1, int(self._requests * self.status.get("env_weight", 1.0)))
            self.most = self.concurrency.groups(len(self.workers), share)
        return self.most

    def start(self, item: Problem, handle: Callable[[str], Coroutine[Any, Any, Any]]) -> None:
        """Ask for a group; `handle` gets the name under which `running` has it."""
        name, began = str(uuid.uuid4()), time.monotonic()
        worker = asyncio.create_task(handle(name))
        times = {"start_time": time.time(), "began": began}  # the first is for Atropos
        self.running[name] = {"item": item, "worker": worker, **times}
        self.workers.add(worker)

        def ended(worker: asyncio.Task[Any]) -> None:
            self.workers.discard(worker)
            if not worker.cancelled():
                self._admission.finished(time.monotonic() - began)

        worker.add_done_callback(ended)

    def stop_overdue(self) -> None:
        """Cancel what has taken longer than `worker_timeout`; its problem is asked again."""
        limit = self._config.worker_timeout
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

    def cancel_generating(self) -> None:
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
        finishing = [worker for worker in self.workers if worker in self._finishing()]
        await end(self.workers.difference(finishing))
        if finishing:
            await asyncio.wait(finishing, timeout=max(0.0, deadline - time.monotonic()))
        await end(finishing)
