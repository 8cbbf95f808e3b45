"""Run many replicas against one rollout API on this machine; prints one JSON object.

    python benchmarks/replicas.py [--replicas 16] [--seconds 60]

Every replica is a real process with one worker. The API is Atropos' own, the policy is a stand-in
that answers at once, and the trainer pulls batches and counts every group. All replicas start;
after a while two are killed, two are terminated, and four join under new numbers, while the trainer
keeps pulling batches.

Reported are groups that came twice, groups whose evidence the replicas shared, rollouts a second,
the longest wait for a batch before and during these changes, and the memory of each part. On few
cores the replicas share them, so the rate says what one machine does, not what a replica could do.
"""

from __future__ import annotations

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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import aiohttp
from tqdm import tqdm

from benchmarks.harness import (
    Json,
    child_pids,
    end_process,
    parser,
    print_json,
    resident_mb,
)
from demo.launch import environment_command, start_api, start_policy
from demo.processes import OFFLINE, Child, Children
from demo.tokenizer import build_tokenizer
from demo.trainer import TrainerReport, next_batch, register

GROUP_SIZE, BATCH_SIZE, MAX_TOKEN_LENGTH = 4, 64, 2048
KILLED = TERMINATED = 2
JOINING = KILLED + TERMINATED
TIMEOUT = 600.0
TASKS = "chain_sum,gcd,lcm,products,letter_counting,spell_backward,count_bits"


async def measure(replicas: int, seconds: float) -> Json:
    received = Received()
    with tempfile.TemporaryDirectory() as name, tqdm(disable=None) as bar:
        folder = Path(name)
        async with Children(logs=folder) as children, aiohttp.ClientSession() as session:
            fleet = Fleet(children, folder, num_replicas=replicas + JOINING)
            await fleet.start_servers()
            await register_trainer(session, fleet.api, checkpoints=folder)
            began = time.monotonic()
            for number in range(replicas):
                await fleet.join(number)
            training = asyncio.create_task(pull_batches(session, fleet.api, received))
            try:
                await until_delivering(received, replicas, bar)
                all_deliver = time.monotonic()
                await asyncio.sleep(seconds)
                rate, memory = received.rollouts_per_second(since=all_deliver), fleet.memory()
                changes = time.monotonic()
                exit_codes = await fleet.replace(replicas)
                await until_delivering(received, replicas + JOINING, bar)
                await asyncio.sleep(seconds / 4)
            finally:
                training.cancel()
            shared = evidence_lines(folder)
    return {
        "replicas": replicas,
        "cores": os.cpu_count(),
        "seconds_until_all_delivered": round(all_deliver - began, 1),
        "groups": received.groups.total(),
        "group_size": GROUP_SIZE,
        "groups_whose_evidence_was_shared": shared,
        "batches": len(received.batches),
        "batches_of_wrong_size": sum(size != BATCH_SIZE for _, size in received.batches),
        "groups_delivered_twice": repeats(received.groups),
        "items_asked_twice": repeats(received.recipes),
        "prompts_asked_twice": repeats(received.prompts),
        "rollouts_per_second": rate,
        "killed": KILLED,
        "told_to_end": TERMINATED,
        "exit_codes": exit_codes,
        "joined": JOINING,
        "longest_wait_for_a_batch": {
            "before_s": received.longest_wait(since=all_deliver, before=changes),
            "during_s": received.longest_wait(since=changes),
        },
        "memory": memory,
    }


@dataclass
class Received:
    """Counts of the groups that the trainer received.

    Attributes:
        recipes: task, seed and level -> number of groups.
        prompts: token ids of a prompt -> number of groups.
        by_replica: Atropos' id of an environment -> number of groups.
    """

    groups: Counter[str] = field(default_factory=Counter)
    recipes: Counter[str] = field(default_factory=Counter)
    prompts: Counter[str] = field(default_factory=Counter)
    by_replica: Counter[int] = field(default_factory=Counter)
    batches: list[tuple[float, int]] = field(default_factory=list)

    def add(self, batch: list[Json]) -> None:
        self.batches.append((time.monotonic(), sum(len(group["tokens"]) for group in batch)))
        for group in batch:
            about = group["group_overrides"]
            self.groups[about["group_id"]] += 1
            self.recipes[json.dumps([about["task"], about["seed"], about["level"]])] += 1
            pairs = zip(group["tokens"][0], group["masks"][0], strict=True)
            self.prompts[repr([token for token, mask in pairs if mask == -100])] += 1
            self.by_replica[group["env_id"]] += 1

    def rollouts_per_second(self, since: float) -> float:
        now = time.monotonic()
        rollouts = sum(size for at, size in self.batches if at >= since)
        return round(rollouts / (now - since), 1)

    def longest_wait(self, since: float, before: float | None = None) -> float:
        """Return the longest time between two batches of a period, in seconds."""
        times = [at for at, _ in self.batches if at >= since and (before is None or at < before)]
        waits = [later - earlier for earlier, later in itertools.pairwise(times)]
        return round(max(waits, default=0.0), 2)


def repeats(counts: Counter[str]) -> int:
    return sum(count - 1 for count in counts.values())


class Fleet:
    def __init__(self, children: Children, folder: Path, num_replicas: int) -> None:
        self.children = children
        self.folder = folder
        self.num_replicas = num_replicas
        self.replicas: dict[int, Child] = {}

    async def start_servers(self) -> None:
        self.tokenizer = build_tokenizer(self.folder / "tokenizer")
        self.api = await start_api(self.children)
        self.policy = await start_policy(self.children, self.tokenizer)

    async def join(self, number: int) -> None:
        options = {
            "env.replica_id": number,
            "env.num_replicas": self.num_replicas,
            "env.scoring_workers": 1,
            "env.rollout_server_url": self.api,
            "env.tokenizer_name": self.tokenizer,
            "env.task_names": TASKS,
            "env.complexity_mode": "curriculum",
            "env.group_size": GROUP_SIZE,
            "env.use_wandb": "false",
            "env.max_token_length": MAX_TOKEN_LENGTH,
            "env.batch_size": BATCH_SIZE,
            "env.total_steps": 10**6,
            "env.num_eval_samples_per_task": 1,
            "env.wandb_name": "x",
            "env.data_dumps_dir": self.folder / "dumps",
            "env.startup_timeout": TIMEOUT,
            "env.steps_per_eval": 10**6,
            "env.max_num_workers": 4,
            "openai.base_url": f"{self.policy}/v1",
            "openai.model_name": "stand-in",
            "openai.server_type": "vllm",
        }
        command = environment_command("serve", options)
        environment = {**OFFLINE, "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.replicas[number] = await self.children.start(f"replica {number}", command, environment)

    async def leave(self, number: int, how: signal.Signals) -> int:
        child = self.replicas.pop(number)
        self.children.running.remove(child)
        return await end_process(child.process, how, TIMEOUT)

    async def replace(self, next_number: int) -> list[int]:
        """Kill some replicas, terminate some, start as many, and return the exit codes."""
        signals = [signal.SIGKILL] * KILLED + [signal.SIGTERM] * TERMINATED
        exit_codes = [await self.leave(number, how) for number, how in enumerate(signals)]
        for number in range(next_number, next_number + len(signals)):
            await self.join(number)
        return exit_codes

    def memory(self) -> Json:
        """Return the resident sets in MiB: the API, and the means over the replicas."""
        pids = {child.name: child.process.pid for child in self.children.running}
        replicas = [child.process.pid for child in self.replicas.values()]
        own = [resident_mb(pid) for pid in replicas]
        workers = [sum(map(resident_mb, child_pids(pid))) for pid in replicas]
        return {
            "rollout_api_mb": sum(map(resident_mb, child_pids(pids["rollout API"]))),
            "replica_mb": round(sum(own) / len(own), 1),
            "its_workers_mb": round(sum(workers) / len(workers), 1),
        }


def evidence_lines(folder: Path) -> int:
    """Return the number of groups whose evidence the replicas wrote for each other."""
    files = folder.glob("env_checkpoints/*_evidence/*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in files)


async def register_trainer(session: aiohttp.ClientSession, api: str, checkpoints: Path) -> None:
    """Register a trainer that never comes to its last step."""
    await register(
        session,
        api,
        batch_size=BATCH_SIZE,
        max_token_len=MAX_TOKEN_LENGTH + 1,
        checkpoint_dir=str(checkpoints),
        save_checkpoint_interval=10**6,
        num_steps=10**6,
    )


async def pull_batches(session: aiohttp.ClientSession, api: str, received: Received) -> None:
    """Act as the trainer: pull batches and count them until cancelled."""
    report = TrainerReport()
    while True:
        received.add(await next_batch(session, api, report))


async def until_delivering(received: Received, replicas: int, bar: tqdm[Any]) -> None:
    async with asyncio.timeout(TIMEOUT):
        while len(received.by_replica) < replicas:
            await asyncio.sleep(0.2)
            delivering, groups = len(received.by_replica), received.groups.total()
            bar.set_postfix_str(f"{delivering} replicas deliver, {groups} groups")


def main() -> None:
    command_line = parser(__doc__)
    command_line.add_argument("--replicas", type=int, default=16, help="how many at the start")
    command_line.add_argument("--seconds", type=float, default=60, help="how long to measure")
    options = command_line.parse_args()
    print_json(asyncio.run(measure(options.replicas, options.seconds)))


if __name__ == "__main__":
    main()
