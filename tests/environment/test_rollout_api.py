"""reasoning_gym_environment.py: registering with the rollout API, sending groups, the status."""

import asyncio
import time
from pathlib import Path

from rgenv.rollouts.metrics import FATES
from tests.conftest import MakeEnv
from tests.support.dumps import rows
from tests.support.environments import always, next_group
from tests.support.fakes import RolloutApi

WRONG = always("<answer>no</answer>")


async def test_a_long_group_does_not_hold_the_event_loop(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    tokens = [500 + number % 100 for number in range(8192)]
    env = await make_env(
        lambda _prompt, n: [(tokens, "stop")] * n,
        task_names=["gcd"],
        group_size=64,
        max_token_length=2**15,
        rollout_server_url=api.url,
        ensure_scores_are_not_same=False,
    )

    async def send() -> None:
        await env.handle_send_to_api(*await next_group(env))

    longest = [1.0]
    while len(longest) < 6 and longest[-1] >= 0.05:  # others may use the memory at the time
        api.asked.clear()
        sending, steps = asyncio.create_task(send()), []
        last = time.thread_time()  # other programs hardly change it
        while "scored_data" not in api.asked:  # then the fake API has read it, in this loop
            await asyncio.sleep(0.001)
            steps.append(time.thread_time() - last)
            last += steps[-1]
        await sending
        longest.append(max(steps[:-1]))
    assert longest[-1] < 0.05, longest


async def test_tokens_are_counted_by_what_became_of_them(
    make_env: MakeEnv, api: RolloutApi, tmp_path: Path
) -> None:
    env = await make_env(WRONG, task_names=["gcd"], rollout_server_url=api.url, mode="serve")
    api.plan = [200, 422]
    env.config.ensure_scores_are_not_same = False
    await env.register_env()
    for _ in range(2):
        await env.handle_send_to_api(*await next_group(env))
    env.max_token_len = 10
    await env.handle_send_to_api(*await next_group(env))
    env.config.ensure_scores_are_not_same = True
    await env.handle_send_to_api(*await next_group(env))
    await next_group(env)
    await env.close()
    await env.wandb_log()
    *_, logged = rows(next(tmp_path.rglob("metrics.jsonl")))
    [one] = {logged[f"tokens/{fate}"] for fate in FATES}
    assert one > 0 and logged["tokens/trained_share"] == 1 / 4
