"""Measure memory over a long stream of problems; prints one JSON object.

    python benchmarks/stream.py [--items 100000]

The environment draws items as in a training run. All tasks are cheap, so the cost of the stream
itself is visible: drawing, remembering served prompts, making items ahead. Memory is the resident
set of the environment and of each worker, after a tenth of the items and at the end.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from tqdm import tqdm

from benchmarks.harness import Json, parser, print_json, resident_mb
from demo.tokenizer import build_tokenizer
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig

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


async def measure(items: int) -> Json:
    """Draw `items` items and return the rate, the memory and the items that could not be made."""
    env = new_env()
    await env.setup()
    memory: dict[str, Json] = {}
    began = time.perf_counter()
    for number in tqdm(range(1, items + 1), disable=None):
        await env.get_next_item()
        if number in (items // 10, items):
            memory[f"after_{number}"] = {"env_mb": resident_mb(), "workers_mb": workers_mb(env)}
    seconds = time.perf_counter() - began
    await env.close()
    return {
        "items": items,
        "items_per_second": round(items / seconds, 1),
        "memory": memory,
        "not_made": {k: v for k, v in env.metrics.take().items() if "not_made" in k},
    }


def new_env() -> ReasoningGymEnv:
    """Return an environment with the stream's tasks and a tokenizer built on the spot."""
    _, servers = ReasoningGymEnv.config_init()
    with tempfile.TemporaryDirectory() as folder:
        config = ReasoningGymEnvConfig(
            tokenizer_name=str(build_tokenizer(Path(folder))), task_names=TASKS, use_wandb=False
        )
        return ReasoningGymEnv(config, servers)


def workers_mb(env: ReasoningGymEnv) -> list[float]:
    """Return the resident set of each worker in MiB, the smallest first."""
    return sorted(resident_mb(worker.pid) for worker in env.pool.live_workers)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--items", type=int, default=100_000, help="how many to draw")
    print_json(asyncio.run(measure(options.parse_args().items)))


if __name__ == "__main__":
    main()
