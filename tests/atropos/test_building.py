"""rgenv/atropos/building.py: the objects of a run, as the configuration determines them."""

from collections.abc import Mapping
from typing import Any

import pytest

from rgenv.atropos.evaluation import evaluation_definition
from rgenv.errors import MakeFailed, StartupError
from rgenv.pool.coverage import Coverage
from rgenv.stream.stream import EVAL_SEEDS
from rgenv.task_names import KNOWN_TASKS
from rgenv.types import Problem
from tests.conftest import MakeEnv
from tests.support.environments import next_group
from tests.support.metric_names import pattern_of
from tests.support.pools import PoolDouble, fixed_scores
from tests.support.replies import always
from tests.support.rollouts import problem

CATEGORIES = {"gcd": "arithmetic", "lcm": "arithmetic", "maze": "games"}


class SmallPool(PoolDouble):
    """A pool of three tasks whose problems are made here."""

    version: str = "0.1.25"
    task_categories: Mapping[str, str] | None = CATEGORIES
    coverage: Coverage = Coverage(CATEGORIES)

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__(make=self._new_problem, score=fixed_scores(1.0, 0.0))
        self.fails = fails
        self.made: list[tuple[Any, ...]] = []

    async def _new_problem(
        self,
        task: str,
        seed: int,
        *,
        level: float | None,
        config: Mapping[str, Any] | None,
        select: bool,
    ) -> Problem:
        if self.fails:
            raise MakeFailed("error", "ValueError")
        self.made.append((task, seed, level, config))
        return problem(
            seed,
            task,
            level,
            config=dict(config or {}),
            answer=str(seed),
            held_out=seed >= EVAL_SEEDS,
            source=self.coverage.source(task),
        )


@pytest.fixture
def start(make_env: MakeEnv) -> MakeEnv:
    """Make environments over a small pool; sets have two problems of each task."""

    async def start(pool: Any = None, **options: Any) -> Any:
        usual = {"num_eval_samples_per_task": 2, "num_eval_tasks": 0}
        return await make_env(pool=pool or SmallPool(), **usual | options)

    return start


async def test_an_unreadable_registry_is_replaced_by_the_known_tasks(
    start: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    pool = SmallPool()
    pool.task_categories = None
    env = await start(pool, task_names=["gcd"])
    assert env.gym.categories == KNOWN_TASKS and "registry can't be read" in caplog.text


async def test_events_are_counted_in_the_metrics(start: MakeEnv) -> None:
    env = await start(SmallPool(fails=True))
    assert env.eval_items == []
    with pytest.raises(StartupError):
        await env.get_next_item()
    assert env.metrics.take()["train/not_made/error"] >= 200


async def test_every_gauge_is_documented(start: MakeEnv) -> None:
    env = await start(complexity_mode="curriculum")
    assert env._current_metrics() == {
        "pool/worker_restarts": 0,
        "pool/malformed_replies": 0,
        "train/dumps_waiting": 0,
        "train/dumps_not_written": 0,
        "train/groups_refused": 0,
        "train/groups_not_delivered": 0,
    }
    env.source.observe(await env.get_next_item(), [1.0])
    assert env._current_metrics()["curriculum/total_tasks_tracked"] == 1
    assert all(map(pattern_of, env._current_metrics()))


async def test_the_line_of_the_log_has_the_numbers_of_the_run(make_env: MakeEnv) -> None:
    """Groups and tokens come from the metrics, the queue and its limit from API and options."""
    env = await make_env(always("<answer>1</answer>"), task_names=["gcd"], batch_size=18)
    env.mode, env.curr_step = "serve", 3
    env.groups.status = {"queue_size": 5}
    for _ in range(2):
        await next_group(env)
    now: Any = env._look()
    assert (now.step, now.groups, now.queue, now.queue_limit) == (3, 2, 5, 3 * 18 // 4)
    assert now.tokens > 0 and now.under_way == now.scoring == 0 and not now.inference_away
    assert now.never_fills == (
        "batch_size 18 is not a multiple of group_size 4, so a batch may never fill"
    )


async def test_an_evaluation_is_described_by_what_determines_it(
    start: MakeEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Descriptions are equal if and only if problems, model, sampling and scoring are."""

    async def about(step: int | None = None, **options: Any) -> dict[str, Any]:
        env = await start(mode="evaluate", **options)
        return evaluation_definition(env.config, env.policy, env.gym, env.eval_items, step)

    plain = await about()
    assert plain["model"] == "fake" and plain["items"] == 6 and plain["levels"] == ["none"]
    assert plain == await about(seed=7, temperature=0.3)
    assert plain == await about(eval_limit=7), "of a set that has no more"
    changes = [
        {"step": 5},
        {"eval_seed": 5},
        {"eval_levels": [1.0]},
        {"task_names": ["gcd"]},
        {"eval_temperature": 0.3},
        {"eval_max_tokens": 7777},
        {"chat_template": "chatml"},
        {"chat_template": "plain"},
        {"eval_samples_per_item": 2},
        {"strict_verifiers": False},
    ]
    for change in changes:
        assert await about(**change) != plain, change
    monkeypatch.setattr(SmallPool, "coverage", Coverage({**CATEGORIES, "gcd": "another"}))
    another = await about()
    assert {**another, "set": plain["set"]} == plain != another
