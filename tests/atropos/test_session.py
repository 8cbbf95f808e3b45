"""rgenv/atropos/session.py: the objects of a run, as the configuration determines them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.evaluation import evaluation_definition
from rgenv.atropos.session import Builder, Session, current_metrics
from rgenv.dataset.stream import EVAL_SEEDS
from rgenv.errors import MakeFailed, StartupError
from rgenv.pool.coverage import Coverage
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.task_names import KNOWN_TASKS
from rgenv.types import Problem
from tests.support.fakes import fake_config
from tests.support.metric_names import pattern_of
from tests.support.pools import PoolDouble, fixed_scores
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


Start = Callable[..., Awaitable[Session]]


@pytest_asyncio.fixture(loop_scope="session")
async def start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: Any
) -> AsyncIterator[Start]:
    """Start sessions that are closed after the test, with an empty cache of evaluation sets."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    started: list[Session] = []

    async def start(pool: Any = None, mode: Any = "embedded", **options: Any) -> Session:
        servers = SimpleNamespace(servers=[SimpleNamespace(config=fake_config()[0])])
        builder = Builder(
            configured(**options),
            mode=mode,
            servers=servers,
            tokenizer=tokenizer,
            metrics=TrainMetrics(),
            answered=lambda longest, seconds: None,
            dumps_dir=tmp_path / "dumps",
            abort=lambda error: None,
        )
        session = await builder.start(pool or SmallPool())
        started.append(session)
        return session

    yield start
    for session in started:
        await session.close()


def configured(**options: Any) -> ReasoningGymEnvConfig:
    return ReasoningGymEnvConfig(
        **{"num_eval_samples_per_task": 2, "scoring_workers": 1, **options}
    )


async def test_an_unreadable_registry_is_replaced_by_the_known_tasks(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    pool = SmallPool()
    pool.task_categories = None
    session = await start(pool, task_names=["gcd"])
    assert session.categories == KNOWN_TASKS and "registry can't be read" in caplog.text


async def test_events_are_counted_in_the_metrics(start: Start) -> None:
    session = await start(SmallPool(fails=True))
    assert session.eval_problems == []
    with pytest.raises(StartupError):
        await session.source.next()
    assert session.recorder.metrics.take()["train/not_made/error"] >= 200


async def test_every_gauge_is_documented(start: Start) -> None:
    config = configured(complexity_mode="curriculum")
    session = await start(complexity_mode="curriculum")
    assert current_metrics(session, config) == {
        "pool/worker_restarts": 0,
        "pool/malformed_replies": 0,
        "train/dumps_waiting": 0,
        "train/dumps_not_written": 0,
    }
    session.source.observe(await session.source.next(), [1.0])
    assert current_metrics(session, config)["curriculum/total_tasks_tracked"] == 1
    assert all(map(pattern_of, current_metrics(session, config)))


async def test_an_evaluation_is_described_by_what_determines_it(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Descriptions are equal if and only if problems, model, sampling and scoring are."""

    async def about(step: int | None = None, **options: Any) -> dict[str, Any]:
        session = await start(mode="evaluate", **options)
        return evaluation_definition(
            configured(**options), session.policy, session.gym, session.eval_problems, step
        )

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
