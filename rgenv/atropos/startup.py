"""Steps before a session exists: log levels, checks, and starting the worker pool."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Literal

from rgenv.atropos.checkpoints import Checkpoints
from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.rollout_api import RolloutApi
from rgenv.atropos.servers import require_servers, require_tokens
from rgenv.errors import PoolBroken, StartupError
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.worker.protocol import WorkerSettings

Mode = Literal["serve", "process", "evaluate", "embedded"]
"""The command that runs; embedded: a program calls the methods of the class itself."""


def set_log_levels(*, debug: bool, quiet_base: bool) -> None:
    """Set log levels; handlers are left to the application.

    Args:
        quiet_base: hide Atropos' own status lines.
    """
    level = logging.DEBUG if debug else logging.INFO
    for name in ("ReasoningGymEnv", "rgenv"):
        logging.getLogger(name).setLevel(level)
    base = logging.WARNING if quiet_base else level
    logging.getLogger("atroposlib.envs.base").setLevel(base)


def new_checkpoints(config: ReasoningGymEnvConfig) -> Checkpoints:
    """Create the `Checkpoints` of this replica."""
    return Checkpoints(
        seed=config.seed,
        replica_id=config.replica_id,
        num_replicas=config.num_replicas,
        name=config.wandb_name,
    )


def new_rollout_api(config: ReasoningGymEnvConfig, env_id: Callable[[], int | None]) -> RolloutApi:
    """Create the client of the rollout API."""
    return RolloutApi(
        config.rollout_server_url,
        patience=config.outage_patience,
        num_replicas=config.num_replicas,
        env_id=env_id,
    )


async def check_start(
    mode: Mode, servers: Any, tokenizer: Any, api: RolloutApi, config: ReasoningGymEnvConfig
) -> None:
    """Check that the servers and the tokenizer that a command needs are there.

    Args:
        servers: Atropos' server manager.
        tokenizer: the model's tokenizer, or None.

    Raises:
        StartupError: one of them is missing or unsuitable.
    """
    if mode != "evaluate":
        require_tokens(servers.servers, tokenizer, mode)
    await require_servers(servers.servers, config.startup_timeout)
    if mode == "serve":
        await api.require(config.startup_timeout)


async def start_pool(config: ReasoningGymEnvConfig) -> WorkerPool:
    """Start the worker pool.

    Raises:
        StartupError: reasoning-gym is missing, or no worker can be started.
    """
    generation_timeout = 2 * config.scoring_timeout
    settings = WorkerSettings(
        import_path=checkout_path(),
        strict=config.strict_verifiers,
        balance_labels=config.balance_labels,
        request_cpu_seconds=10 + 2 * generation_timeout,
    )
    pool = WorkerPool(
        workers=config.scoring_workers,
        scoring_timeout=config.scoring_timeout,
        generation_timeout=generation_timeout,
        settings=settings,
    )
    try:
        await pool.start()
    except PoolBroken as error:
        raise StartupError(str(error)) from None
    return pool
