"""The loop of `serve`: asks for groups while there is room for them, and lets them finish.

::

    await serve(env, admission)

It takes the place of Atropos' loop, which fills the whole queue with each environment and cancels
everything under way when the queue is full. It calls the same hooks in the same order. What is
under way is cancelled at the end of the run, for an evaluation with STOP_TRAIN, and if it takes
longer than `worker_timeout`; its problem is asked again.

`env` is the environment, of which the class in reasoning_gym_environment.py has the hooks.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
import uuid
from typing import Any

from atroposlib.envs.base import BaseEnvConfig, EvalHandlingEnum

from rgenv.atropos.api_client import Sizes
from rgenv.atropos.rollout_api import GROUP_TOO_LARGE
from rgenv.errors import StartupError
from rgenv.rollouts.admission import Admission, Queue
from rgenv.rollouts.concurrency import Concurrency
from rgenv.rollouts.ledger import Fate

log = logging.getLogger("ReasoningGymEnv")

LOOP_SECONDS = 0.1
"""Seconds between two looks at the queue."""

GROUPS_PER_SERVER = BaseEnvConfig.model_fields["max_num_workers_per_node"].default
"""Groups that are always allowed, for each inference server, unless an option says otherwise."""

OTHER_SIZE = (
    "Another environment sends groups of %d completions. With ours of %d, the rollout API may "
    "never fill a batch: set --env.group_size to the same number in both."
)

ADDING_SECONDS = 1.0
"""Seconds after which a loop that waits for problems looks at the queue again."""


async def serve(env: Any) -> None:
    """Set up and register the environment, and make groups until the run has enough."""
    await env.setup()
    await env.setup_wandb()
    await env.register_env()
    await env.get_server_info()
    while True:
        began = time.time()
        await env.get_status()
        await env.env_step_checks()
        if _batches_ahead(env) > env.config.total_steps:
            return  # `close` cancels what is under way
        await env.add_train_workers()
        _stop_overdue(env)
        await asyncio.sleep(LOOP_SECONDS)
        env.mainloop_timings.append(max(0.0, time.time() - began))


def environment(config: Any) -> dict[str, Any]:
    """Return what the rollout API wants to know of an environment."""
    return {
        "max_token_length": config.max_token_length,
        "desired_name": config.wandb_name,
        "weight": config.inference_weight,
        "min_batch_allocation": config.min_batch_allocation,
        "group_size": config.group_size,
    }


async def take_status(env: Any, status: dict[str, Any]) -> None:
    """Store a status, and adapt to it, as Atropos does."""
    before = getattr(env, "status_dict", {}).get("max_group_size")
    env.status_dict = status
    ours, others = env.config.group_size, status["max_group_size"]
    if others != before and others % ours and others != 1:
        log.warning(OTHER_SIZE, others, ours)
    fixed, per_server = env.config.max_num_workers, env.config.max_num_workers_per_node
    env.max_num_workers = per_server * len(env.server.servers) if fixed == -1 else fixed
    await env.server.update_weight(status["env_weight"])


def take_sizes(env: Any, sizes: Sizes) -> Sizes:
    """Take over what the trainer takes, and return what counts now.

    Raises:
        StartupError: a group is larger than a batch.
    """
    config = env.config
    if sizes.batch_size != -1:
        config.batch_size = sizes.batch_size
    if sizes.max_token_len != -1:
        env.max_token_len = sizes.max_token_len
    if config.group_size > config.batch_size:
        raise StartupError(GROUP_TOO_LARGE.format(config.group_size, config.batch_size))
    return Sizes(config.batch_size, env.max_token_len)


def _batches_ahead(env: Any) -> int:
    """Return the trainer's step once it has taken the whole batches that wait for it."""
    status, config = env.status_dict, env.config
    waiting = status["queue_size"] * config.group_size // config.batch_size
    return int(status["current_step"] + waiting)


def queue_of(env: Any) -> Queue:
    """Return what the rollout API said last about its queue.

    Whatever the weights of others, there is room for one group of ours.
    """
    status, config = env.status_dict, env.config
    batch = config.batch_size / config.group_size
    reserved = (config.min_batch_allocation or 0.0) * batch * config.max_batches_offpolicy
    limit = config.max_batches_offpolicy * env.derived_batch_size // config.group_size
    return Queue(
        step=status["current_step"],
        waiting=status["queue_size"],
        own=status["self_queue_size"],
        weight=max(status["env_weight"], 1 / max(1, limit)),
        limit=limit,
        batch=batch,
        reserved=math.ceil(reserved),
        wanted=(config.total_steps + 1 - status["current_step"]) * batch,
    )


async def ask(env: Any, admission: Admission, concurrency: Concurrency, delivered: int) -> None:
    """Ask for as many groups as there is room for; those that were given back come first.

    Args:
        delivered: how many groups the rollout API has got from us so far.
    """
    admission.look(queue_of(env), delivered)
    if not _is_fixed(env.config):
        env.max_num_workers = concurrency.groups(len(env.workers), _most_groups(env))
    room = min(admission.room(len(env.workers)), _most_workers(env) - len(env.workers))
    env.workers_added_list.append(room)
    until = time.monotonic() + ADDING_SECONDS
    while room > 0 and time.monotonic() < until:
        item = env.backlog.pop(0) if env.backlog else await env.get_next_item()
        if item is None:
            return
        _start(env, item, admission)
        room -= 1


def _is_fixed(config: Any) -> bool:
    """Return whether the user says how many groups may be under way."""
    at_default = config.max_num_workers == -1
    return not (at_default and config.max_num_workers_per_node == GROUPS_PER_SERVER)


def _most_groups(env: Any) -> int:
    """Return for how many groups the servers' limits of requests and our share of them suffice."""
    requests = sum(server.config.num_max_requests_at_once for server in env.server.servers)
    at_once = getattr(env.server, "max_n_completions", None) or env.config.group_size
    of_a_group = math.ceil(env.config.group_size / at_once)
    return max(1, int(requests * env.status_dict["env_weight"] / of_a_group))


def _most_workers(env: Any) -> int:
    """Return how many groups may be under way now."""
    if env.eval_runner is None or env.eval_runner.done():
        return int(env.max_num_workers)
    if env.config.eval_handling == EvalHandlingEnum.STOP_TRAIN:
        return 0
    if env.config.eval_handling == EvalHandlingEnum.LIMIT_TRAIN:
        return int(env.max_num_workers * env.config.eval_limit_ratio)
    return int(env.max_num_workers)


def _start(env: Any, item: Any, admission: Admission) -> None:
    name, began = str(uuid.uuid4()), time.time()
    worker = asyncio.create_task(env.handle_env(name))
    env.running_items[name] = {"item": item, "worker": worker, "start_time": began}
    env.workers.add(worker)

    def ended(worker: asyncio.Task[Any]) -> None:
        env.workers.discard(worker)
        if not worker.cancelled():
            admission.finished(time.time() - began)

    worker.add_done_callback(ended)


def _stop_overdue(env: Any) -> None:
    """Cancel what has taken longer than `worker_timeout`; its problem is asked again."""
    limit = env.config.worker_timeout
    for name, running in list(env.running_items.items()):
        if 0 < limit < time.time() - running["start_time"]:
            log.warning("A group took longer than --env.worker_timeout %g s: cancelled.", limit)
            running["worker"].cancel()
            env.workers.discard(running["worker"])
            del env.running_items[name]


def cancel_all(env: Any) -> None:
    """Cancel what is under way; its problems are asked again first."""
    env.backlog.extend(running["item"] for running in env.running_items.values())
    for worker in env.workers:
        worker.cancel()
    env.workers.clear()
    env.running_items.clear()


def fate_unsent(env: Any, group: Any) -> Fate:
    """Return why Atropos did not send a group, and count it; `process` writes it instead."""
    is_equal = env.config.ensure_scores_are_not_same and len(set(group["scores"])) == 1
    if env.mode == "process":
        return "equal_rewards" if is_equal else "trained"
    env.metrics.count("groups_skipped")
    return "equal_rewards" if is_equal else "too_long"
