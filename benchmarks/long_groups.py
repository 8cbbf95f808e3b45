"""Measure for how long groups of long completions hold the event loop; prints one JSON object.

    python benchmarks/long_groups.py [--completions 64] [--tokens 8192] [--groups 5]

The environment asks a server in another process, which answers at once in the format of `vllm
serve`, and sends each group to a real rollout API: from the prompt to the acknowledged group, with
scoring, metrics and saving in between. A task that wakes each millisecond measures the delays; the
same of an idle loop is reported beside it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("WANDB_MODE", "disabled")

import aiohttp
from aiohttp import web
from atroposlib.envs.base import APIServerConfig

from benchmarks.harness import Json, parser, print_json, stalls_during
from demo.http_server import serve_until_ended, start_server
from demo.launch import start_api
from demo.processes import Children
from demo.tokenizer import build_tokenizer
from demo.trainer import register
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig
from rgenv.runtime.host import tune_garbage_collector

VOCABULARY = 700


async def measure(completions: int, tokens: int, groups: int) -> Json:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Children(logs=folder) as children, aiohttp.ClientSession() as session:
            api, server = await start_api(children), await start_stand_in(children, tokens)
            await register(
                session,
                api,
                batch_size=10**6,
                max_token_len=2**17,
                checkpoint_dir=str(folder / "checkpoints"),
                save_checkpoint_interval=10**6,
                num_steps=10**6,
            )
            async with session.get(f"{api}/batch") as reply:
                reply.raise_for_status()
            env = new_env(folder, api, server, completions)
            await env.setup()
            await env.register_env()
            await env.get_server_info()
            tune_garbage_collector()
            await one_group(env)  # loads what is loaded once
            idle = await stalls_during(asyncio.sleep(3.0))
            began = time.perf_counter()
            busy = await stalls_during(all_groups(env, groups))
            seconds = time.perf_counter() - began
            await env.close()
    return {
        "completions": completions,
        "tokens_each": tokens,
        "groups": groups,
        "seconds_a_group": round(seconds / groups, 2),
        "idle": idle,
        "busy": busy,
    }


async def all_groups(env: ReasoningGymEnv, groups: int) -> None:
    """Make groups, two at a time, as the loop of `serve` does."""
    for _ in range(groups // 2):
        await asyncio.gather(one_group(env), one_group(env))


async def one_group(env: ReasoningGymEnv) -> None:
    """Make and send one group, as Atropos' worker does."""
    item = await env.get_next_item()
    group, _ = await env.collect_trajectories(item)
    assert group is not None
    await env.handle_send_to_api(await env.postprocess_histories(group), item)


def new_env(folder: Path, api: str, server: str, completions: int) -> ReasoningGymEnv:
    config = ReasoningGymEnvConfig(
        tokenizer_name=str(build_tokenizer(folder / "tokenizer")),
        use_wandb=False,
        group_size=completions,
        batch_size=10**6,
        max_token_length=2**16,
        task_names=["gcd"],
        rollout_server_url=api,
        ensure_scores_are_not_same=False,
        wandb_name="long",
        dump_rollouts=True,
        dump_failed_rollouts=True,
        data_dumps_dir=str(folder / "dumps"),
        num_eval_samples_per_task=1,
    )
    vllm = APIServerConfig(
        api_key="x", base_url=f"{server}/v1", model_name="stand-in", server_type="vllm"
    )
    return ReasoningGymEnv(config, [vllm])


async def start_stand_in(children: Children, tokens: int) -> str:
    child = await children.start(
        "server", [sys.executable, __file__, "--serve", "--tokens", str(tokens)]
    )
    while not child.log.read_text().startswith("{"):
        await asyncio.sleep(0.05)
    return f"http://127.0.0.1:{json.loads(child.log.read_text().splitlines()[0])['port']}"


async def serve(tokens: int) -> None:
    rng = random.Random(0)
    ids = [[rng.randrange(VOCABULARY) for _ in range(tokens)] for _ in range(4)]
    logprobs = [[-rng.expovariate(4.0) for _ in range(tokens)] for _ in range(4)]
    choices = [
        json.dumps(
            {
                "text": "",
                "finish_reason": "stop",
                "token_ids": ids[index],
                "logprobs": {
                    "tokens": [f"token_id:{token}" for token in ids[index]],
                    "token_logprobs": logprobs[index],
                    "text_offset": [],
                    "top_logprobs": [],
                },
            }
        )
        for index in range(4)
    ]

    async def completions(request: web.Request) -> web.Response:
        n = json.loads(await request.read()).get("n", 1)
        body = ", ".join(choices[index % 4] for index in range(n))
        return web.Response(text=f'{{"choices": [{body}]}}', content_type="application/json")

    async def health(request: web.Request) -> web.Response:
        return web.Response()

    app = web.Application(client_max_size=2**30)
    app.router.add_post("/v1/completions", completions)
    app.router.add_get("/health", health)
    server = await start_server(app)
    await serve_until_ended(server.port, server.close)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--completions", type=int, default=64, help="of a group")
    options.add_argument("--tokens", type=int, default=8192, help="of each completion")
    options.add_argument("--groups", type=int, default=6, help="how many groups")
    options.add_argument("--serve", action="store_true", help="be the server")
    given: Any = options.parse_args()
    if given.serve:
        asyncio.run(serve(given.tokens))
        return
    logging.disable(logging.CRITICAL)
    print_json(asyncio.run(measure(given.completions, given.tokens, given.groups)))


if __name__ == "__main__":
    main()
