"""Count scored groups that are lost while servers fail, and those that the API gets twice.

The whole training loop runs on this machine: the real rollout API, the stand-in policy, a trainer,
and the environment as a child process, with fault-injecting proxies in between. First each kind of
fault is injected for some seconds, then both servers go down for some seconds, and the API, which
keeps its state in memory, is killed and restarted. In a second run the environment itself is killed
with SIGKILL several times. `make soak` runs both (tests/environment/test_long_faults.py).

A group counts as delivered when the API has accepted it. It counts as lost when it was scored and
is not both delivered and on disk.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from transformers import AutoTokenizer

from demo.http_server import Server
from demo.launch import api_command, environment_command
from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from demo.processes import Child, Children, free_port
from demo.tokenizer import build_tokenizer
from demo.trainer import TrainerError, run_trainer
from tests.support.commands import exit_code
from tests.support.fault_proxy import FaultProxy
from tests.support.polling import until

Json = dict[str, Any]

GROUP_SIZE, BATCH_SIZE, MAX_TOKEN_LENGTH, MAX_WORKERS = 4, 16, 2048, 8
TIMEOUT = 300.0
"""Seconds after which any step of the loop counts as hung."""

COMMON = dict.fromkeys(("error", "reset", "late_reset"), 0.3)
INFERENCE_FAULTS = {**COMMON, "slow": 0.3, "hang": 0.1, "garbage": 0.3}
API_FAULTS = {**COMMON, "slow": 0.1, "garbage": 0.1}
"""Fault -> probability that a request to a server suffers it."""


async def run_faults(folder: Path, seconds: float) -> Json:
    """Run one environment through all faults, each for `seconds`, and count its groups."""
    async with FaultySystem(folder) as system:
        env = await system.start_environment()
        await system.children.while_alive(system.until_delivered(4))
        injected = await inject_all(system, seconds)
        code = await end(env)
        log, on_disk = env.log.read_text(), system.groups_on_disk()
        return {
            "injected": injected,
            "exit_code": code,
            "groups_scored": scored(log),
            "groups_delivered": len(system.delivered),
            "groups_on_disk": len(on_disk),
            "lost": scored(log) - len(set(system.delivered) & set(on_disk)),
            "lost_on_disk": scored(log) - len(on_disk),
            "duplicated": system.twice,
            "duplicated_on_disk": on_disk.total() - len(on_disk),
            "registered_again": log.count("registering again"),
            "tracebacks": log.count("Traceback"),
        }


async def run_kills(folder: Path, kills: int) -> Json:
    """Kill an environment at random moments, restart it in the same folder, count its groups."""
    rng, safe = random.Random(1), 0
    async with FaultySystem(folder, seed=1) as system:
        for _ in range(kills):
            env = await system.start_environment()
            await system.children.while_alive(system.until_delivered(2))
            await asyncio.sleep(rng.uniform(0.0, 1.5))
            await end(env, signal.SIGKILL)
            system.children.running.remove(env)
            safe += acknowledged(env.log.read_text())
        env = await system.start_environment()
        await system.children.while_alive(system.until_delivered(2))
        code = await end(env)
        safe += acknowledged(env.log.read_text())
        on_disk = system.groups_on_disk()
        return {
            "kills": kills,
            "exit_code": code,
            "groups_acknowledged": safe,
            "groups_on_disk": len(on_disk),
            "lost": max(0, safe - len(on_disk)),
            "written_but_not_yet_said": max(0, len(on_disk) - safe),
            "duplicated": on_disk.total() - len(on_disk),
        }


async def inject_all(system: FaultySystem, seconds: float) -> dict[str, int]:
    """Return how often each fault was injected; after each, a group has to arrive."""
    injected: dict[str, int] = {}
    for name, proxy, faults in (
        ("inference", system.inference, INFERENCE_FAULTS),
        ("api", system.api, API_FAULTS),
    ):
        for fault, rate in faults.items():
            before = proxy.injected[fault]
            proxy.rates = {fault: rate}
            await asyncio.sleep(seconds)
            proxy.rates = {}
            injected[f"{name} {fault}"] = proxy.injected[fault] - before
            await system.until_delivered()
        await proxy.go_down()
        await asyncio.sleep(seconds)
        await proxy.come_back()
        await system.until_delivered()
    await system.restart_api()
    in_flight = MAX_WORKERS  # these may arrive before the environment has registered again
    await system.until_delivered(in_flight + 1)
    return injected


@dataclass
class FaultySystem:
    """The training loop with fault-injecting proxies before the API and the inference server.

    Entering it starts everything but the environment.

    Attributes:
        delivered: group id -> how often the API has accepted it.
        twice: groups that one API has accepted again, because their receipt was lost.
    """

    folder: Path
    seed: int = 0
    start_policy: Callable[[Any], Awaitable[Server]] | None = None
    max_token_len: int = MAX_TOKEN_LENGTH + 1
    slow_seconds: float = 2.0
    delivered: Counter[str] = field(default_factory=Counter)
    twice: int = 0
    _in_api: set[str] = field(default_factory=set)

    async def __aenter__(self) -> FaultySystem:
        self._stack = AsyncExitStack()
        enter = self._stack.enter_async_context
        self.tokenizer_dir = build_tokenizer(self.folder / "tokenizer")
        tokenizer = AutoTokenizer.from_pretrained(str(self.tokenizer_dir))
        if self.start_policy is not None:
            self.policy = await self.start_policy(tokenizer)
        else:
            self.policy = await start_policy_server(Policy(seed=self.seed), tokenizer)
        self._stack.push_async_callback(self.policy.close)
        self.children = await enter(Children(logs=self.folder))
        self.api_port = free_port()
        await self._start_api()
        self.api = await enter(
            FaultProxy(
                f"http://127.0.0.1:{self.api_port}", seed=self.seed, watch=self._note_delivery
            )
        )
        self.inference = await enter(
            FaultProxy(
                f"http://127.0.0.1:{self.policy.port}",
                seed=self.seed,
                only=("/generate",),
                slow_seconds=self.slow_seconds,
            )
        )
        training = asyncio.create_task(self._train())
        self._stack.callback(training.cancel)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _note_delivery(self, path: str, content: bytes, status: int) -> None:
        if path == "/scored_data" and status == 200:
            group = json.loads(content)["group_overrides"]["group_id"]
            self.delivered[group] += 1
            self.twice += group in self._in_api
            self._in_api.add(group)

    async def _start_api(self) -> None:
        self._api_child = await self.children.start("rollout API", api_command(self.api_port))
        async with asyncio.timeout(TIMEOUT), aiohttp.ClientSession() as session:
            while True:
                with suppress(aiohttp.ClientError):
                    async with session.get(f"http://127.0.0.1:{self.api_port}/info"):
                        return
                await asyncio.sleep(0.1)

    async def restart_api(self) -> None:
        """Kill the API, whose state is in memory, and start another on the same port."""
        self._api_child.signal(signal.SIGKILL)
        await self._api_child.process.wait()
        self.children.running.remove(self._api_child)
        self._in_api.clear()
        await self._start_api()

    async def _train(self) -> None:
        """Pull batches, and register again whenever the API has forgotten the trainer."""
        while True:
            with suppress(TrainerError, aiohttp.ClientError, KeyError):
                await run_trainer(
                    f"http://127.0.0.1:{self.api_port}",
                    batch_size=BATCH_SIZE,
                    max_token_len=self.max_token_len,
                    num_batches=10**6,
                    timeout=10**6,
                    checkpoint_dir=str(self.folder / "checkpoints"),
                )
            await asyncio.sleep(0.2)

    async def start_environment(self, command: str = "serve", **options: Any) -> Child:
        """Start the environment as users do, connected to the proxies; see `words`."""
        return await self.children.start("environment", self.words(command, **options))

    def words(self, command: str, **options: Any) -> list[str]:
        """Return the command line of the environment.

        Args:
            options: options of the environment, without their prefix ``env.``.
        """
        defaults = {
            "env.tokenizer_name": self.tokenizer_dir,
            "env.use_wandb": "false",
            "env.wandb_name": "faults",
            "env.task_names": "chain_sum,gcd,products,letter_counting",
            "env.group_size": GROUP_SIZE,
            "env.batch_size": BATCH_SIZE,
            "env.seed": self.seed,
            "env.max_token_length": MAX_TOKEN_LENGTH,
            "env.max_num_workers": MAX_WORKERS,
            "env.total_steps": 10**6,
            "env.steps_per_eval": 10**6,
            "env.num_eval_tasks": 1,
            "env.num_eval_samples_per_task": 1,
            "env.ensure_scores_are_not_same": "false",
            "env.dump_rollouts": "true",
            "env.dump_failed_rollouts": "true",
            "env.rollout_save_score_threshold": 0,
            "env.data_dumps_dir": self.folder / "dumps",
            "env.debug_logging": "true",  # for `scored` and `acknowledged`
            "env.worker_timeout": 8,
            "env.rollout_server_url": self.api.url,
            "openai.base_url": f"{self.inference.url}/v1",
            "openai.model_name": "stand-in",
            "openai.timeout": 4,
        }
        given = {f"env.{name}": value for name, value in options.items()}
        return environment_command(command, {**defaults, **given})

    async def until_delivered(self, more: int = 1) -> None:
        """Wait until `more` further groups have reached the API."""
        wanted = self.delivered.total() + more
        await until(lambda: self.delivered.total() >= wanted)

    def groups_on_disk(self) -> Counter[str]:
        """Return group id -> how often it stands in finished dumps."""
        files = sorted((self.folder / "dumps").glob("*.jsonl"))
        rows = (json.loads(line) for file in files for line in file.read_text().splitlines())
        return Counter(row["metadata"]["group_id"] for row in rows)


def scored(log: str) -> int:
    return log.count("| group average score:")


def acknowledged(log: str) -> int:
    return len(re.findall(r"rollouts: \d+ groups in", log))


async def end(child: Child, number: signal.Signals = signal.SIGTERM) -> int:
    child.process.send_signal(number)
    return await exit_code(child)
