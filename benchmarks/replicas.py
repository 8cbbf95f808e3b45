"""Many replicas against one rollout API on this machine; prints one JSON object.

    python benchmarks/replicas.py [--replicas 16] [--seconds 60]

Every replica is a real process with one worker, the API is Atropos' own, the policy a stand-in that
answers at once, the trainer takes batches and notes every group. All replicas start; after a while
two are killed and two are told to end, and as many join under new numbers, while batches go on.
Reported: groups that came twice, rollouts a second, how long batches took around the changes, and
the memory of each part. On few cores the replicas share them, so the rate says what one machine
does, not what a replica could do.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import aiohttp  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.stream import resident_mb  # noqa: E402
from demo.children import Child, Children  # noqa: E402
from demo.run import start_api, start_policy  # noqa: E402
from demo.tokenizer import build_tokenizer  # noqa: E402
from demo.trainer import (  # noqa: E402
    TrainerReport,
    next_batch,
    register,
)

GROUP_SIZE, BATCH_SIZE, MAX_TOKEN_LENGTH = 4, 64, 2048
KILLED = TOLD = 2
PATIENCE = 600.0
TASKS = "chain_sum,gcd,lcm,products,letter_counting,spell_backward,count_bits,base_conversion"


@dataclass
class Seen:
    """What reached the trainer."""

    groups: Counter[str] = field(default_factory=Counter)
    recipes: Counter[str] = field(default_factory=Counter)
    prompts: Counter[str] = field(default_factory=Counter)
    by_replica: Counter[int] = field(default_factory=Counter)
    batches: list[tuple[float, int]] = field(default_factory=list)

    def take(self, batch: list[dict[str, Any]]) -> None:
        """Note every group of a batch."""
        self.batches.append((time.monotonic(), sum(len(group["tokens"]) for group in batch)))
        for group in batch:
            about = group["group_overrides"]
            self.groups[about["group_id"]] += 1
            self.recipes[json.dumps([about["task"], about["seed"], about["level"]])] += 1
            pairs = zip(group["tokens"][0], group["masks"][0], strict=True)
            self.prompts[repr([token for token, mask in pairs if mask == -100])] += 1
            self.by_replica[group["env_id"]] += 1

    @property
    def total(self) -> int:
        """Groups received."""
        return sum(self.groups.values())


def twice(counts: Counter[str]) -> int:
    """How many came again."""
    return sum(count - 1 for count in counts.values())


class Fleet:
    """The API, the policy, and replicas as child processes."""

    def __init__(self, children: Children, folder: Path, total: int) -> None:
        self.children, self.folder, self.total = children, folder, total
        self.replicas: dict[int, Child] = {}

    async def open(self) -> None:
        """Start what the replicas need."""
        self.tokenizer = build_tokenizer(self.folder / "tokenizer")
        self.api = await start_api(self.children)
        self.policy = await start_policy(self.children, self.tokenizer)

    async def join(self, number: int) -> None:
        """One more replica."""
        flags = {
            "env.replica_id": number,
            "env.num_replicas": self.total,
            "env.scoring_workers": 1,
            "env.rollout_server_url": self.api,
            "env.tokenizer_name": self.tokenizer,
            "env.task_names": TASKS,
            "env.group_size": GROUP_SIZE,
            "env.use_wandb": "false",
            "env.max_token_length": MAX_TOKEN_LENGTH,
            "env.batch_size": BATCH_SIZE,
            "env.total_steps": 10**6,
            "env.num_eval_samples_per_task": 1,
            "env.wandb_name": "x",
            "env.data_dumps_dir": self.folder / "dumps",
            "env.startup_timeout": PATIENCE,
            "env.eval_cache_dir": self.folder / "cache",
            "env.steps_per_eval": 10**6,
            "env.max_num_workers": 4,
            "openai.base_url": f"{self.policy}/v1",
            "openai.model_name": "stand-in",
            "openai.server_type": "vllm",
        }
        words = [text for name, value in flags.items() for text in (f"--{name}", str(value))]
        program = [sys.executable, "reasoning_gym_environment.py", "serve", *words]
        self.replicas[number] = await self.children.start(f"replica {number}", program)

    async def leave(self, number: int, how: signal.Signals) -> int:
        """End one replica; its exit code."""
        child = self.replicas.pop(number)
        self.children.running.remove(child)
        child.process.send_signal(how)
        async with asyncio.timeout(PATIENCE):
            return await child.process.wait()

    def memory(self) -> dict[str, Any]:
        """Resident MiB of each part; a replica's own process and its workers."""
        pids = {child.name: child.process.pid for child in self.children.running}
        replicas = [child.process.pid for child in self.replicas.values()]
        own = [resident_mb(pid) for pid in replicas]
        workers = [sum(map(resident_mb, children_of(pid))) for pid in replicas]
        return {
            "rollout_api_mb": sum(map(resident_mb, children_of(pids["rollout API"]))),
            "replica_mb": round(sum(own) / len(own), 1),
            "its_workers_mb": round(sum(workers) / len(workers), 1),
        }


def children_of(pid: int) -> list[int]:
    """The processes that a process started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


async def pull(session: aiohttp.ClientSession, fleet: Fleet, seen: Seen) -> None:
    """Be the trainer."""
    report = TrainerReport()
    while True:
        seen.take(await next_batch(session, fleet.api, report))


async def until(seen: Seen, fed: int, bar: tqdm) -> None:
    """Wait until so many replicas have delivered something."""
    async with asyncio.timeout(PATIENCE):
        while len(seen.by_replica) < fed:
            await asyncio.sleep(0.2)
            bar.set_postfix_str(f"{len(seen.by_replica)} replicas deliver, {seen.total} groups")


async def measure(replicas: int, seconds: float) -> dict[str, Any]:
    """The whole run."""
    changed = KILLED + TOLD
    seen = Seen()
    with tempfile.TemporaryDirectory() as name, tqdm(disable=None) as bar:
        folder = Path(name)
        async with Children(logs=folder) as children, aiohttp.ClientSession() as session:
            fleet = Fleet(children, folder, total=replicas + changed)
            await fleet.open()
            await register(
                session,
                fleet.api,
                batch_size=BATCH_SIZE,
                max_token_len=MAX_TOKEN_LENGTH + 1,
                checkpoint_dir=name,
                save_checkpoint_interval=10**6,
                num_steps=10**6,
            )
            began = time.monotonic()
            for number in range(replicas):
                await fleet.join(number)
            training = asyncio.create_task(pull(session, fleet, seen))
            try:
                await until(seen, replicas, bar)
                all_there = time.monotonic()
                await asyncio.sleep(seconds)
                steady, memory = rate(seen, all_there), fleet.memory()
                turmoil = time.monotonic()
                exits = [
                    await fleet.leave(number, signal.SIGKILL if number < KILLED else signal.SIGTERM)
                    for number in range(changed)
                ]
                for number in range(replicas, replicas + changed):
                    await fleet.join(number)
                await until(seen, replicas + changed, bar)
                await asyncio.sleep(seconds / 4)
            finally:
                training.cancel()
    return {
        "replicas": replicas,
        "cores": os.cpu_count(),
        "seconds_until_all_delivered": round(all_there - began, 1),
        "groups": seen.total,
        "group_size": GROUP_SIZE,
        "batches": len(seen.batches),
        "batches_of_wrong_size": sum(size != BATCH_SIZE for _, size in seen.batches),
        "groups_delivered_twice": twice(seen.groups),
        "items_asked_twice": twice(seen.recipes),
        "prompts_asked_twice": twice(seen.prompts),
        **steady,
        "killed": KILLED,
        "told_to_end": TOLD,
        "exit_codes": exits,
        "joined": changed,
        "longest_wait_for_a_batch": {
            "before_s": longest(seen, all_there, turmoil),
            "during_s": longest(seen, turmoil, None),
        },
        "memory": memory,
    }


def rate(seen: Seen, since: float) -> dict[str, float]:
    """Rollouts a second from then on."""
    now = time.monotonic()
    rollouts = sum(size for at, size in seen.batches if at >= since)
    return {"rollouts_per_second": round(rollouts / (now - since), 1)}


def longest(seen: Seen, since: float, before: float | None) -> float:
    """The longest time between two batches of a period."""
    times = [at for at, _ in seen.batches if at >= since and (before is None or at < before)]
    gaps = [b - a for a, b in itertools.pairwise(times)]
    return round(max(gaps, default=0.0), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicas", type=int, default=16, help="how many at the start")
    parser.add_argument("--seconds", type=float, default=60, help="how long to measure")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options.replicas, options.seconds)), indent=2))


if __name__ == "__main__":
    main()
