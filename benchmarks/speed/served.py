"""The environment with a policy that answers at once; prints one JSON object.

    python benchmarks/speed/served.py start '{"tokenizer": …, "cache": …}'
    python benchmarks/speed/served.py plan  '{…, "plan": "plan.jsonl", "groups": 420}'
    python benchmarks/speed/served.py run   '{…, "plan": "plan.jsonl", "concurrency": 32}'

`start` times the road from the end of imports to the first item. `plan` writes the first items of
the stream with eight answers each, one right and seven of other items. `run` asks for those same
items again, in a fresh process whose workers have made an item of each task that reads files, and
scores them. Completions are tokenized before the clock starts;
all that the environment does with an item is inside it: drawing and making, judging repeats, chat
template and tokens, Atropos' managed server, extraction, strict scoring in workers, bookkeeping.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("WANDB_MODE", "disabled")

from atroposlib.envs.base import APIServerConfig  # noqa: E402
from atroposlib.envs.server_handling.server_baseline import APIServer  # noqa: E402

from benchmarks.hostile import heartbeat_of, wrong_answers  # noqa: E402
from demo.tokenizer import SENTENCES  # noqa: E402
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig  # noqa: E402
from rgenv.runtime.host import tune_garbage_collector  # noqa: E402
from rgenv.types import Problem  # noqa: E402
from rgenv.worker.dataset_cache import PREPARED  # noqa: E402

IMPORTED = time.perf_counter()

Recipe = tuple[str, int]
Completions = tuple[list[list[int]], list[list[float]]]
asked: ContextVar[Recipe] = ContextVar("asked")


@dataclass(frozen=True)
class Settings:
    """What a child is told."""

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


class InstantServer(APIServer):
    """Has every completion ready, in tokens."""

    ready: dict[Recipe, Completions]

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        self.server_healthy = True

    async def _chat_completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _tokens_and_logprobs_completion_wrapper(self, **kwargs: Any) -> Any:
        await asyncio.sleep(0)  # no server answers within its caller's turn
        tokens, logprobs = type(self).ready[asked.get()]
        return kwargs["input_ids"], tokens, logprobs, ["stop"] * len(tokens)


def new_env(settings: Settings) -> ReasoningGymEnv:
    config = ReasoningGymEnvConfig(
        tokenizer_name=settings.tokenizer,
        use_wandb=False,
        group_size=settings.group_size,
        max_token_length=2**17,
        eval_cache_dir=settings.cache,
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
    env_cls = type("InstantEnv", (ReasoningGymEnv,), {"server_cls": InstantServer})
    return env_cls(config, [server])


def memory_mb(pid: int | str = "self") -> dict[str, float]:
    """Resident and proportional set of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
    return {name.lower(): round(sizes[name] / 1024, 1) for name in ("Rss", "Pss")}


def cpu_seconds(pid: int | str = "self") -> float:
    """Processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# start


async def start(settings: Settings) -> dict:
    env = new_env(settings)
    constructed = time.perf_counter() - IMPORTED
    await env.setup()
    set_up = time.perf_counter() - IMPORTED
    await env.get_next_item()
    first = time.perf_counter() - IMPORTED
    await env.close()
    return {"constructed": constructed, "set_up": set_up, "first_item": first}


# plan


async def plan(settings: Settings) -> dict:
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


# run


def completions(settings: Settings, tokenizer: Any) -> Iterator[tuple[Recipe, Completions]]:
    """Recipe -> a group of completions, with the plan's answers in turn."""
    filler = tokenizer.encode(" ".join(SENTENCES))
    thinking = list(islice(cycle(filler), settings.think_tokens))
    for line in Path(settings.plan).read_text().splitlines():
        item = json.loads(line)
        texts = islice(cycle(item["answers"]), settings.group_size)
        tokens = [
            tokenizer.encode("<think>")
            + thinking
            + tokenizer.encode(f"</think>\n<answer>{text}</answer>")
            for text in texts
        ]
        yield (item["task"], item["seed"]), (tokens, [[-0.5] * len(ids) for ids in tokens])


async def collect_all(env: ReasoningGymEnv, settings: Settings) -> float:
    """Groups per second, `concurrency` at a time; items are asked for one by one, as Atropos does.

    Ends with the last group, whatever was made ahead.
    """
    rest, asking = iter(range(settings.groups)), asyncio.Lock()

    async def runner() -> None:
        for _ in rest:
            async with asking:
                item: Problem = await env.get_next_item()
            asked.set((item.task, item.seed))
            group, _ = await env.collect_trajectories(item)
            assert group is not None and len(group["scores"]) == settings.group_size

    began = time.perf_counter()
    await asyncio.gather(*(runner() for _ in range(settings.concurrency)))
    return settings.groups / (time.perf_counter() - began)


async def warm_up(env: ReasoningGymEnv, workers: int) -> None:
    """Every worker prepares the data sets that it keeps: once in thousands of items."""
    for task in sorted(set(PREPARED) & set(env.task_names)):
        await asyncio.gather(*(env.make_item(task, seed) for seed in range(2 * workers)))


async def all_ready(settings: Settings) -> None:
    """Wait for the other replicas, each of which leaves a file in the folder `barrier`."""
    if settings.barrier:
        folder = Path(settings.barrier)
        (folder / str(settings.replica_id)).touch()
        while len(list(folder.iterdir())) < settings.num_replicas:
            await asyncio.sleep(0.05)


async def run(settings: Settings) -> dict:
    imported = memory_mb()
    env = new_env(settings)
    InstantServer.ready = dict(completions(settings, env.tokenizer))
    await env.setup()
    while len(env.pool.live_workers) <= settings.workers:  # a spare starts
        await asyncio.sleep(0.1)
    await warm_up(env, settings.workers)
    idle = await heartbeat_of(None, 2.0)
    await all_ready(settings)
    workers = [worker.pid for worker in env.pool.live_workers]
    before = cpu_seconds(), sum(map(cpu_seconds, workers))
    began_at = time.time()
    working = asyncio.ensure_future(collect_all(env, settings))
    busy = await heartbeat_of(working)
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
        "groups_per_second": working.result(),
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


def main() -> None:
    logging.basicConfig(level=logging.INFO, stream=open(os.devnull, "w"))  # noqa: SIM115 - open to the end
    command, settings = sys.argv[1], Settings(**json.loads(sys.argv[2]))
    tune_garbage_collector()  # as `serve` does
    print(json.dumps(asyncio.run({"start": start, "plan": plan, "run": run}[command](settings))))


if __name__ == "__main__":
    main()
