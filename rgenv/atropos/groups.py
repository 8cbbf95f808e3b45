"""The groups that are under way, and how many there may be.

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
        finishing: returns the tasks of groups that have their completions.

    Attributes:
        waiting, running, workers: problems to ask again; the groups under way as Atropos'
            `handle_env` reads them, until they are scored; the tasks of all that are not sent.
        status: what the rollout API said last.
        concurrency: finds out how many groups the servers can make at once.
        most: how many may be under way.
    """

    def __init__(
        self,
        config: ReasoningGymEnvConfig,
        clients: Sequence[Any],
        *,
        at_once: int | None,
        finishing: Callable[[], Container[object]],
    ) -> None:
        self.waiting: list[Problem] = []
        self.running: dict[str, dict[str, Any]] = {}
        self.workers: set[asyncio.Task[Any]] = set()
        self.status: dict[str, Any] = {}
        self.stops_for_evaluation = config.eval_handling == EvalHandlingEnum.STOP_TRAIN
        each, is_free = config.max_num_workers_per_node, config.max_num_workers == -1
        self.most: int = each * len(clients) if is_free else config.max_num_workers
        self._is_fixed = not is_free or each != GROUPS_PER_SERVER
        requests = sum(client.config.num_max_requests_at_once for client in clients)
        self._requests = requests / math.ceil(config.group_size / (at_once or config.group_size))
        self.concurrency = Concurrency(GROUPS_PER_SERVER * len(clients))
        self._admission = Admission(config.replica_id, config.num_replicas)
        self._config, self._finishing = config, finishing

    @property
    def queue_limit(self) -> int:
        most: int = self._config.max_batches_offpolicy * self._config.batch_size
        return most // int(self._config.group_size)

    def room(self, *, delivered: int, evaluates: bool) -> int:
        """Return how many groups more may be asked for.

        Whatever other environments weigh, there is room for one group of ours.

        Args:
            delivered: the number of groups that the API has got from us.
            evaluates: whether an evaluation runs beside the training.
        """
        status, config, under_way = self.status, self._config, len(self.workers)
        allocation, batches = config.min_batch_allocation or 0.0, config.max_batches_offpolicy
        batch = config.batch_size / config.group_size
        ours = status.get("unallocated_fraction", 1.0) + allocation
        limit = batches * int(config.batch_size * ours) // config.group_size
        queue = Queue(
            step=status["current_step"],
            waiting=status["queue_size"],
            own=status["self_queue_size"],
            weight=max(status["env_weight"], 1 / max(1, limit)),
            limit=limit,
            batch=batch,
            reserved=math.ceil(allocation * batch * batches),
            wanted=(config.total_steps + 1 - status["current_step"]) * batch,
        )
        self._admission.look(queue, delivered)
        most = self.look()
        if evaluates and self.stops_for_evaluation:
            most = 0
        elif evaluates and config.eval_handling == EvalHandlingEnum.LIMIT_TRAIN:
            most = int(most * config.eval_limit_ratio)
        return min(self._admission.room(under_way), most - under_way)

    def look(self) -> int:
        """Return how many groups the options and the servers allow now, which `most` has then."""
        if not self._is_fixed:
            share = max(1, int(self._requests * self.status.get("env_weight", 1.0)))
            self.most = self.concurrency.groups(len(self.workers), share)
        return self.most

    def start(
        self, item: Problem, handle: Callable[[str], Coroutine[Any, Any, Any]]
    ) -> asyncio.Task[Any]:
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
        return worker

    def stop_overdue(self) -> None:
        """Cancel what has taken longer than `worker_timeout`; its problem is asked again."""
        limit = self._config.worker_timeout
        for name, running in list(self.running.items()):
            if 0 < limit < time.monotonic() - running["began"]:
                log.warning("A group took longer than --env.worker_timeout %g s: cancelled.", limit)
                self._cancel(name)

    def cancel_generating(self) -> None:
        """Cancel what has no completions yet; its problems are asked again first."""
        for name, running in list(self.running.items()):
            if running["worker"] not in self._finishing():
                self._cancel(name)

    def _cancel(self, name: str) -> None:
        running = self.running.pop(name)
        self.waiting.append(running["item"])
        running["worker"].cancel()
        self.workers.discard(running["worker"])

    async def stop(self, deadline: float) -> None:
        """Cancel what has no completions yet, and all at `deadline`, of the monotonic clock."""
        generating = {running["worker"] for running in self.running.values()}
        await end(worker for worker in generating if worker not in self._finishing())
        if self.workers:
            await asyncio.wait(self.workers, timeout=max(0.0, deadline - time.monotonic()))
        await end(self.workers)
