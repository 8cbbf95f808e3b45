"""reasoning_gym_environment.py: registering with the rollout API, sending groups, the status."""

import asyncio
import time

import pytest

from rgenv.rollouts.fates import FATES
from rgenv.stream.stream import MAX_REPLICAS
from tests.conftest import MakeEnv
from tests.support.environments import capture_metrics, next_group
from tests.support.fakes import RolloutApi
from tests.support.polling import until
from tests.support.replies import always

WRONG = always("<answer>no</answer>")


# Registering


async def test_waiting_for_the_trainer_uses_no_patience(make_env: MakeEnv, api: RolloutApi) -> None:
    """However late the trainer starts, an error of the API right afterwards is retried."""
    env = await make_env(task_names=["gcd"], rollout_server_url=api.url, outage_patience=0.5)
    api.has_trainer, api.fails_to_register = False, 1
    registering = asyncio.create_task(env.register_env())
    await until(lambda: len(api.asked) >= 2)
    api.has_trainer = True
    async with asyncio.timeout(300):
        await registering
    assert env.env_id == 4 and api.asked.count("register-env") >= 2


async def test_registering_again_keeps_the_name(make_env: MakeEnv, api: RolloutApi) -> None:
    """After a restart of the API the metrics of this environment keep their prefix."""
    env = await make_env(task_names=["gcd"], rollout_server_url=api.url)
    await env.register_env()
    api.registration |= {"wandb_name": "test_1", "env_id": 7}
    await env.register_env()
    assert (env.wandb_prepend, env.env_id) == ("test_0", 7)


async def test_a_restarted_api_gets_a_new_registration(make_env: MakeEnv, api: RolloutApi) -> None:
    """A status with an earlier step is that of a restarted API."""
    env = await make_env(task_names=["gcd"], rollout_server_url=api.url)
    await env.register_env()
    env.curr_step = 5
    api.status["current_step"] = 2
    await env.get_status()
    assert api.asked.count("register-env") == 2
    assert env.metrics.take()["train/registered_again"] == 1


# Sending


async def test_a_group_cancelled_while_it_is_sent_arrives(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    """Atropos cancels workers while they send; the trainer gets the group once."""
    env = await make_env(
        WRONG, task_names=["gcd"], rollout_server_url=api.url, ensure_scores_are_not_same=False
    )
    group, item = await next_group(env)
    api.hold = asyncio.Event()
    sending = asyncio.create_task(env.handle_send_to_api(group, item))
    await until(lambda: "scored_data" in api.asked)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    api.hold.set()
    await env.close()
    [arrived] = api.taken
    assert arrived["group_overrides"]["group_id"] == group["group_overrides"]["group_id"]


async def test_a_long_group_does_not_hold_the_event_loop(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    """64 completions of 8,192 tokens are read, scored and sent in steps of less than 50 ms each."""
    tokens = [500 + number % 100 for number in range(8192)]
    env = await make_env(
        lambda _prompt, n: [(tokens, "stop")] * n,
        task_names=["gcd"],
        group_size=64,
        max_token_length=2**15,
        rollout_server_url=api.url,
        ensure_scores_are_not_same=False,
    )

    async def longest_step() -> float:
        steps = []

        async def beat() -> None:
            last = time.thread_time()  # other programs hardly change it
            while True:
                await asyncio.sleep(0.001)
                if "scored_data" in api.asked:
                    return  # the fake API has read it, in this loop
                now = time.thread_time()
                steps.append(now - last)
                last = now

        api.asked.clear()
        beating = asyncio.create_task(beat())
        item = await env.get_next_item()
        group, _ = await env.collect_trajectories(item)
        sending = asyncio.create_task(
            env.handle_send_to_api(await env.postprocess_histories(group), item)
        )
        await beating
        await sending
        return max(steps)

    longest = [await longest_step()]
    while len(longest) < 5 and longest[-1] >= 0.05:  # others may use the memory at the time
        longest.append(await longest_step())
    assert longest[-1] < 0.05, longest


async def test_tokens_are_counted_by_what_became_of_them(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    """Accepted, refused, equal or too long; what is under way at the end is not counted."""
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
    logged = capture_metrics(env)
    await env.close()
    await env.wandb_log()
    [one] = {logged[f"tokens/{fate}"] for fate in FATES}
    assert one > 0 and logged["tokens/trained_share"] == 1 / 4


# Status


@pytest.mark.parametrize(("replicas", "asked"), [(1, 5), (MAX_REPLICAS, 1)])
async def test_many_replicas_ask_for_their_status_rarely(
    make_env: MakeEnv, api: RolloutApi, replicas: int, asked: int
) -> None:
    """All replicas together ask at a fixed rate; a single one asks as often as Atropos does."""
    env = await make_env(task_names=["gcd"], rollout_server_url=api.url, num_replicas=replicas)
    await env.register_env()
    for _ in range(5):
        await env.get_status()
        await asyncio.sleep(0.02)
    assert api.asked.count("status-env") == asked
