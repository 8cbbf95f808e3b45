"""Measure the load that Atropos' rollout API can take; prints one JSON object.

    python benchmarks/rollout_api.py [--seconds 2]

The API is one process. This program starts the real one and registers a trainer and any number of
environments, which are only names in its memory. It measures

- how many /status-env requests a second the API answers, with few and with many environments
  registered and groups waiting;
- how many groups of a given size it accepts a second.

All replicas together send at most 100 status requests a second, so one API is at its limit where
the first number comes near 100.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import aiohttp
from tqdm import tqdm

from benchmarks.harness import Json, child_pids, parser, per_second, print_json, resident_mb
from demo.launch import start_api
from demo.processes import Children
from demo.trainer import register

T = TypeVar("T")
GROUP_SIZE = 8
STATUS_LOADS = [(16, 0), (128, 0), (1024, 0), (10_000, 0), (16, 1000), (128, 1000), (128, 8000)]
"""Environments registered, groups waiting."""

COMPLETION_TOKENS = (500, 4000)
CLIENTS = 16
"""Requests that are sent at the same time."""


async def measure(seconds: float) -> Json:
    """Measure each request for `seconds` at each load."""
    with tempfile.TemporaryDirectory() as logs, tqdm(disable=None) as bar:
        async with Children(logs=Path(logs)) as children, aiohttp.ClientSession() as session:
            api = Api(session, await start_api(children))
            [pid] = child_pids(children.running[0].process.pid)
            scored_data = await measure_scored_data(api, seconds, pid, bar)
            return {
                "group_size": GROUP_SIZE,
                "clients": CLIENTS,
                "status_env": await measure_status_env(api, seconds, bar),
                "scored_data": scored_data,
            }


async def measure_status_env(api: Api, seconds: float, bar: tqdm[Any]) -> list[Json]:
    """Return the rate of /status-env by environments registered and groups waiting."""
    rows = []
    small = json.dumps(group(8)).encode()
    for environments, groups in STATUS_LOADS:
        await api.reset()
        await api.register(environments)
        for _ in range(groups):
            await api.send(small)
        rate = await per_second(api.status, repeat_for(seconds, 3), CLIENTS)
        rows.append(
            {
                "environments": environments,
                "groups_waiting": groups,
                "requests_per_second": round(rate, 1),
            }
        )
        bar.update()
    return rows


async def measure_scored_data(api: Api, seconds: float, pid: int, bar: tqdm[Any]) -> list[Json]:
    """Return rate, size and memory of groups sent to /scored_data, by completion length.

    Args:
        pid: the API's process.
    """
    rows = []
    for tokens in COMPLETION_TOKENS:
        await api.reset()
        await api.register(16)
        body = json.dumps(group(tokens)).encode()
        before = resident_mb(pid)
        rate = await per_second(api.send, repeat_for(seconds, body), CLIENTS)
        rows.append(
            {
                "completion_tokens": tokens,
                "groups_per_second": round(rate, 1),
                "tokens_per_second": int(rate * GROUP_SIZE * tokens),
                "body_kb": len(body) // 1000,
                "memory_kb_a_group": round(1000 * (resident_mb(pid) - before) / max(1, api.groups)),
            }
        )
        bar.update()
    return rows


def repeat_for(seconds: float, value: T) -> Iterator[T]:
    """Yield `value` until `seconds` have passed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield value


def group(tokens: int) -> Json:
    """Return a group as the environment sends it, with completions of `tokens` tokens."""
    ids = list(range(1000, 1000 + tokens))
    return {
        "tokens": [ids] * GROUP_SIZE,
        "masks": [ids] * GROUP_SIZE,
        "env_id": 0,
        "scores": [0.0, 1.0] * (GROUP_SIZE // 2),
        "inference_logprobs": [[-0.12345678] * tokens] * GROUP_SIZE,
        "overrides": [{}] * GROUP_SIZE,
        "group_overrides": {"group_id": "x"},
    }


class Api:
    """Requests to a running rollout API.

    Attributes:
        environments: registered since the last reset.
        groups: sent since the last reset.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session = session
        self.url = url
        self.environments = self.groups = 0

    async def reset(self) -> None:
        """Make the API forget everything and register a trainer whose batch never fills."""
        await register(
            self.session,
            self.url,
            batch_size=10**9,
            max_token_len=10**6,
            checkpoint_dir="checkpoints",
            save_checkpoint_interval=10**6,
            num_steps=10**6,
        )
        async with self.session.get(f"{self.url}/batch") as reply:  # the first one starts the run
            reply.raise_for_status()
        self.environments = self.groups = 0

    async def register(self, total: int) -> None:
        """Register environments until there are `total`."""
        while self.environments < total:
            body = {
                "max_token_length": 1024,
                "desired_name": f"e{self.environments}",
                "weight": 1.0,
                "group_size": GROUP_SIZE,
            }
            async with self.session.post(f"{self.url}/register-env", json=body) as reply:
                reply.raise_for_status()
            self.environments += 1

    async def send(self, body: bytes) -> None:
        """Send one encoded group."""
        url, headers = f"{self.url}/scored_data", {"Content-Type": "application/json"}
        async with self.session.post(url, data=body, headers=headers) as reply:
            reply.raise_for_status()
        self.groups += 1

    async def status(self, env_id: int) -> None:
        """Ask for the status, as every environment does all the time."""
        async with self.session.get(f"{self.url}/status-env", json={"env_id": env_id}) as reply:
            reply.raise_for_status()


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    print_json(asyncio.run(measure(options.parse_args().seconds)))


if __name__ == "__main__":
    main()
