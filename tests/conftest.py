"""What several test files share: a tokenizer, a pool, and environments over a fake server."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("WANDB_MODE", "disabled")
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()  # evaluation items of this run only

import pytest
import pytest_asyncio
from transformers import AutoTokenizer

from demo.tokenizer import build_tokenizer
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig
from rgenv.pool.pool import WorkerPool
from tests.support.fakes import Reply, fake_config, scripted

MakeEnv = Callable[..., Awaitable[ReasoningGymEnv]]


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


class Borrowed:
    """A pool that outlives the environment that uses it: starting workers takes seconds."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def close(self) -> None:
        """Whoever lent it closes it."""


@pytest_asyncio.fixture(loop_scope="session")
async def make_env(
    tmp_path: Path, tokenizer_dir: Path, tokenizer: Any, pool: WorkerPool
) -> AsyncIterator[MakeEnv]:
    """Set up an environment over a fake server and the shared pool; all are closed afterwards.

    ``make_env(reply, task_names=["gcd"], …)``: `reply(prompt, n)` writes the completions, the rest
    goes into the configuration. With ``own_pool=True`` it starts workers of its own.
    """
    made: list[ReasoningGymEnv] = []

    async def borrow(_env: ReasoningGymEnv) -> Any:
        return Borrowed(pool)

    async def make(
        reply: Reply | None = None, *, own_pool: bool = False, **config: Any
    ) -> ReasoningGymEnv:
        values = {
            "tokenizer_name": str(tokenizer_dir),
            "group_size": 4,
            "max_token_length": 4096,
            "use_wandb": False,
            "num_eval_samples_per_task": 1,
            "num_eval_tasks": 1,
            "data_dumps_dir": str(tmp_path / "dumps"),
            "wandb_name": "test",
            **config,
        }
        attributes: dict[str, Any] = {"server_cls": scripted(reply or _silent, tokenizer)}
        if not own_pool:
            attributes["_start_pool"] = borrow
        env_cls = type("FakeServedEnv", (ReasoningGymEnv,), attributes)
        env: ReasoningGymEnv = env_cls(ReasoningGymEnvConfig(**values), fake_config())
        made.append(env)
        await env.setup()
        return env

    yield make
    for env in made:
        await env.close()


def _silent(_prompt: str, n: int) -> list[tuple[str, str]]:
    return [("", "stop")] * n
