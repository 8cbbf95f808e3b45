"""rgenv/atropos/startup.py: checks, log levels and worker processes before a session."""

import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer

from rgenv.atropos import startup
from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.startup import (
    check_start,
    new_checkpoints,
    new_rollout_api,
    set_log_levels,
    start_pool,
)
from rgenv.errors import MissingReasoningGym, PoolBroken, StartupError
from rgenv.pool.pool import WorkerPool

NOWHERE = "http://127.0.0.1:9"
"""An address where nothing listens."""


def configured(**options: Any) -> ReasoningGymEnvConfig:
    return ReasoningGymEnvConfig(**{"startup_timeout": 0.01, "seed": 7, **options})


LOGGERS = ("ReasoningGymEnv", "rgenv", "atroposlib.envs.base")


@pytest.fixture
def levels() -> Iterator[Any]:
    """Return the levels of our loggers and of Atropos', and restore them after the test."""
    before = {name: logging.getLogger(name).level for name in LOGGERS}
    yield lambda: [logging.getLogger(name).level for name in LOGGERS]
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize(
    ("debug", "quiet_base", "expected"),
    [
        (False, True, [logging.INFO, logging.INFO, logging.WARNING]),
        (False, False, [logging.INFO] * 3),
        (True, True, [logging.DEBUG, logging.DEBUG, logging.WARNING]),
        (True, False, [logging.DEBUG] * 3),
    ],
)
def test_log_levels_follow_the_options(
    levels: Any, debug: bool, quiet_base: bool, expected: list[int]
) -> None:
    """Levels are set, and handlers are left as they are."""
    handlers = list(logging.getLogger().handlers)
    set_log_levels(debug=debug, quiet_base=quiet_base)
    assert levels() == expected and logging.getLogger().handlers == handlers


def test_checkpoints_and_api_belong_to_this_replica() -> None:
    """The checkpoints' folder, the API's address and its rate come from the configuration."""
    config = configured(
        replica_id=1, num_replicas=4, wandb_name="run", rollout_server_url="http://api:1"
    )
    folder = new_checkpoints(config).folder("root", "gym_0")
    assert folder.parts == ("root", "env_checkpoints", "run_replica1of4")
    api = new_rollout_api(config, env_id=lambda: 3)
    assert api.url == "http://api:1" and not api.registered


CHAT = SimpleNamespace(servers=[object.__new__(OpenAIServer)])
VLLM = SimpleNamespace(servers=[SimpleNamespace()])


@pytest.mark.parametrize(
    ("mode", "servers", "tokenizer", "message"),
    [
        ("serve", CHAT, object(), "server_type vllm or sglang"),
        ("serve", VLLM, None, "serve needs a tokenizer"),
        ("process", VLLM, None, "process needs a tokenizer"),
        ("serve", VLLM, object(), "No rollout API answers at http://127.0.0.1:9"),
    ],
)
async def test_what_a_command_lacks_is_named(
    mode: Any, servers: Any, tokenizer: Any, message: str
) -> None:
    """An error names the missing server, token ids or tokenizer."""
    config = configured(rollout_server_url=NOWHERE)
    with pytest.raises(StartupError, match=message):
        await check_start(mode, servers, tokenizer, new_rollout_api(config, lambda: None), config)


@pytest.mark.parametrize(
    ("mode", "servers", "tokenizer"),
    [("evaluate", CHAT, None), ("evaluate", VLLM, object()), ("process", VLLM, object())],
)
async def test_only_serve_requires_a_rollout_api(mode: Any, servers: Any, tokenizer: Any) -> None:
    """`evaluate` requires neither token ids nor a tokenizer."""
    config = configured(rollout_server_url=NOWHERE)
    await check_start(mode, servers, tokenizer, new_rollout_api(config, lambda: None), config)


class NotingPool(WorkerPool):
    """Records its arguments, and starts no process.

    Attributes:
        made: the keyword arguments of every pool.
        error: what `start` raises.
    """

    made: list[dict[str, Any]]
    error: Exception | None = None

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.made.append(settings)

    async def start(self) -> None:
        if self.error is not None:
            raise self.error


@pytest.fixture
def noting_pool(monkeypatch: pytest.MonkeyPatch) -> type[NotingPool]:
    """Return a new pool class for the test."""
    pool_cls = type("Noting", (NotingPool,), {"made": []})
    monkeypatch.setattr(startup, "WorkerPool", pool_cls)
    return pool_cls


async def test_the_pool_has_the_configured_workers_and_limits(
    noting_pool: type[NotingPool],
) -> None:
    """The pool gets the configured limits; the limit for making is twice that for scoring."""
    config = configured(scoring_workers=3, scoring_timeout=2.5, strict_verifiers=False)
    assert isinstance(await start_pool(config), noting_pool)
    [settings] = noting_pool.made
    assert (settings["workers"], settings["scoring_timeout"]) == (3, 2.5)
    assert settings["generation_timeout"] == 5.0
    assert settings["settings"].strict is False
    assert settings["settings"].request_cpu_seconds > settings["generation_timeout"]


async def test_a_pool_that_cannot_be_started_is_a_startup_error(
    noting_pool: type[NotingPool],
) -> None:
    """The message is that of PoolBroken."""
    noting_pool.error = PoolBroken("No worker could be started (x).")
    with pytest.raises(StartupError, match="No worker could be started"):
        await start_pool(configured())


async def test_without_reasoning_gym_no_process_is_started(
    noting_pool: type[NotingPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the remedies."""

    def missing() -> str:
        raise MissingReasoningGym("run `pip install reasoning-gym`")

    monkeypatch.setattr(startup, "checkout_path", missing)
    with pytest.raises(StartupError, match="pip install"):
        await start_pool(configured())
    assert noting_pool.made == []
