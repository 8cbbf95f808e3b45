"""The whole training loop on this machine, with proxies that inject faults.

There are the real rollout API, the stand-in policy, a trainer, and the environment as a child
process. The API keeps its state in memory. tests/environment/test_long_faults.py runs it.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections import Counter
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from transformers import AutoTokenizer

from demo.launch import api_command, environment_command
from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from demo.processes import Child, Children, free_port
from demo.tokenizer import build_tokenizer
from demo.trainer import TrainerError, run_trainer
from tests.support.commands import (
    BATCH_SIZE,
    MAX_TOKEN_LENGTH,
    Commands,
    exit_code,
    log_of,
)
from tests.support.fault_proxy import FaultProxy
from tests.support.polling import until

MAX_WORKERS = 8


@dataclass
class FaultySystem:
    """The training loop with fault-injecting proxies before the API and the inference server.

    Entering it starts everything but the environment.

    Attributes:
        delivered: group id -> how often the API has accepted it.
    """

    folder: Path
    seed: int = 0
    policy_of: Policy | None = None
    slow_seconds: float = 2.0
    delivered: Counter[str] = field(default_factory=Counter)

    async def __aenter__(self) -> FaultySystem:
        self._stack = AsyncExitStack()
        enter = self._stack.enter_async_context
        self.tokenizer_dir = build_tokenizer(self.folder / "tokenizer")
        tokenizer = AutoTokenizer.from_pretrained(str(self.tokenizer_dir))
        policy = self.policy_of or Policy(seed=self.seed)
        self.policy = await start_policy_server(policy, tokenizer)
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
                only="/generate",
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
            self.delivered[json.loads(content)["group_overrides"]["group_id"]] += 1

    async def _start_api(self) -> None:
        child = await self.children.start("rollout API", api_command(self.api_port))
        await until(lambda: "Uvicorn running" in log_of(child))
        self._api_child = child

    async def restart_api(self) -> None:
        """Kill the API, whose state is in memory, and start another on the same port."""
        self._api_child.signal(signal.SIGKILL)
        await self._api_child.process.wait()
        self.children.running.remove(self._api_child)
        await self._start_api()

    async def _train(self) -> None:
        """Pull batches, and register again whenever the API has forgotten the trainer."""
        while True:
            with suppress(TrainerError, aiohttp.ClientError, KeyError):
                await run_trainer(
                    f"http://127.0.0.1:{self.api_port}",
                    batch_size=BATCH_SIZE,
                    max_token_len=MAX_TOKEN_LENGTH + 1,
                    num_batches=10**6,
                    timeout=10**6,
                    checkpoint_dir=str(self.folder / "checkpoints"),
                )
            await asyncio.sleep(0.2)

    async def start_environment(self, command: str = "serve", **options: Any) -> Child:
        """Start the environment as users do, connected to the proxies; see `words`."""
        return await self.children.start("environment", self.words(command, **options))

    def words(self, command: str, **options: Any) -> list[str]:
        """Return the command line; `options` are without their prefix ``env.``."""
        usual = {
            "task_names": "chain_sum,gcd,products,letter_counting",
            "seed": self.seed,
            "max_num_workers": MAX_WORKERS,
            "total_steps": 10**6,
            "steps_per_eval": 10**6,
            "num_eval_tasks": 1,
            "ensure_scores_are_not_same": "false",
            "dump_rollouts": "true",
            "dump_failed_rollouts": "true",
            "rollout_save_score_threshold": 0,
            "debug_logging": "true",  # for `scored` and `acknowledged`
            "worker_timeout": 8,
            "rollout_server_url": self.api.url,
        }
        commands = Commands(self.children, self.folder, self.tokenizer_dir, self.inference.url)
        return environment_command(
            command, commands.settings(usual | options) | {"openai.timeout": 4}
        )

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
