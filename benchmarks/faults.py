"""What becomes of scored groups while everything around them fails; prints one JSON object.

    python benchmarks/faults.py [--seconds 3] [--kills 3]

The whole loop runs on this machine: the real rollout API, the stand-in policy, a trainer, and the
environment as a child process; between them stand proxies with faults. One kind of fault after the
other is switched on for some seconds; then both servers go down, and the API is killed and started
again, its memory gone. Then the environment itself is killed with SIGKILL again and again. A group
counts as delivered when the API said so, and as lost when it was scored and neither is the case.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from transformers import AutoTokenizer  # noqa: E402

from demo.children import Child, Children, free_port  # noqa: E402
from demo.faults import FaultProxy  # noqa: E402
from demo.policy import Policy  # noqa: E402
from demo.policy_server import start as start_policy_server  # noqa: E402
from demo.run import api_command  # noqa: E402
from demo.tokenizer import build_tokenizer  # noqa: E402
from demo.trainer import TrainerError, run_trainer  # noqa: E402

GROUP_SIZE, BATCH_SIZE, MAX_TOKEN_LENGTH, MAX_WORKERS = 4, 16, 2048, 8
PATIENCE = 90.0
"""Seconds for which anything may take, before it counts as hung."""

INFERENCE_FAULTS = {
    "error": 0.3,
    "reset": 0.3,
    "late_reset": 0.3,
    "slow": 0.3,
    "hang": 0.1,
    "garbage": 0.3,
    "html": 0.3,
    "fewer": 0.3,
    "nan": 0.3,
    "empty": 0.3,
}
API_FAULTS = {
    "error": 0.3,
    "reset": 0.3,
    "late_reset": 0.3,
    "slow": 0.1,
    "garbage": 0.1,
    "html": 0.1,
}


@dataclass
class Storm:
    """The loop with proxies in it; `open` starts everything but the environment."""

    folder: Path
    seed: int = 0
    delivered: Counter[str] = field(default_factory=Counter)

    async def __aenter__(self) -> Storm:
        self._stack = AsyncExitStack()
        enter = self._stack.enter_async_context
        self.tokenizer_dir = build_tokenizer(self.folder / "tokenizer")
        tokenizer = AutoTokenizer.from_pretrained(str(self.tokenizer_dir))
        self.policy = await start_policy_server(Policy(seed=self.seed), tokenizer)
        self._stack.push_async_callback(self.policy.close)
        self.children = await enter(Children(logs=self.folder))
        self.api_port = free_port()
        await self.start_api()
        self.api = await enter(
            FaultProxy(f"http://127.0.0.1:{self.api_port}", seed=self.seed, watch=self._seen)
        )
        self.inference = await enter(
            FaultProxy(f"http://127.0.0.1:{self.policy.port}", seed=self.seed, only=("/generate",))
        )
        training = asyncio.create_task(self._train())
        self._stack.callback(training.cancel)
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._stack.aclose()

    def _seen(self, path: str, content: bytes, status: int) -> None:
        if path == "/scored_data" and status == 200:
            self.delivered[json.loads(content)["group_overrides"]["group_id"]] += 1

    async def start_api(self) -> None:
        """Start the rollout API and wait until it answers."""
        self.api_child = await self.children.start("rollout API", api_command(self.api_port))
        async with asyncio.timeout(PATIENCE), aiohttp.ClientSession() as session:
            while True:
                with suppress(aiohttp.ClientError):
                    async with session.get(f"http://127.0.0.1:{self.api_port}/info"):
                        return
                await asyncio.sleep(0.1)

    async def restart_api(self) -> None:
        """Kill the API, whose state is in memory, and start another on the same port."""
        self.api_child.signal(signal.SIGKILL)
        await self.api_child.process.wait()
        self.children.running.remove(self.api_child)
        await self.start_api()

    async def _train(self) -> None:
        """A trainer that registers again whenever the API has forgotten it."""
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

    async def start_environment(self, command: str = "serve", **flags: Any) -> Child:
        """The environment as users start it, told to talk to the proxies."""
        options = {
            "env.tokenizer_name": self.tokenizer_dir,
            "env.use_wandb": "false",
            "env.wandb_name": "storm",
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
            "env.worker_timeout": 8,
            "env.rollout_server_url": self.api.url,
            "openai.base_url": f"{self.inference.url}/v1",
            "openai.model_name": "stand-in",
            "openai.timeout": 4,
            **{f"env.{name}": value for name, value in flags.items()},
        }
        pairs = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        program = [sys.executable, "reasoning_gym_environment.py", command, *pairs]
        return await self.children.start("environment", program)

    async def until_delivered(self, more: int = 1) -> float:
        """Seconds until so many further groups have reached the API."""
        began, wanted = time.monotonic(), self.delivered.total() + more
        await until(lambda: self.delivered.total() >= wanted)
        return time.monotonic() - began

    def rows(self) -> list[dict[str, Any]]:
        """What is in final files."""
        files = sorted((self.folder / "dumps").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def ids_on_disk(self) -> Counter[str]:
        """How often each group stands in final files."""
        return Counter(row["metadata"]["group_id"] for row in self.rows())


def scored(log: str) -> int:
    """Groups that were scored, as the environment's log tells."""
    return log.count("| group average score:")


def acknowledged(log: str) -> int:
    """Groups that the log called safe."""
    return len(re.findall(r"rollouts: \d+/\d+ groups in", log))


async def until(so: Callable[[], bool]) -> None:
    """Wait until something is so, for a bounded time."""
    async with asyncio.timeout(PATIENCE):
        while not so():
            await asyncio.sleep(0.02)


async def end(child: Child, number: signal.Signals = signal.SIGTERM) -> int:
    """Signal a child and wait for its exit code."""
    child.process.send_signal(number)
    async with asyncio.timeout(PATIENCE):
        return await child.process.wait()


async def weather(storm: Storm, seconds: float) -> tuple[dict[str, int], dict[str, float]]:
    """Every fault in turn; how often each was injected, and how long the next group took."""
    injected: dict[str, int] = {}
    recovery: dict[str, float] = {}
    for name, proxy, faults in (
        ("inference", storm.inference, INFERENCE_FAULTS),
        ("api", storm.api, API_FAULTS),
    ):
        for fault, rate in faults.items():
            before = proxy.injected[fault]
            proxy.rates = {fault: rate}
            await asyncio.sleep(seconds)
            proxy.rates = {}
            injected[f"{name} {fault}"] = proxy.injected[fault] - before
            recovery[f"{name} {fault}"] = round(await storm.until_delivered(), 2)
        await proxy.go_down()
        await asyncio.sleep(seconds)
        await proxy.come_back()
        injected[f"{name} down"] = 1
        recovery[f"{name} down"] = round(await storm.until_delivered(), 2)
    await storm.restart_api()
    injected["api killed and restarted"] = 1
    under_way = MAX_WORKERS  # these may arrive before the environment has registered again
    recovery["api killed and restarted"] = round(await storm.until_delivered(under_way + 1), 2)
    return injected, recovery


async def run_weather(folder: Path, seconds: float) -> dict[str, Any]:
    """One environment through all weather."""
    async with Storm(folder) as storm:
        env = await storm.start_environment()
        await storm.children.while_alive(storm.until_delivered(4))
        injected, recovery = await weather(storm, seconds)
        code = await end(env)
        log, on_disk = env.log.read_text(), storm.ids_on_disk()
        return {
            "injected": injected,
            "recovery_seconds": recovery,
            "exit_code": code,
            "groups_scored": scored(log),
            "groups_delivered": len(storm.delivered),
            "groups_on_disk": len(on_disk),
            "lost": scored(log) - len(set(storm.delivered) & set(on_disk)),
            "lost_on_disk": scored(log) - len(on_disk),
            "duplicated": storm.delivered.total() - len(storm.delivered),
            "duplicated_on_disk": on_disk.total() - len(on_disk),
            "registered_again": log.count("registering again"),
            "tracebacks": log.count("Traceback"),
        }


async def run_kills(folder: Path, kills: int, seed: int = 1) -> dict[str, Any]:
    """An environment that is killed at random moments, and started again in the same folder."""
    luck, safe = random.Random(seed), 0
    async with Storm(folder, seed=seed) as storm:
        for _ in range(kills):
            env = await storm.start_environment()
            await storm.children.while_alive(storm.until_delivered(2))
            await asyncio.sleep(luck.uniform(0.0, 1.5))
            await end(env, signal.SIGKILL)
            storm.children.running.remove(env)
            safe += acknowledged(env.log.read_text())
        env = await storm.start_environment()
        await storm.children.while_alive(storm.until_delivered(2))
        code = await end(env)
        safe += acknowledged(env.log.read_text())
        on_disk, folder_ = storm.ids_on_disk(), storm.folder / "dumps"
        return {
            "kills": kills,
            "exit_code": code,
            "groups_acknowledged": safe,
            "groups_on_disk": len(on_disk),
            "lost": max(0, safe - len(on_disk)),
            "written_but_not_yet_said": max(0, len(on_disk) - safe),
            "duplicated": on_disk.total() - len(on_disk),
            "unfinished_files": len(list(folder_.glob("*.partial*"))),
            "torn_lines_set_aside": len(list(folder_.glob("*.torn"))),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description="Faults, and what they cost.")
    parser.add_argument("--seconds", type=float, default=3.0, help="of every kind of fault")
    parser.add_argument("--kills", type=int, default=3, help="of the environment with SIGKILL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        result = asyncio.run(run_weather(Path(first), options.seconds))
        result["killed"] = asyncio.run(run_kills(Path(second), options.kills))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
