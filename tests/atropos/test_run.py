"""rgenv/atropos/run.py: how a command runs, and how it ends."""

import asyncio
from typing import Any

from tests.conftest import MakeEnv
from tests.support.environments import next_group
from tests.support.polling import until
from tests.support.replies import always


async def test_a_snapshot_has_the_numbers_of_the_run(make_env: MakeEnv) -> None:
    """Groups and tokens come from the metrics, the queue and its limit from API and options."""
    env = await make_env(always("<answer>1</answer>"), task_names=["gcd"], batch_size=18)
    run = env._run
    run.mode, env.curr_step = "serve", 3
    run.loop.status = {"queue_size": 5}
    for _ in range(2):
        await next_group(env)
    now: Any = run._look()
    assert (now.step, now.groups, now.queue, now.queue_limit) == (3, 2, 5, 3 * 18 // 4)
    assert now.tokens > 0 and now.under_way == now.scoring == 0 and not now.inference_away
    assert now.never_fills == (
        "batch_size 18 is not a multiple of group_size 4, so a batch may never fill"
    )
    assert now.rates["format_rate"] == 1.0
    env.server.servers[0].server_healthy = False
    assert run._look().inference_away
    answer = asyncio.Event()
    asking = asyncio.create_task(run.registration.api.call(answer.wait, "Asking"))
    await until(lambda: run._look().api_silent > 0)
    answer.set()
    await asking
    assert run._look().api_silent == 0
