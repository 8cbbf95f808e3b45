"""Run the environment with a policy that answers at once; prints one line of JSON.

    python benchmarks/speed/served.py start '{"tokenizer": …, "cache": …}'
    python benchmarks/speed/served.py plan  '{…, "plan": "plan.jsonl", "groups": 420}'
    python benchmarks/speed/served.py run   '{…, "plan": "plan.jsonl", "concurrency": 32}'

The JSON object holds `Settings`. There are three commands:

- `start` measures the time from the end of imports to the first item.
- `plan` writes the first items of the stream with eight answers each: the right one and seven
  answers of other items.
- `run` draws the same items again in a fresh process and scores these answers. Before the clock
  starts the completions are tokenized, and each worker makes an item of each task that reads data
  files. Inside the measured time is all that the environment does with an item: drawing and making
  it, rejecting repeats, chat template and tokens, Atropos' managed server, extraction, strict
  scoring in workers, metrics.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("WANDB_MODE", "disabled")

from atroposlib.envs.base import APIServerConfig

from benchmarks.harness import Json, per_second, stalls_during
from benchmarks.token_server import TokenServer
from demo.tokenizer import SENTENCES
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig
from rgenv.runtime.host import tune_garbage_collector
from rgenv.tasks.registry import records
from rgenv.types import Problem

IMPORTED = time.perf_counter()

RecipeKey = tuple[str, int]
"""Task and seed."""

Completions = tuple[list[list[int]], list[list[float]]]
"""Tokens and log probabilities of each completion of a group."""

requested: ContextVar[RecipeKey] = ContextVar("requested")
"""The item whose group the current task collects."""


@dataclass(frozen=True)
class Settings:
    """The settings of one measurement.

    Attributes:
        tokenizer: the tokenizer's folder.
        cache: the user's cache folder, where evaluation sets are kept.
        plan: the file with items and answers.
        groups: how many items are planned or run.
        workers: scoring workers.
        concurrency: groups that are collected at the same time.
        think_tokens: tokens of each completion before its answer.
        task_names: the tasks; empty for all.
        barrier: a folder in which the replicas wait for each other; empty for none.
    """

    tokenizer: str
    cache: str
    plan: str = ""
    groups: int = 420
    workers: int = 2
    group_size: int = 8
    concurrency: int = 32
    think_tokens: int = 256
    task_names: list[str] = field(default_factory=list)
    task_configs: dict[str, dict[str, Any]] = field(default_factory=dict)
    num_eval_tasks: int = 20
    replica_id: int = 0
    num_replicas: int = 1
    barrier: str = ""


class InstantServer(TokenServer):
    """An inference server that has the tokens of every completion ready."""

    ready: dict[RecipeKey, Completions]

    async def _tokens_and_logprobs_completion_wrapper(self, **kwargs: Any) -> Any:
        await asyncio.sleep(0)  # a real server never answers before other tasks can run
        tokens, logprobs = type(self).ready[requested.get()]
        return kwargs["input_ids"], tokens, logprobs, ["stop"] * len(tokens)


class InstantEnv(ReasoningGymEnv):
    """The environment with `InstantServer`."""

    server_cls = InstantServer


def new_env(settings: Settings) -> InstantEnv:
    """Return an environment that is not set up yet."""
    config = ReasoningGymEnvConfig(
        tokenizer_name=settings.tokenizer,
        use_wandb=False,
        group_size=settings.group_size,
        max_token_length=2**17,
        scoring_workers=settings.workers,
        task_names=settings.task_names,
        task_configs=settings.task_configs,
        num_eval_tasks=settings.num_eval_tasks,
        replica_id=settings.replica_id,
        num_replicas=settings.num_replicas,
    )
    server = APIServerConfig(
        api_key="x",
        base_url=None,
        model_name="instant",
        health_check=False,
        server_type="vllm",
        num_max_requests_at_once=1024,
    )
    return InstantEnv(config, [server])


async def start(settings: Settings) -> Json:
    """Return the seconds from the end of imports to three points of the start."""
    env = new_env(settings)
    constructed = time.perf_counter() - IMPORTED
    await env.setup()
    set_up = time.perf_counter() - IMPORTED
    await env.get_next_item()
    first = time.perf_counter() - IMPORTED
    await env.close()
    return {"constructed": constructed, "set_up": set_up, "first_item": first}


async def plan(settings: Settings) -> Json:
    """Write the plan and return the number of items and their mean length in tokens."""
    env = new_env(settings)
    await env.setup()
    items = [await env.get_next_item() for _ in range(settings.groups)]
    await env.close()
    wrong = wrong_answers(items)
    with open(settings.plan, "w", encoding="utf-8") as lines:
        for item in items:
            answers = [item.answer or "0", *wrong[item.task]]
            lines.write(json.dumps({**item.recipe, "answers": answers}) + "\n")
    tokens = [len(env.tokenizer.encode(item.question)) for item in items]
    return {"items": len(items), "question_tokens": sum(tokens) / len(tokens)}


def wrong_answers(problems: list[Problem]) -> dict[str, list[str]]:
    """Return for each task seven reference answers of its problems: right in form, mostly wrong."""
    by_task: dict[str, list[str]] = {}
    for problem in problems:
        by_task.setdefault(problem.task, []).append(problem.answer or "I do not know")
    rng = random.Random(1)
    return {task: rng.choices(answers, k=7) for task, answers in by_task.items()}


async def run(settings: Settings) -> Json:
    """Collect the planned groups and return speed, processor time, stalls and memory."""
    imported = memory_mb()
    env = new_env(settings)
    InstantServer.ready = dict(planned_completions(settings, env.tokenizer))
    await env.setup()
    while len(env.pool.live_workers) <= settings.workers:  # the spare worker starts later
        await asyncio.sleep(0.1)
    await load_data_files(env, settings.workers)
    idle = await stalls_during(asyncio.sleep(2.0))
    await all_replicas_ready(settings)
    workers = [worker.pid for worker in env.pool.live_workers]
    before = cpu_seconds(), sum(map(cpu_seconds, workers))
    began_at = time.time()
    collecting = asyncio.ensure_future(collect_all(env, settings))
    busy = await stalls_during(collecting)
    ended_at = time.time()
    after = cpu_seconds(), sum(map(cpu_seconds, workers))
    env_cpu, workers_cpu = (
        1000 * (b - a) / settings.groups for a, b in zip(before, after, strict=True)
    )
    memory = {
        "imported_mb": imported,
        "env_mb": memory_mb(),
        "workers_mb": [memory_mb(worker.pid) for worker in env.pool.live_workers],
    }
    metrics = env.metrics.take()
    restarts = env.pool.restarts
    await env.close()
    return {
        "groups_per_second": collecting.result(),
        "cpu_ms_a_group": {"env": env_cpu, "workers": workers_cpu},
        "began_at": began_at,
        "ended_at": ended_at,
        "idle": idle,
        "busy": busy,
        "memory": memory,
        "worker_restarts": restarts,
        "accuracy": metrics.get("train/accuracy"),
        "not_made": {k: v for k, v in metrics.items() if "not_made" in k or "failed" in k},
    }


def planned_completions(
    settings: Settings, tokenizer: Any
) -> Iterator[tuple[RecipeKey, Completions]]:
    """Yield each planned item with a group of completions, which repeat the planned answers."""
    filler = tokenizer.encode(" ".join(SENTENCES))
    thinking = list(islice(cycle(filler), settings.think_tokens))
    for line in Path(settings.plan).read_text().splitlines():
        item = json.loads(line)
        answers = islice(cycle(item["answers"]), settings.group_size)
        tokens = [
            tokenizer.encode("<think>")
            + thinking
            + tokenizer.encode(f"</think>\n<answer>{answer}</answer>")
            for answer in answers
        ]
        yield (item["task"], item["seed"]), (tokens, [[-0.5] * len(ids) for ids in tokens])


async def load_data_files(env: ReasoningGymEnv, workers: int) -> None:
    """Make every worker load the data sets that it keeps, as happens once in thousands of items."""
    kept = {task for task, record in records().items() if record.prepared is not None}
    for task in sorted(kept & set(env.task_names)):
        await asyncio.gather(*(env.make_item(task, seed) for seed in range(2 * workers)))


async def all_replicas_ready(settings: Settings) -> None:
    """Wait until each replica has created its file in the folder `barrier`."""
    if settings.barrier:
        folder = Path(settings.barrier)
        (folder / str(settings.replica_id)).touch()
        while len(list(folder.iterdir())) < settings.num_replicas:
            await asyncio.sleep(0.05)


async def collect_all(env: ReasoningGymEnv, settings: Settings) -> float:
    """Collect every planned group and return the groups per second.

    As Atropos does, it draws items one by one and collects `concurrency` groups at a time. The
    clock stops with the last group; items that were made ahead do not count.
    """
    drawing = asyncio.Lock()

    async def collect_next(_: int) -> None:
        async with drawing:
            item: Problem = await env.get_next_item()
        requested.set((item.task, item.seed))
        group, _backlog = await env.collect_trajectories(item)
        assert group is not None and len(group["scores"]) == settings.group_size

    return await per_second(collect_next, range(settings.groups), settings.concurrency)


def memory_mb(pid: int | str = "self") -> dict[str, float]:
    """Return the resident and the proportional set of a process in MiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
    return {name.lower(): round(sizes[name] / 1024, 1) for name in ("Rss", "Pss")}


def cpu_seconds(pid: int | str = "self") -> float:
    """Return the processor time that a process has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    command, settings = sys.argv[1], Settings(**json.loads(sys.argv[2]))
    os.environ["XDG_CACHE_HOME"] = settings.cache
    tune_garbage_collector()  # as `serve` does
    logging.basicConfig(level=logging.INFO, filename=os.devnull)  # logging costs time, as in a run
    print(json.dumps(asyncio.run({"start": start, "plan": plan, "run": run}[command](settings))))


if __name__ == "__main__":
    main()
