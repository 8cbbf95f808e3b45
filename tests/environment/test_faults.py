"""reasoning_gym_environment.py when things go wrong: completions that were paid for are kept."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from reasoning_gym_environment import ReasoningGymEnv, StartupError
from rgenv.errors import PoolBroken, ServerAway
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem, Verdict
from tests.conftest import MakeEnv
from tests.support.environments import next_items
from tests.support.fakes import RolloutApi
from tests.support.polling import until
from tests.support.pools import HeldScoring, PoolDouble
from tests.support.replies import Outage, always

MakeProcess = Callable[..., Awaitable[ReasoningGymEnv]]


@pytest_asyncio.fixture(loop_scope="session")
async def make_process(make_env: MakeEnv, tmp_path: Path) -> MakeProcess:
    """Make environments for the command `process`, which writes two groups."""

    async def make(reply: Any, **options: Any) -> ReasoningGymEnv:
        out = str(tmp_path / "groups.jsonl")
        env = await make_env(
            reply, set_up=False, task_names=["gcd"], data_path_to_save_groups=out, **options
        )
        env.n_groups_to_process, env.group_size_to_process = 2, 4
        return env

    return make


# The command `process`


class Uneven:
    """Completes a group the sooner the later it was asked, and fails each third request once.

    Attributes:
        most: the most completions that were under way.
    """

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.under_way = self.most = 0

    async def __call__(self, prompt: str, n: int) -> list[tuple[str, str]]:
        if n < 8:  # the trial at the start
            return [("<answer>no</answer>", "stop")] * n
        self.asked[prompt] += 1
        number = len(self.asked)
        self.under_way += n
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.5 / number)
        self.under_way -= n
        if number % 3 == 0 and self.asked[prompt] == 1:
            raise ConnectionError("away")
        return [("<answer>no</answer>", "stop")] * n


def written(path: Path) -> list[tuple[str, int]]:
    groups = [json.loads(line)["group_overrides"] for line in path.read_text().splitlines()]
    return [(group["task"], group["seed"]) for group in groups]


async def test_process_makes_groups_together_and_writes_them_in_order(
    make_env: MakeEnv, make_process: MakeProcess, tmp_path: Path, short_pauses: None
) -> None:
    """As many as asked for, each once, whatever order they end in and whatever fails."""
    server = Uneven()
    env = await make_process(server, group_size=8, ensure_scores_are_not_same=False)
    env.n_groups_to_process = 40
    async with asyncio.timeout(300):
        await env.process_manager()
    expected = await next_items(await make_env(always("x"), task_names=["gcd"]), 40)
    assert written(tmp_path / "groups.jsonl") == [
        (one.task, one.recipe["seed"]) for one in expected
    ]
    assert server.most >= 64 and sum(server.asked.values()) > len(server.asked) == 40


async def test_process_writes_what_is_made_when_it_ends(
    make_env: MakeEnv, make_process: MakeProcess, tmp_path: Path, pool: WorkerPool
) -> None:
    """Groups that wait for one before them, and those that are scored meanwhile, in their order."""
    release, late = asyncio.Event(), asyncio.Event()
    prompts: list[str] = []

    async def reply(prompt: str, n: int) -> list[tuple[str, str]]:
        if n == 4:
            prompts.append(prompt)
            if len(prompts) % 4 == 1:
                await release.wait()
        return [(f"<answer>{len(prompts)}</answer>", "stop")] * n

    async def score(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        if int(answers[0] or 0) % 4 == 2:
            await late.wait()
        return await pool.score(problem, answers)

    double = PoolDouble(pool, score=score)
    env = await make_process(reply, pool=double, ensure_scores_are_not_same=False)
    env.n_groups_to_process = 20
    processing = asyncio.create_task(env.process_manager())
    await until(lambda: len(double.scored) >= 9)
    processing.cancel()
    late.set()
    await asyncio.gather(processing, return_exceptions=True)
    order = await next_items(await make_env(always("x"), task_names=["gcd"]), 20)
    places = [(one.task, one.recipe["seed"]) for one in order]
    saved = [places.index(one) for one in written(tmp_path / "groups.jsonl")]
    assert saved == sorted(set(saved)) and {1, 2, 3, 5} <= set(saved) and 0 not in saved


# Failures that end the run


async def test_an_outage_that_lasts_ends_the_run(
    make_process: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After outage_patience without a group, one error names the last failure."""
    monkeypatch.setattr("rgenv.atropos.building.PROCESS_GIVES_UP_AFTER", 10**6)
    server = Outage()
    server.failing = True
    env = await make_process(server, outage_patience=0.05)
    async with asyncio.timeout(300):
        with pytest.raises(StartupError, match=r"No group for .* 0 of 4 completions"):
            await env.process_manager()


async def test_servers_that_stay_away_end_the_run(
    make_process: MakeProcess, short_pauses: None
) -> None:
    """A request waits for them as long as outage_patience says; meanwhile the log says so."""

    async def fail(**_: object) -> None:
        raise ServerAway("http://here can't be reached")

    env = await make_process(always("x"), outage_patience=0.1)
    env.server.servers[0].tokens_and_logprobs_completion = fail
    async with asyncio.timeout(300):
        with pytest.raises(StartupError, match=r"No inference server has answered .*http://here"):
            await env.process_manager()
    assert env._look().inference_away


@pytest.mark.parametrize(("written", "made"), [(-1, 3), (2, 2)])
async def test_process_has_a_number_of_groups_of_its_own(
    make_process: MakeProcess,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    written: int,
    made: int,
) -> None:
    """It has no trainer to follow; the last line says how many groups were made, and where."""
    caplog.set_level("INFO")
    monkeypatch.setattr("rgenv.atropos.commands.PROCESS_GROUPS", 3)
    env = await make_process(always("x"), ensure_scores_are_not_same=False)
    env.n_groups_to_process = written
    await env.process_manager()
    assert len((tmp_path / "groups.jsonl").read_text().splitlines()) == made
    [ended] = [line for line in caplog.messages if line.startswith("Ended: ")]
    assert f"all {made} groups" in ended and str(tmp_path / "groups.jsonl") in ended
    assert caplog.messages[-1] == ended


async def test_a_broken_pool_ends_the_run(make_process: MakeProcess, pool: WorkerPool) -> None:
    async def broken(_problem: Problem, _answers: object) -> list[Verdict]:
        raise PoolBroken("Workers die.")

    double = PoolDouble(pool, score=broken)
    env = await make_process(always("x"), pool=double)
    async with asyncio.timeout(300):
        with pytest.raises(PoolBroken, match="Workers die"):
            await env.process_manager()
    assert double.scored and double.closed


# Cancelled work


async def scoring(
    make_env: MakeEnv, pool: WorkerPool, reply: Any, **options: Any
) -> tuple[ReasoningGymEnv, Problem, HeldScoring]:
    """Start a group and return once its scoring has begun, with what holds it."""
    held = HeldScoring(pool)
    env = await make_env(reply, pool=PoolDouble(pool, score=held), task_names=["gcd"], **options)
    item = await env.get_next_item()
    env.groups.start(item, env.handle_env)
    await held.begun.wait()
    return env, item, held


async def test_groups_scored_while_closing_are_sent(
    make_env: MakeEnv, pool: WorkerPool, api: RolloutApi
) -> None:
    """A registered environment sends them before it disconnects."""
    env, item, held = await scoring(
        make_env,
        pool,
        always("<answer>no</answer>"),
        rollout_server_url=api.url,
        ensure_scores_are_not_same=False,
    )
    await env.register_env()
    closing = asyncio.create_task(env.close())
    await asyncio.sleep(0.1)
    held.release.set()
    await closing
    [group] = api.taken
    assert group["group_overrides"]["seed"] == item.seed and group["env_id"] == 4
    assert api.asked[-1] == "disconnect-env"
