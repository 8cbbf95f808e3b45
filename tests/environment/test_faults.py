"""reasoning_gym_environment.py when things go wrong: completions that were paid for are kept."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reasoning_gym_environment import ReasoningGymEnv, StartupError
from rgenv.errors import ServerAway
from rgenv.pool.pool import WorkerPool
from tests.conftest import MakeEnv
from tests.support.environments import Outage, always, next_items
from tests.support.fakes import RolloutApi
from tests.support.polling import until
from tests.support.pools import HeldScoring, PoolDouble

MakeProcess = Callable[..., Awaitable[ReasoningGymEnv]]


@pytest.fixture
def make_process(make_env: MakeEnv, tmp_path: Path) -> MakeProcess:
    """Make environments for the command `process`, which writes two groups."""
    out = {"data_path_to_save_groups": str(tmp_path / "groups.jsonl"), "total_steps": 2}
    usual = {"task_names": ["gcd"], "ensure_scores_are_not_same": False, "set_up": False, **out}
    return lambda reply, **options: make_env(reply, **usual | options)


def seeds_in(path: Path) -> list[int]:
    return [json.loads(line)["group_overrides"]["seed"] for line in path.read_text().splitlines()]


class Uneven:
    """Completes a group the sooner the later it was asked, and fails each third request once;
    `most` completions were under way at a time."""

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
        await until(lambda: len(self.asked) >= 8)
        await asyncio.sleep(0.5 / number)
        self.under_way -= n
        if number % 3 == 0 and self.asked[prompt] == 1:
            raise ConnectionError("away")
        return [("<answer>no</answer>", "stop")] * n


async def test_process_makes_groups_together(
    make_env: MakeEnv, make_process: MakeProcess, tmp_path: Path, short_pauses: None
) -> None:
    server = Uneven()
    env = await make_process(server, group_size=8, total_steps=40)
    async with asyncio.timeout(300):
        await env.process_manager()
    expected = await next_items(await make_env(always("x"), task_names=["gcd"]), 40)
    assert seeds_in(tmp_path / "groups.jsonl") == [one.recipe["seed"] for one in expected]
    assert server.most >= 64 and sum(server.asked.values()) > len(server.asked) == 40


async def test_process_writes_what_is_scored_when_it_ends(
    make_process: MakeProcess, tmp_path: Path, pool: WorkerPool
) -> None:
    held = HeldScoring(pool)
    env = await make_process(always("x"), pool=PoolDouble(pool, score=held), total_steps=20)
    processing = asyncio.create_task(env.process_manager())
    await held.begun.wait()
    under_way = len(env.collector.finishing)
    processing.cancel()
    held.release.set()
    await asyncio.gather(processing, return_exceptions=True)
    lines = (tmp_path / "groups.jsonl").read_text().splitlines()
    assert len(lines) >= under_way > 0


async def test_process_goes_on_in_its_file(
    make_env: MakeEnv, make_process: MakeProcess, tmp_path: Path, short_pauses: None
) -> None:
    path, state = tmp_path / "groups.jsonl", tmp_path / "groups.jsonl.state/snapshot.json"
    asked: set[str] = set()

    async def stops(prompt: str, n: int) -> list[tuple[str, str]]:
        asked.add(prompt)
        await asyncio.sleep(0.1 if len(asked) < 18 else 1000)
        return [("<answer>no</answer>", "stop")] * n

    env = await make_process(stops, total_steps=30)
    processing = asyncio.create_task(env.process_manager())
    await until(lambda: path.exists() and len(path.read_text().splitlines()) >= 10)
    await until(state.exists)
    kept = state.read_bytes()
    await until(lambda: len(path.read_text().splitlines()) >= 15)
    processing.cancel()
    await asyncio.gather(processing, return_exceptions=True)
    state.write_bytes(kept)  # as after kill -9: older than the file
    before = path.read_text()
    again = await make_process(Uneven(), total_steps=30)
    await again.process_manager()
    expected = await next_items(await make_env(always("x"), task_names=["gcd"]), 30)
    assert path.read_text().startswith(before) and len(before.splitlines()) < 30
    masks = [mask for line in path.open() for mask in json.loads(line)["masks"]]
    assert again.fates.tokens == {"trained": sum(len(one) - one.count(-100) for one in masks)}
    assert sorted(seeds_in(path)) == sorted(one.recipe["seed"] for one in expected)
    assert sorted(one.name for one in tmp_path.iterdir() if "groups" in one.name) == [path.name]
    await (await make_process(always("x"))).process_manager()
    assert len(seeds_in(tmp_path / "groups_1.jsonl")) == 2


async def test_without_total_steps_process_has_a_number_of_its_own(
    make_process: MakeProcess,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setattr("reasoning_gym_environment.PROCESS_GROUPS", 3)
    await (await make_process(always("x"), total_steps=-1)).process_manager()
    assert len((tmp_path / "groups.jsonl").read_text().splitlines()) == 3
    [ended] = [line for line in caplog.messages if line.startswith("Ended: ")]
    assert "(--env.total_steps 3)" in ended and str(tmp_path / "groups.jsonl") in ended
    assert caplog.messages[-1] == ended


@pytest.mark.parametrize(
    ("patience", "message"),
    [(0.05, "No group for .* 0 of 4 completions"), (60, "attempts in a row gave no group")],
)
async def test_an_outage_that_lasts_ends_the_run(
    make_process: MakeProcess, monkeypatch: pytest.MonkeyPatch, patience: float, message: str
) -> None:
    monkeypatch.setattr(
        "reasoning_gym_environment.PROCESS_GIVES_UP_AFTER", 10 if patience > 1 else 10**6
    )
    server = Outage()
    server.failing = True
    env = await make_process(server, outage_patience=patience)
    with pytest.raises(StartupError, match=message):
        await env.process_manager()


async def test_servers_that_stay_away_end_the_run(
    make_process: MakeProcess, short_pauses: None
) -> None:
    async def fail(**_: object) -> None:
        raise ServerAway("http://here can't be reached")

    env = await make_process(always("x"), outage_patience=0.1)
    env.server.servers[0].tokens_and_logprobs_completion = fail
    with pytest.raises(StartupError, match=r"No inference server has completed .*http://here"):
        await env.process_manager()
    assert env._look().inference_outage == "http://here can't be reached"


async def test_groups_scored_while_closing_are_sent(
    make_env: MakeEnv, pool: WorkerPool, api: RolloutApi
) -> None:
    held = HeldScoring(pool)
    env = await make_env(
        always("<answer>no</answer>"),
        pool=PoolDouble(pool, score=held),
        task_names=["gcd"],
        rollout_server_url=api.url,
        ensure_scores_are_not_same=False,
    )
    item = await env.get_next_item()
    env.groups.start(item, env.handle_env)
    await held.begun.wait()
    await env.register_env()
    closing = asyncio.create_task(env.close())
    await asyncio.sleep(0.1)
    held.release.set()
    await closing
    [group] = api.taken
    assert group["group_overrides"]["seed"] == item.seed and group["env_id"] == 4
    assert api.asked[-1] == "disconnect-env"
