"""Fixtures for tests of the class: commands, attempts that follow at once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from atroposlib.envs.base import BaseEnv
from atroposlib.envs.server_handling.server_baseline import APIServer
from tenacity import wait_none

from demo.processes import free_port
from reasoning_gym_environment import ReasoningGymEnv
from rgenv.pool.pool import WorkerPool
from tests.support.pools import FromOtherLoops, PoolDouble


@pytest.fixture(autouse=True)
def _at_once(short_pauses: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses between attempts of Atropos, too."""
    for owner in (APIServer, BaseEnv):
        for method in vars(owner).values():
            if hasattr(method, "retry"):
                monkeypatch.setattr(method.retry, "wait", wait_none())


@pytest_asyncio.fixture(loop_scope="session")
async def ready_workers(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands that run in this process score in the pool of the session."""
    shared: Any = FromOtherLoops(pool, asyncio.get_running_loop())

    async def start_pool(_env: ReasoningGymEnv) -> PoolDouble:
        return PoolDouble(shared)

    monkeypatch.setattr(ReasoningGymEnv, "start_pool", start_pool)


@pytest.fixture
def unserved(tokenizer_dir: Path) -> list[str]:
    """Options with closed ports and a short startup_timeout."""
    options = {
        "env.tokenizer_name": tokenizer_dir,
        "env.startup_timeout": 0.5,
        "env.use_wandb": "false",
        "env.task_names": "gcd",
        "env.num_eval_samples_per_task": 1,
        "env.rollout_server_url": f"http://127.0.0.1:{free_port()}",
        "openai.base_url": f"http://127.0.0.1:{free_port()}/v1",
    }
    return [f"--{name}={value}" for name, value in options.items()]
