"""The whole training loop on this machine, with proxies that inject faults.

There are the real rollout API, the stand-in policy, a trainer, and the environment as a child
process.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from demo.launch import environment_command
from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from demo.processes import OFFLINE, Child, Children
from demo.run import start_api
from demo.tokenizer import build_tokenizer
from demo.trainer import TrainerReport, run_trainer
from tests.support.commands import BATCH_SIZE, MAX_TOKEN_LENGTH, Commands, exit_code
from tests.support.fault_proxy import FaultProxy
from tests.support.polling import until

MAX_WORKERS = 8


@dataclass
class FaultySystem:
    """The training loop with fault-injecting proxies before the API and the inference server.

    Entering it starts everything but the environment.

    Attributes:
        delivered: group id -> how often the API has accepted it; `arrived` has their problems.
        reports: what the trainer says after each batch.
    """

    folder: Path
    seed: int = 0
    policy: Policy = field(default_factory=Policy)
    delivered: Counter[str] = field(default_factory=Counter)
    arrived: set[tuple[str, int]] = field(default_factory=set)
    reports: list[TrainerReport] = field(default_factory=list)

    async def __aenter__(self) -> FaultySystem:
        self._stack = AsyncExitStack()
        enter = self._stack.enter_async_context
        self.tokenizer_dir = build_tokenizer(self.folder / "tokenizer")
        tokenizer = AutoTokenizer.from_pretrained(str(self.tokenizer_dir))
        policy = await start_policy_server(self.policy, tokenizer)
        self._stack.push_async_callback(policy.close)
        self.children = await enter(Children(logs=self.folder))
        api = await start_api(self.children)
        self.api = await enter(FaultProxy(api, watch=self._note_delivery))
        self.inference = await enter(FaultProxy(f"http://127.0.0.1:{policy.port}"))
        trainer = run_trainer(
            api,
            batch_size=BATCH_SIZE,
            max_token_len=MAX_TOKEN_LENGTH + 1,
            num_batches=10**6,
            timeout=None,
            checkpoint_dir=str(self.folder / "checkpoints"),
            on_batch=self.reports.append,
        )
        self._stack.callback(asyncio.create_task(trainer).cancel)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _note_delivery(self, path: str, content: bytes, status: int) -> None:
        if path == "/scored_data" and status == 200:
            about = json.loads(content)["group_overrides"]
            self.delivered[about["group_id"]] += 1
            self.arrived.add((about["task"], about["seed"]))

    async def start_environment(
        self, command: str = "serve", environment: Mapping[str, str] = OFFLINE, **options: Any
    ) -> Child:
        """Start the environment as users do, connected to the proxies; see `words`."""
        words = self.words(command, **options)
        return await self.children.start("environment", words, environment)

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
            command, commands.settings(usual | {"openai.timeout": 4} | options)
        )

    async def until_delivered(self, more: int) -> None:
        """Wait until `more` further groups have reached the API."""
        wanted = self.delivered.total() + more
        await until(lambda: self.delivered.total() >= wanted)

    async def kill(self, env: Child) -> None:
        """End the environment by kill -9; others may be started after it."""
        await end(env, signal.SIGKILL)
        self.children.running.remove(env)


def scored(log: str) -> int:
    return log.count("| group average score:")


def acknowledged(log: str) -> int:
    return len(re.findall(r"rollouts: \d+ groups in", log))


async def end(child: Child, number: signal.Signals = signal.SIGTERM) -> int:
    child.process.send_signal(number)
    return await exit_code(child)
