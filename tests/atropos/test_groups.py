"""rgenv/atropos/groups.py: what `serve` asks for, over a fake rollout API."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from rgenv.atropos import rollout_api
from rgenv.errors import StartupError
from tests.conftest import MakeEnv
from tests.support.environments import next_items
from tests.support.fakes import RolloutApi
from tests.support.polling import until

LIMIT = 12
"""Groups that may wait: 3 batches of 16 completions, in groups of 4."""


class Run:
    """An environment that serves; its requests wait until `release` is set."""

    def __init__(self, env: Any, api: RolloutApi) -> None:
        self.env, self.api, self.server = env, api, env.server.servers[0]
        self.release = self.server.release = asyncio.Event()
        self.serving = asyncio.create_task(env.serve())

    async def looks(self) -> None:
        before = len(self.api.asked)
        await until(lambda: len(self.api.asked) >= before + 3)

    @property
    def groups_asked(self) -> int:
        return sum(request.get("n") == 4 for request in self.server.requests)


@asynccontextmanager
async def running(make_env: MakeEnv, api: RolloutApi, **options: Any) -> AsyncIterator[Run]:
    settings = {"batch_size": 16, "steps_per_eval": 0, "ensure_scores_are_not_same": False}
    settings |= {"task_names": ["gcd"], "rollout_server_url": api.url, **options}
    env = await make_env(mode="serve", set_up=False, **settings)
    run = Run(env, api)
    try:
        yield run
    finally:
        run.serving.cancel()
        await asyncio.gather(run.serving, return_exceptions=True)
        await env.close()  # while there is an API that takes what was scored


async def test_a_full_queue_cancels_nothing(make_env: MakeEnv, api: RolloutApi) -> None:
    async with running(make_env, api, max_num_workers=5) as run:
        await until(lambda: run.groups_asked == 5)
        api.status |= {"queue_size": LIMIT, "self_queue_size": 0}
        await run.looks()
        run.release.set()
        await until(lambda: len(api.taken) == 5)
        assert run.groups_asked == 5
    assert "train/generations_cancelled" not in run.env.metrics.take()


async def test_no_more_is_asked_than_the_queue_has_room_for(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    api.status |= {"queue_size": 4, "self_queue_size": 2, "env_weight": 0.5}
    async with running(make_env, api, num_replicas=2, max_num_workers=50) as run:
        await until(lambda: run.groups_asked == LIMIT // 2 - 2)
        await run.looks()
        assert run.groups_asked == LIMIT // 2 - 2


async def test_items_that_were_given_back_come_first_and_in_their_order(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    async with running(make_env, api, max_num_workers=3) as run:
        await until(lambda: hasattr(run.env, "env_id"))
        await until(lambda: run.groups_asked == 3)
        waiting = await next_items(run.env, 3)
        run.env.backlog.extend(waiting)
        run.release.set()
        await until(lambda: run.groups_asked >= 6)
        asked = [run.server.tokenizer.decode(r["input_ids"]) for r in run.server.requests]
        again = [text for text in asked if any(item.question in text for item in waiting)]
        assert [w.question in text for w, text in zip(waiting, again, strict=True)] == [True] * 3


async def test_what_takes_too_long_is_asked_again(make_env: MakeEnv, api: RolloutApi) -> None:
    async with running(make_env, api, max_num_workers=1, worker_timeout=1) as run:
        await until(lambda: run.groups_asked == 2)
        first, second = (r["input_ids"] for r in run.server.requests if r.get("n") == 4)
        assert first == second and run.env.metrics.take()["train/generations_cancelled"] == 1


async def test_an_evaluation_beside_training_stops_nothing(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    """With LIMIT_TRAIN what is under way goes on, and no more is asked than the limit."""
    options = {"eval_handling": "LIMIT_TRAIN", "steps_per_eval": 1, "eval_limit_ratio": 0.5}
    async with running(make_env, api, max_num_workers=4, **options) as run:
        await until(lambda: run.groups_asked == 4)
        under_way = set(run.env.workers)
        run.env.evaluate = asyncio.Event().wait  # takes long
        api.status["current_step"] = 1
        await until(lambda: run.env.eval_runner is not None)
        assert under_way <= run.env.workers and not any(w.cancelled() for w in under_way)
        run.release.set()
        await until(lambda: len(api.taken) >= 6)
        assert len(run.env.workers) <= 2


async def test_the_run_ends_when_the_trainer_has_its_groups(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    api.status |= {"current_step": 8, "queue_size": 4, "self_queue_size": 4}
    async with running(make_env, api, max_num_workers=50) as run:  # of 9 steps
        await until(lambda: run.groups_asked == 4)
        await run.looks()
        assert run.groups_asked == 4
        api.status["queue_size"] = 8
        await asyncio.wait_for(run.serving, 60)


async def test_a_trainer_that_comes_back_with_other_sizes_is_obeyed(
    make_env: MakeEnv,
    api: RolloutApi,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A line says so; groups that are too long now are not sent, and no group is lost uncounted. A
    run whose group fits into no batch ends, instead of filling a queue that nobody takes from."""
    monkeypatch.setattr(rollout_api, "SIZES_SECONDS", 0.05)
    async with running(make_env, api, max_num_workers=3) as run:
        await until(lambda: run.groups_asked == 3)
        api.sizes = {"batch_size": 8, "max_token_len": 50}
        await until(lambda: run.env.config.batch_size == 8)
        run.release.set()
        await until(lambda: run.env.metrics.groups >= 3)
        await until(lambda: run.env.metrics.rates() and run.groups_asked >= 6)
        assert api.taken == [] and run.env.metrics.take()["train/groups_skipped"] >= 3
        api.sizes = {"batch_size": 2, "max_token_len": 2**20}
        with pytest.raises(StartupError, match=r"group_size 4 does not fit .* batch_size 2"):
            await asyncio.wait_for(run.serving, 60)
    assert "takes batches of 8 and lengths below 50 now" in caplog.text
    assert "Raise the trainer's max_token_len" in caplog.text


async def test_groups_of_another_size_are_named(
    make_env: MakeEnv, api: RolloutApi, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(make_env, api, max_num_workers=1) as run:
        api.status |= {"max_group_size": 8}
        await until(lambda: run.groups_asked == 1)
        assert "Another environment" not in caplog.text
        api.status |= {"max_group_size": 6}
        await until(lambda: "sends groups of 6 completions" in caplog.text)
        api.status |= {"max_group_size": 7}
        await until(lambda: run.env.status_dict["max_group_size"] == 7)
    assert caplog.text.count("Another environment") == 1
