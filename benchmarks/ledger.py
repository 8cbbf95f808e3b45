"""Compare what the environment says of its tokens with the server's own count; prints JSON.

    python benchmarks/ledger.py [--seconds 3] [--kills 3]

The whole training loop runs on this machine, as in faults.py: the real rollout API, a trainer, and
the environment as a child process, with fault-injecting proxies in between. The inference server
takes time for each token and counts those that it writes, also of requests whose client leaves. It
is asked while each kind of fault is injected, evaluations stop the training (STOP_TRAIN), some
groups are too long for the trainer, and the environment is killed with SIGKILL and restarted.

What the environment counts is the last line of its metrics.jsonl. It knows what came back; what a
server had written of requests that broke off or were cancelled, it estimates.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.faults import API_FAULTS, INFERENCE_FAULTS, FaultySystem, end
from benchmarks.harness import Json, parser, print_json
from demo.http_server import Server, start_json_server
from demo.policy import Policy
from demo.policy_server import Service

TOKENS_PER_SECOND = 400.0
"""Of one completion."""

MAX_TOKEN_LEN = 900
"""The trainer's limit; prompts have about 400 tokens."""

SENDS_NOTHING = ("error", "reset", "html", "hang")
"""Faults of the inference server with which it does not get the request."""

OPTIONS: dict[str, Any] = {
    "max_token_length": 1024,
    "ensure_scores_are_not_same": "true",
    "steps_per_eval": 4,
    "eval_handling": "STOP_TRAIN",
    "num_eval_samples_per_task": 8,
    "eval_max_tokens": 700,
    "worker_timeout": 60,
}


class CountingService(Service):
    """The stand-in policy, with a speed, that counts the tokens it writes.

    Attributes:
        written: tokens since the start.
    """

    written = 0.0

    async def timed(self, body: Json) -> Json:
        """Answer a request after the time that its longest completion takes."""
        answer = self.generate(body)
        lengths = [len(positions) for positions in answer["logprobs"]]
        began, written = time.monotonic(), float(sum(lengths))
        try:
            await asyncio.sleep(max(lengths) / TOKENS_PER_SECOND)
        except asyncio.CancelledError:
            until = (time.monotonic() - began) * TOKENS_PER_SECOND
            written = sum(min(length, until) for length in lengths)
            raise
        finally:
            CountingService.written += written
        return answer


async def start_policy(tokenizer: Any) -> Server:
    """Start the inference server."""
    service = CountingService(Policy(seed=1, error_rate=0.4), tokenizer)
    return await start_json_server({"/generate": service.timed})


async def measure(folder: Path, seconds: float, kills: int) -> Json:
    """Run the environment through faults and kills, and compare the counts."""
    rng = random.Random(1)
    system = FaultySystem(folder, start_policy=start_policy, max_token_len=MAX_TOKEN_LEN)
    steps: list[Json] = []

    def note(what: str) -> None:
        steps.append({"after": what, "server": round(CountingService.written), **counted(folder)})

    async with system:
        env = await system.start_environment(**OPTIONS)
        await system.children.while_alive(system.until_delivered(8))
        for name, proxy, faults in (
            ("inference", system.inference, INFERENCE_FAULTS),
            ("api", system.api, API_FAULTS),
        ):
            for fault, rate in faults.items():
                proxy.rates = {fault: rate}
                await asyncio.sleep(seconds)
                proxy.rates = {}
                await system.until_delivered()
            note(f"{name} faults")
            await proxy.go_down()
            await asyncio.sleep(seconds)
            await proxy.come_back()
            await system.until_delivered()
            note(f"{name} down")
        await system.restart_api()
        await system.until_delivered(4)
        for _ in range(kills):
            await asyncio.sleep(rng.uniform(1.0, 4.0))
            await end(env, signal.SIGKILL)
            system.children.running.remove(env)
            env = await system.start_environment(**OPTIONS)
            await system.children.while_alive(system.until_delivered(4))
        note("kills")
        code = await end(env)
        await asyncio.sleep(1.0)  # the server notices that its clients have left
        note("end")
    last = steps[-1]
    return {
        "exit_code": code,
        "kills": kills,
        "server": last["server"],
        "environment": last["environment"],
        "difference": round(last["environment"] / last["server"] - 1, 4),
        "fates": last["fates"],
        "steps": steps,
    }


def counted(folder: Path) -> Json:
    """Return what the environment's last report says."""
    [path] = folder.rglob("metrics.jsonl")
    row = json.loads(path.read_text().splitlines()[-1])
    fates = {name.removeprefix("tokens/"): row[name] for name in row if name.startswith("tokens/")}
    fates.pop("trained_share")
    return {"environment": sum(fates.values()), "fates": fates}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=3.0, help="of every kind of fault")
    options.add_argument("--kills", type=int, default=3, help="of the environment")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print_json(asyncio.run(measure(Path(folder), given.seconds, given.kills)))


if __name__ == "__main__":
    main()
