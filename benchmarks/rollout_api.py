"""What Atropos' rollout API can take: it is one process; prints one JSON object.

    python benchmarks/rollout_api.py [--seconds 2]

The real API, registered with a trainer and with as many environments as one asks for (they are
names in its memory, no processes). Measured: how many /status-env requests it answers in a second,
with few and with many environments registered and groups waiting, and how many groups of a size it
takes. All replicas together ask for their status a hundred times a second at most, so one API ends
where the first number comes near that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import aiohttp  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.replicas import children_of  # noqa: E402
from benchmarks.stream import resident_mb  # noqa: E402
from demo.children import Children  # noqa: E402
from demo.run import start_api  # noqa: E402
from demo.trainer import register  # noqa: E402

GROUP_SIZE = 8
POLLED = [(16, 0), (128, 0), (1024, 0), (10_000, 0), (16, 1000), (128, 1000), (128, 8000)]
"""Environments registered, groups waiting."""

COMPLETION_TOKENS = (500, 4000)
CLIENTS = 16


def group(tokens: int, env_id: int = 0) -> dict[str, Any]:
    """A group as the environment sends it, of one completion length."""
    ids = list(range(1000, 1000 + tokens))
    return {
        "tokens": [ids] * GROUP_SIZE,
        "masks": [ids] * GROUP_SIZE,
        "env_id": env_id,
        "scores": [0.0, 1.0] * (GROUP_SIZE // 2),
        "inference_logprobs": [[-0.12345678] * tokens] * GROUP_SIZE,
        "overrides": [{}] * GROUP_SIZE,
        "group_overrides": {"group_id": "x"},
    }


async def per_second(request: Callable[[], Awaitable[None]], seconds: float) -> float:
    """How often `request` gets through when some clients repeat it."""
    done, end = 0, time.monotonic() + seconds

    async def client() -> None:
        nonlocal done
        while time.monotonic() < end:
            await request()
            done += 1

    began = time.monotonic()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return round(done / (time.monotonic() - began), 1)


class Api:
    """Requests to a running API."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session, self.url, self.registered = session, url, 0

    async def fresh(self) -> None:
        """Forget everything; a trainer whose batch never fills."""
        await register(
            self.session,
            self.url,
            batch_size=10**9,
            max_token_len=10**6,
            checkpoint_dir="checkpoints",
            save_checkpoint_interval=10**6,
            num_steps=10**6,
        )
        async with self.session.get(f"{self.url}/batch") as reply:  # from here on it has started
            reply.raise_for_status()
        self.registered = 0

    async def register(self, total: int) -> None:
        """Have that many environments."""
        while self.registered < total:
            body = {
                "max_token_length": 1024,
                "desired_name": f"e{self.registered}",
                "weight": 1.0,
                "group_size": GROUP_SIZE,
            }
            await self._post("register-env", body)
            self.registered += 1

    async def send(self, body: bytes) -> None:
        """One group, encoded before."""
        headers = {"Content-Type": "application/json"}
        async with self.session.post(
            f"{self.url}/scored_data", data=body, headers=headers
        ) as reply:
            reply.raise_for_status()

    async def status(self) -> None:
        """What an environment asks for all the time."""
        async with self.session.get(f"{self.url}/status-env", json={"env_id": 3}) as reply:
            reply.raise_for_status()

    async def _post(self, path: str, body: Any) -> None:
        async with self.session.post(f"{self.url}/{path}", json=body) as reply:
            reply.raise_for_status()


async def polling(api: Api, seconds: float, bar: tqdm) -> list[dict[str, Any]]:
    """/status-env, by environments registered and groups waiting."""
    rows = []
    small = json.dumps(group(8)).encode()
    for environments, groups in POLLED:
        await api.fresh()
        await api.register(environments)
        for _ in range(groups):
            await api.send(small)
        rate = await per_second(api.status, seconds)
        rows.append(
            {"environments": environments, "groups_waiting": groups, "requests_per_second": rate}
        )
        bar.update()
    return rows


async def taking(api: Api, seconds: float, pid: int, bar: tqdm) -> list[dict[str, Any]]:
    """/scored_data, by completion length."""
    rows = []
    for tokens in COMPLETION_TOKENS:
        await api.fresh()
        await api.register(16)
        body, before, sent = json.dumps(group(tokens)).encode(), resident_mb(pid), 0

        async def send(body: bytes = body) -> None:
            nonlocal sent
            await api.send(body)
            sent += 1

        rate = await per_second(send, seconds)
        rows.append(
            {
                "completion_tokens": tokens,
                "groups_per_second": rate,
                "tokens_per_second": int(rate * GROUP_SIZE * tokens),
                "body_kb": len(body) // 1000,
                "memory_kb_a_group": round(1000 * (resident_mb(pid) - before) / max(1, sent)),
            }
        )
        bar.update()
    return rows


async def measure(seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name, tqdm(disable=None) as bar:
        async with Children(logs=Path(name)) as children, aiohttp.ClientSession() as session:
            api = Api(session, await start_api(children))
            [pid] = children_of(children.running[0].process.pid)
            sizes = await taking(api, seconds, pid, bar)
            return {
                "group_size": GROUP_SIZE,
                "clients": CLIENTS,
                "status_env": await polling(api, seconds, bar),
                "scored_data": sizes,
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    print(json.dumps(asyncio.run(measure(parser.parse_args().seconds)), indent=2))


if __name__ == "__main__":
    main()
