"""Draws items as a training run does and watches memory; prints one JSON object.

    python benchmarks/stream.py [--items 100000]

The tasks are cheap ones, so that the stream's own cost shows: draws, prompts remembered, items made
ahead. Memory is the resident set of the environment and of its workers, at a tenth and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from tqdm import tqdm  # noqa: E402

from demo.tokenizer import build_tokenizer  # noqa: E402
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig  # noqa: E402

TASKS = [
    "gcd",
    "lcm",
    "chain_sum",
    "products",
    "count_bits",
    "base_conversion",
    "coin_flip",
    "tower_of_hanoi",
    "letter_counting",
    "spell_backward",
]


def resident_mb(pid: int | str = "self") -> float:
    """The resident set of a process, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def workers_of(env: ReasoningGymEnv) -> list[float]:
    return sorted(resident_mb(worker.pid) for worker in env.pool.live_workers)


async def measure(items: int) -> dict:
    _, servers = ReasoningGymEnv.config_init()
    with tempfile.TemporaryDirectory() as folder:
        config = ReasoningGymEnvConfig(
            tokenizer_name=str(build_tokenizer(Path(folder))), task_names=TASKS, use_wandb=False
        )
        env = ReasoningGymEnv(config, servers)
    await env.setup()
    memory: dict[str, dict] = {}
    began = time.perf_counter()
    for number in tqdm(range(1, items + 1), disable=None):
        await env.get_next_item()
        if number in (items // 10, items):
            memory[f"after_{number}"] = {"env_mb": resident_mb(), "workers_mb": workers_of(env)}
    seconds = time.perf_counter() - began
    await env.close()
    return {
        "items": items,
        "items_per_second": round(items / seconds, 1),
        "memory": memory,
        "not_made": {k: v for k, v in env.metrics.take().items() if "not_made" in k},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=100_000, help="how many to draw")
    print(json.dumps(asyncio.run(measure(parser.parse_args().items)), indent=2))


if __name__ == "__main__":
    main()
