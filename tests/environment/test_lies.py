"""reasoning_gym_environment.py over servers that lie, as tests/support/lies.py makes them."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from atroposlib.envs.base import APIServerConfig

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.atropos import run as run_module
from rgenv.errors import StartupError
from rgenv.inference import engine as engines
from rgenv.pool.pool import WorkerPool
from rgenv.rollout_api import api as rollout_api
from rgenv.rollout_api import client as api_client
from rgenv.rollout_api import delivery
from rgenv.rollouts.group import group_id
from tests.support.engines import MODEL, Engine
from tests.support.environments import capture_metrics
from tests.support.lies import (
    ABOUT_HTTP,
    OF_API,
    Lie,
    Trainer,
    Wrong,
    teller,
)
from tests.support.pools import PoolDouble

pytestmark = pytest.mark.slow

PATIENCE = 3.0
"""Seconds that a run rides out an outage."""

LIMIT = 120.0
"""Seconds after which a run counts as hung."""

MEMORY = 900 * 2**20
"""Bytes by which a run may grow, while it reads what a liar sends."""

LINE = 1500
"""Characters of the longest line of the log."""

Tell = Callable[[Lie | None], Awaitable["Told"]]


class Told:
    def __init__(self, groups: list[dict[str, Any]], error: str, metrics: dict[str, Any]) -> None:
        self.groups, self.error, self.metrics = groups, error, metrics


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Shorten the limits of single requests, and work in a folder of our own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(api_client, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(api_client, "SENDING_SECONDS", 0.5)
    monkeypatch.setattr(rollout_api, "SIZES_SECONDS", 0.1)
    monkeypatch.setattr(rollout_api, "DISCONNECT_SECONDS", 0.5)
    monkeypatch.setattr(delivery, "TRAINER_SECONDS", 0.1)
    monkeypatch.setattr(engines, "HEALTH_SECONDS", 0.5)
    monkeypatch.setattr(engines, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(run_module, "GRACE_SECONDS", 1.0)


@pytest_asyncio.fixture(loop_scope="session")
async def tell(tmp_path: Path, tokenizer_dir: Path, pool: WorkerPool) -> AsyncIterator[Tell]:
    """Run `serve` for three batches while a server lies."""

    class Environment(ReasoningGymEnv):
        async def start_pool(self) -> Any:
            return PoolDouble(pool)

    async def run(lie: Lie | None) -> Told:
        middlewares = (teller(lie),)
        async with Engine("vllm", middlewares=middlewares) as engine, Trainer(*middlewares) as api:
            api.registration |= {"checkpoint_dir": str(tmp_path / "checkpoints"), "num_steps": 2}
            env = Environment(
                Environment.env_config_cls(**_options(tmp_path, tokenizer_dir, api.url)),
                [_server(engine, tokenizer_dir)],
            )
            logged = capture_metrics(env)
            error = ""
            async with asyncio.timeout(LIMIT):
                try:
                    await env.env_manager()
                except StartupError as ended:
                    error = str(ended)
            with contextlib.suppress(RuntimeError):  # it ended before it was set up
                assert env.session
                await env.wandb_log()
            return Told(api.taken, error, logged)

    yield run


def _options(folder: Path, tokenizer_dir: Path, api: str) -> dict[str, Any]:
    return {
        "tokenizer_name": str(tokenizer_dir),
        "rollout_server_url": api,
        "task_names": ["gcd"],
        "group_size": 4,
        "batch_size": 8,
        "max_token_length": 2048,
        "steps_per_eval": 0,
        "use_wandb": False,
        "num_eval_samples_per_task": 1,
        "wandb_name": "test",
        "data_dumps_dir": str(folder / "dumps"),
        "ensure_scores_are_not_same": False,
        "outage_patience": PATIENCE,
        "startup_timeout": PATIENCE,
        "force": True,
    }


def _server(engine: Engine, tokenizer_dir: Path) -> APIServerConfig:
    return APIServerConfig(
        api_key="x",
        base_url=f"{engine.url}/v1",
        model_name=MODEL,
        tokenizer_name=str(tokenizer_dir),
        server_type="vllm",
        timeout=1,
    )


def problems_of(told: Told, lines: list[logging.LogRecord], vocabulary: int) -> list[str]:
    """Return what is wrong with a run, whatever it was told."""
    records = [line for line in lines if not line.name.startswith("aiohttp")]  # of the servers
    found = [
        f"a group more than once: {name}"
        for name, times in collections.Counter(map(group_id, told.groups)).items()
        if times > 1
    ]
    trained = 0
    for group in told.groups:
        for tokens, masks, logprobs in zip(
            group["tokens"], group["masks"], group["inference_logprobs"], strict=True
        ):
            completion = [p for mask, p in zip(masks, logprobs, strict=True) if mask != -100]
            trained += len(completion)
            if not completion or not all(type(t) is int and 0 <= t < vocabulary for t in tokens):
                found.append("tokens that no trainer can use")
            if not all(-1000 <= number <= 0 for number in completion):
                found.append("log probabilities that no trainer can use")
    lost = told.metrics.get("train/groups_not_delivered", 0)  # one may have arrived nevertheless
    if (counted := told.metrics.get("tokens/trained", 0)) != trained and not lost:
        found.append(f"{counted} tokens counted as trained, not {trained}")
    if told.metrics.get("tokens/under_way"):
        found.append("tokens under way after the end")
    ended = [r.getMessage() for r in records if r.getMessage().startswith("Ended:")]
    delivered = [line for line in ended if f"{len(told.groups)} groups delivered" in line]
    if told.groups and not (delivered or lost):
        found.append(f"not the number of groups: {ended}")
    for record in records:
        line = record.getMessage()
        if not line.isprintable() or len(line) > LINE:
            found.append(f"a line that is none: {line[:200]!r}")
        if record.exc_info or "Traceback" in line:
            found.append(f"a traceback: {line[:200]}")
    if not told.error and len(told.groups) < 6:
        found.append("the run ended without its groups")
    if not told.error.isprintable() or len(told.error) > LINE:
        found.append(f"an error that is no sentence: {told.error[:200]!r}")
    return found


def resident() -> int:
    """Return the bytes of memory that this process has used at most since `forget_peak`."""
    status = Path("/proc/self/status").read_text()
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(peak) * 1024


def forget_peak() -> int:
    """Measure the peak of memory from now on, and return what is used now."""
    Path("/proc/self/clear_refs").write_text("5")
    return resident()


async def check(tell: Tell, lie: Lie, caplog: pytest.LogCaptureFixture, vocabulary: int) -> None:
    caplog.set_level("INFO")
    before, began = forget_peak(), time.monotonic()
    told = await tell(lie)
    problems = problems_of(told, caplog.records, vocabulary)
    if (grown := resident() - before) > MEMORY:
        problems.append(f"{grown / 2**20:.0f} MiB more memory")
    if lie.page in OF_API and lie.times == 1 and told.error:
        problems.append(f"one lie ended the run: {told.error}")
    took = time.monotonic() - began
    assert not problems, (
        f"{lie} ({took:.1f} s, {len(told.groups)} groups, {told.error}): {problems}"
    )


async def test_without_lies_the_trainer_gets_its_groups(
    tell: Tell, caplog: pytest.LogCaptureFixture, tokenizer: Any
) -> None:
    """The judgement below is one about lies."""
    caplog.set_level("INFO")
    told = await tell(None)
    assert told.error == "" and problems_of(told, caplog.records, len(tokenizer)) == []


FOR_EVER = 10**9
OF_INFERENCE, LOGPROBS = "/v1/completions", ("choices", 0, "logprobs", "token_logprobs", 1)

FOUND = [
    Lie("/scored_data", "a redirect", ABOUT_HTTP["a redirect"], 2, 3),
    Lie("/scored_data", "a refusal", ABOUT_HTTP["status 400"], 2, FOR_EVER),
    Lie("/status-env", "no answer", ABOUT_HTTP["no answer"], 2, FOR_EVER),
    Lie("/status-env", "a byte now and then", ABOUT_HTTP["a byte now and then"], 2, FOR_EVER),
    Lie("/status-env", "a weight that is text", Wrong(("env_weight",), "a string"), 2, 2),
    Lie("/status-env", "no step", Wrong(("current_step",), "null"), 2, 2),
    Lie("/register-env", "a step that is text", Wrong(("starting_step",), "a string"), 0, 1),
    Lie(OF_INFERENCE, "a gzip bomb", ABOUT_HTTP["a gzip bomb"], 2, 3),
    Lie("/info", "a broken body", ABOUT_HTTP["a body that breaks off"], 0, 3),
    Lie("/health", "a gzip bomb", ABOUT_HTTP["a gzip bomb"], 0, FOR_EVER),
    Lie("/disconnect-env", "an endless body", ABOUT_HTTP["an endless body"], 0, FOR_EVER),
    Lie(OF_INFERENCE, "a log probability above 0", Wrong(LOGPROBS, "1.5"), 2, 2),
]
"""Lies that did harm: groups lost in silence, hangs, tracebacks, gigabytes, forged lines."""


@pytest.mark.parametrize("lie", FOUND, ids=str)
async def test_a_lie_that_once_did_harm_does_none(
    tell: Tell, lie: Lie, caplog: pytest.LogCaptureFixture, tokenizer: Any
) -> None:
    """No group is lost uncounted or sent twice, nothing hangs, and no line is forged."""
    await check(tell, lie, caplog, len(tokenizer))
