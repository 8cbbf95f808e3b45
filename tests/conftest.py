"""Fixtures for several test files: a tokenizer, a pool, a rollout API, environments."""

import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("WANDB_MODE", "disabled")
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings
from transformers import AutoTokenizer

from demo.tokenizer import build_tokenizer
from reasoning_gym_environment import ReasoningGymEnv
from rgenv.atropos.startup import Mode
from rgenv.pool.pool import WorkerPool
from tests.support.environments import always
from tests.support.fakes import Reply, RolloutApi, fake_config, scripted
from tests.support.pools import PoolDouble

LOGGERS = ("", "ReasoningGymEnv", "rgenv", "atroposlib", "atroposlib.envs.base")

MakeEnv = Callable[..., Awaitable[ReasoningGymEnv]]

# Machines are shared: an example that takes long says nothing about the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


@pytest.fixture(autouse=True)
def log_levels() -> Iterator[None]:
    """Leave the loggers as they were: an environment sets the levels of its process."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(logger.level, logger.filters[:]) for logger in loggers]
    yield
    for logger, (level, filters) in zip(loggers, before, strict=True):
        logger.setLevel(level)
        logger.filters[:] = filters


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attempts follow soon."""
    monkeypatch.setattr("rgenv.runtime.backoff.FIRST_PAUSE", 0.001)
    monkeypatch.setattr("rgenv.runtime.backoff.LONGEST_PAUSE", 0.01)


@pytest.fixture(scope="session")
def tokenizer_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small local tokenizer, on disk."""
    return build_tokenizer(tmp_path_factory.mktemp("tokenizer"))


@pytest.fixture(scope="session")
def tokenizer(tokenizer_dir: Path) -> Any:
    """The small local tokenizer, loaded."""
    return AutoTokenizer.from_pretrained(str(tokenizer_dir))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def pool() -> AsyncIterator[WorkerPool]:
    """Two real worker processes that all tests of a session share."""
    async with WorkerPool(workers=2) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="session")
async def api(tmp_path: Path) -> AsyncIterator[RolloutApi]:
    """A fake rollout API on a free port, whose trainer has a checkpoint folder."""
    async with RolloutApi() as api:
        api.registration["checkpoint_dir"] = str(tmp_path / "checkpoints")
        yield api


@pytest_asyncio.fixture(loop_scope="session")
async def make_env(
    tmp_path: Path, tokenizer_dir: Path, tokenizer: Any, pool: WorkerPool
) -> AsyncIterator[MakeEnv]:
    """Make environments over a fake server; all are closed after the test.

    ``await make_env(reply, task_names=["gcd"], ...)``: `reply(prompt, n)` returns the completions,
    further keywords are options. `pool` is by default a double that passes everything on to the
    shared one, and `init` has further keywords for the constructor.
    """
    made: list[ReasoningGymEnv] = []

    def shared() -> PoolDouble:
        return PoolDouble(pool)

    async def make(
        reply: Reply | None = None,
        *,
        pool: PoolDouble | None = None,
        mode: Mode = "embedded",
        set_up: bool = True,
        env_cls: type[ReasoningGymEnv] = ReasoningGymEnv,
        init: dict[str, Any] | None = None,
        **options: Any,
    ) -> ReasoningGymEnv:
        class FakeServedEnv(env_cls):  # type: ignore[valid-type, misc]
            server_cls = scripted(reply or always("x"), tokenizer)

            async def start_pool(self) -> Any:
                return pool if pool is not None else shared()

        values = {
            "tokenizer_name": str(tokenizer_dir),
            "group_size": 4,
            "max_token_length": 4096,
            "use_wandb": False,
            "num_eval_samples_per_task": 1,
            "num_eval_tasks": 1,
            "data_dumps_dir": str(tmp_path / "dumps"),
            "wandb_name": "test",
            **options,
        }
        config = FakeServedEnv.env_config_cls(**values)
        env: ReasoningGymEnv = FakeServedEnv(config, fake_config(), **(init or {}))
        made.append(env)
        env.mode = mode
        if set_up:
            await env.setup()
        return env

    yield make
    for env in made:
        await env.close()
