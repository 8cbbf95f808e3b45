"""reasoning_gym_environment.py when things go wrong: nothing that was paid for is lost."""

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pandas
import pytest
import pytest_asyncio

from reasoning_gym_environment import ReasoningGymEnv, StartupError
from rgenv.errors import MakeFailed, PoolBroken
from rgenv.runtime import backoff
from rgenv.runtime.shutdown import Shutdown
from rgenv.types import Problem, Verdict
from tests.conftest import MakeEnv
from tests.support.fakes import RolloutApi

WRONG = "<answer>no</answer>"


class Server:
    """Gives every completion as `text`, or fails while `failing`; counts what it was asked."""

    def __init__(self, text: str = WRONG) -> None:
        self.text = text
        self.failing = False
        self.asked = 0

    def __call__(self, _prompt: str, n: int) -> list[tuple[str, str]]:
        self.asked += 1
        return [] if self.failing else [(self.text, "stop")] * n


class FailingOnce:
    """The pool of an environment, whose first scoring fails."""

    def __init__(self, env: ReasoningGymEnv) -> None:
        self._pool, env._pool = env.pool, self
        self.failed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def score(self, problem: Problem, answers: list[str | None]) -> list[Verdict]:
        if not self.failed:
            self.failed = True
            raise OSError("a broken pipe")
        return await self._pool.score(problem, answers)


class SlowScoring:
    """The pool of an environment, with verdicts that come when `go` is set."""

    def __init__(self, env: ReasoningGymEnv) -> None:
        self._pool, env._pool = env.pool, self
        self.go = asyncio.Event()
        self.begun = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def score(self, problem: Problem, answers: list[str | None]) -> list[Verdict]:
        self.begun.set()
        await self.go.wait()
        return await self._pool.score(problem, answers)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts follow each other at once."""
    monkeypatch.setattr("rgenv.runtime.backoff.FIRST_PAUSE", 0.0)
    monkeypatch.setattr(backoff, "wait_random_exponential", lambda **_: lambda state: 0.01)


@pytest_asyncio.fixture(loop_scope="session")
async def api() -> AsyncIterator[RolloutApi]:
    async with RolloutApi() as api:
        yield api


def rows(folder: Path, label: str = "FAILED_rollouts") -> list[dict]:
    files = sorted((folder / "dumps").glob(f"reasoning_gym_environment_{label}_*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


# Items that fail


async def test_an_item_comes_back_when_the_server_does(make_env: MakeEnv) -> None:
    """A failing server gives the item back to the backlog, unchanged, as often as it fails."""
    server = Server()
    env = await make_env(server, task_names=["gcd"])
    item = await env.get_next_item()
    server.failing = True
    for _ in range(6):
        assert await env.collect_trajectories(item) == (None, [item])
    server.failing = False
    group, backlog = await env.collect_trajectories(item)
    assert len(group["tokens"]) == 4 and backlog == []


async def test_an_item_that_only_fails_itself_is_given_up(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    """Three failures between which others worked end it, counted."""
    server = Server()
    env = await make_env(server, task_names=["gcd"])
    bad, good = await env.get_next_item(), await env.get_next_item()
    for last in (False, False, True):
        server.failing = True
        _, backlog = await env.collect_trajectories(bad)
        assert backlog == ([] if last else [bad])
        server.failing = False
        await env.collect_trajectories(good)
    assert env.metrics.take()["train/items_given_up"] == 1
    assert f"seed {bad.seed} is given up" in caplog.text


async def test_process_asks_a_failed_item_again(make_env: MakeEnv) -> None:
    """`process` knows no backlog: the item comes back as the next one."""
    server = Server()
    env = await make_env(server, task_names=["gcd"])
    env._processing = True
    item = await env.get_next_item()
    server.failing = True
    assert await env.collect_trajectories(item) == (None, [])
    server.failing = False
    assert await env.get_next_item() == item


async def test_a_server_that_stays_away_ends_the_run(make_env: MakeEnv) -> None:
    """After the patience is over there is one clear error, whatever the mode."""
    server = Server()
    env = await make_env(server, task_names=["gcd"], outage_patience=0.05)
    env._ending = Shutdown()

    async def work() -> None:
        server.failing = True
        item = await env.get_next_item()
        while True:
            await env.collect_trajectories(item)
            await asyncio.sleep(0.01)

    async with asyncio.timeout(20):
        with pytest.raises(StartupError, match="Look at the inference server"):
            await env._ending.guard(work(), env.close)


async def test_servers_that_are_not_well_end_the_run(make_env: MakeEnv) -> None:
    """Atropos' requests wait for a healthy server for ever; the run does not."""
    env = await make_env(Server(), task_names=["gcd"], outage_patience=0.1)
    env.server.servers[0].server_healthy = False
    async with asyncio.timeout(20):
        with pytest.raises(StartupError, match="No inference server was well"):
            await env._run(asyncio.sleep(60))


async def test_a_server_that_comes_back_in_time_ends_nothing(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    """An outage that is shorter than the patience is two lines in the log."""
    caplog.set_level("INFO")
    env = await make_env(Server(), task_names=["gcd"], outage_patience=60)
    env.server.servers[0].server_healthy = False

    async def outage() -> None:
        await asyncio.sleep(1.5)
        env.server.servers[0].server_healthy = True
        await asyncio.sleep(1.5)

    await env._run(outage())
    assert caplog.text.count("No inference server is well") == 1
    assert caplog.text.count("Inference is back") == 1


async def test_a_broken_pool_ends_the_run(make_env: MakeEnv) -> None:
    """Without workers nothing can be scored: that is an error, not a stream of failed groups."""
    env = await make_env(Server(), task_names=["gcd"])
    item = await env.get_next_item()

    class Broken:
        async def score(self, *_: object) -> list[Verdict]:
            raise PoolBroken("Workers die.")

        async def close(self) -> None:
            pass

    env._pool = Broken()
    env._ending = Shutdown()

    async def work() -> None:
        await env.collect_trajectories(item)
        await asyncio.sleep(60)

    async with asyncio.timeout(20):
        with pytest.raises(PoolBroken, match="Workers die"):
            await env._ending.guard(work(), env.close)


async def test_an_item_whose_scoring_failed_is_scored_anew(make_env: MakeEnv) -> None:
    """The failure is not kept: the next attempt may work."""
    env = await make_env(Server(), task_names=["gcd"])
    item = await env.get_next_item()
    fails = FailingOnce(env)
    assert await env.collect_trajectories(item) == (None, [item])
    group, _ = await env.collect_trajectories(item)
    assert len(group["tokens"]) == 4 and fails.failed


# Cancelled work


async def test_completions_of_a_cancelled_worker_are_kept(make_env: MakeEnv) -> None:
    """Cancelled while it was scored, an item is scored all the same, once, and not asked again."""
    server = Server()
    env = await make_env(server, task_names=["gcd"], dump_failed_rollouts=True)
    item = await env.get_next_item()
    slow = SlowScoring(env)
    worker = asyncio.create_task(env.collect_trajectories(item))
    await slow.begun.wait()
    env.backlog.append(item)  # as Atropos does
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert env.backlog == [item]
    slow.go.set()
    group, _ = await env.collect_trajectories(item)
    assert len(group["tokens"]) == 4 and server.asked == 1
    assert env._failed_dump.written == 1
    await env.collect_trajectories(item)
    assert server.asked == 2


async def test_an_item_that_took_too_long_comes_back(make_env: MakeEnv) -> None:
    """Atropos cancels it and forgets it; it goes to the backlog."""
    env = await make_env(Server(), task_names=["gcd"])
    item = await env.get_next_item()
    slow = SlowScoring(env)
    worker = asyncio.create_task(env.collect_trajectories(item))
    await slow.begun.wait()
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert env.backlog == [item]
    slow.go.set()


async def test_the_end_waits_for_what_is_being_scored(make_env: MakeEnv, tmp_path: Path) -> None:
    """Completions that are there when the run ends get their scores and their line on disk."""
    env = await make_env(Server(), task_names=["gcd"], dump_failed_rollouts=True)
    item = await env.get_next_item()
    slow = SlowScoring(env)
    env.workers = {asyncio.create_task(env.collect_trajectories(item))}
    await slow.begun.wait()
    asyncio.get_running_loop().call_later(0.3, slow.go.set)
    await env.close()
    assert [row["metadata"]["seed"] for row in rows(tmp_path)] == [item.seed]


async def test_the_end_waits_for_a_bounded_time(make_env: MakeEnv, tmp_path: Path) -> None:
    """A verifier that hangs does not keep the run from ending."""
    env = await make_env(Server(), task_names=["gcd"], shutdown_grace=0.2)
    slow = SlowScoring(env)
    env.workers = {asyncio.create_task(env.collect_trajectories(await env.get_next_item()))}
    await slow.begun.wait()
    async with asyncio.timeout(5):
        await env.close()


async def test_groups_scored_at_the_end_are_sent(make_env: MakeEnv, api: RolloutApi) -> None:
    """The trainer gets them too, while the API is there."""
    env = await make_env(
        Server(), task_names=["gcd"], rollout_server_url=api.url, ensure_scores_are_not_same=False
    )
    env._registered = True
    slow = SlowScoring(env)
    env.workers = {asyncio.create_task(env.collect_trajectories(await env.get_next_item()))}
    await slow.begun.wait()
    asyncio.get_running_loop().call_later(0.2, slow.go.set)
    await env.close()
    assert len(api.taken) == 1


# Registering


async def test_waiting_for_the_trainer_costs_no_patience(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    """However long it takes to start, an error of the API right afterwards is ridden out."""
    env = await make_env(
        Server(), task_names=["gcd"], rollout_server_url=api.url, outage_patience=0.5
    )
    api.has_trainer, api.fails_to_register = False, 1
    registering = asyncio.create_task(env.register_env())
    await asyncio.sleep(1.5)
    api.has_trainer = True
    async with asyncio.timeout(30):
        await registering
    assert env.env_id == 4 and api.asked.count("register-env") >= 4


async def test_a_registration_that_is_refused_is_said_at_once(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    """What the API calls wrong will not become right by waiting."""
    env = await make_env(Server(), task_names=["gcd"], rollout_server_url=f"{api.url}/nowhere")
    async with asyncio.timeout(30):
        with pytest.raises(StartupError, match=r"refuses us.*404"):
            await env.register_env()


# Sending


async def group_of(env: ReasoningGymEnv) -> tuple[Any, Problem]:
    item = await env.get_next_item()
    group, _ = await env.collect_trajectories(item)
    return await env.postprocess_histories(group), item


async def test_a_group_cancelled_while_it_is_sent_arrives(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    """Atropos cancels workers in the middle of sending; the trainer gets the group once."""
    env = await make_env(
        Server(), task_names=["gcd"], rollout_server_url=api.url, ensure_scores_are_not_same=False
    )
    group, item = await group_of(env)
    api.hold = asyncio.Event()
    sending = asyncio.create_task(env.handle_send_to_api(group, item))
    await asyncio.sleep(0.1)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    api.hold.set()
    await env.close()
    [arrived] = api.taken
    assert arrived["group_overrides"]["group_id"] == group["group_overrides"]["group_id"]


async def test_counters_tell_what_the_api_took(make_env: MakeEnv, api: RolloutApi) -> None:
    """Sent, refused and left out are different things, and each is counted as what it is."""
    env = await make_env(
        Server(), task_names=["gcd"], rollout_server_url=api.url, ensure_scores_are_not_same=False
    )
    logged: dict[str, Any] = {}
    real = env.perf_stats
    env.perf_stats = lambda metrics: logged.update(real(metrics)) or metrics
    api.plan = [200, 422, 500, 200]
    for _ in range(3):
        await env.handle_send_to_api(*await group_of(env))
    env.config.ensure_scores_are_not_same = True
    await env.handle_send_to_api(*await group_of(env))
    await env.wandb_log()
    assert logged["train/items_sent_to_api"] == 2 == len(api.taken)
    assert logged["train/groups_refused"] == 1
    assert logged["train/groups_skipped"] == 1
    await env.wandb_log()
    assert logged["train/items_sent_to_api"] == 0


# Rows


class Mishaps:
    """A server and a pool that do what a dice says; each completion shows what it deserves."""

    ANSWERS: ClassVar = {"RAISES": "error", "HANGS": "timeout", "CRASHES": "crashed"}

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.answer = ""
        self.number = 0
        self.pool: Any = None

    def __call__(self, _prompt: str, n: int) -> list[tuple[str, str]]:
        come = n if self.dice.random() < 0.7 else self.dice.randrange(n + 1)
        all_right = self.dice.random() < 0.4
        return [
            (self.completion(all_right), self.dice.choice(["stop", "length"])) for _ in range(come)
        ]

    def completion(self, all_right: bool) -> str:
        self.number += 1
        thought = f"<think>{self.number}{' and' * self.dice.randrange(0, 320, 40)}</think>"
        wrong = [
            "<answer>none</answer>",
            "no tags",
            "<answer></answer>",
            "<answer>a</answer>" * 2,
            *(f"<answer>{word}</answer>" for word in self.ANSWERS),
        ]
        right = f"<answer>{self.answer}</answer>"
        return thought + (right if all_right else self.dice.choice([right, *wrong]))

    def expected(self, text: str, answer: str) -> tuple[float, str]:
        """Score and verdict, from the text alone."""
        after = text.split("</think>")[1]
        for word, kind in self.ANSWERS.items():
            if word in after:
                return 0.0, kind
        if after.count("<answer>") != 1 or "<answer></answer>" in after:
            return 0.0, "no_answer"
        return float(f"<answer>{answer}</answer>" == after), "scored"

    async def score(self, problem: Problem, answers: list[str | None]) -> list[Verdict]:
        verdicts = await self.pool.score(problem, answers)
        for index, answer in enumerate(answers):
            if answer in self.ANSWERS:
                verdicts[index] = Verdict(0.0, self.ANSWERS[answer])
        return verdicts

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pool, name)


@pytest.mark.parametrize("seed", range(10))
async def test_each_conversation_stands_beside_its_own_score(
    make_env: MakeEnv, tmp_path: Path, seed: int
) -> None:
    """Whatever completions, faults and penalties come, in the dump and in what is sent."""
    dice = Mishaps(seed)
    env = await make_env(
        dice,
        task_names=["gcd"],
        dump_rollouts=True,
        dump_failed_rollouts=True,
        rollout_save_score_threshold=0.0,
        max_token_length=800,
    )
    dice.pool, env._pool = env.pool, dice
    sent = {}
    for _ in range(12):
        item = await env.get_next_item()
        dice.answer = str(item.answer)
        group, _ = await env.collect_trajectories(item)
        if group is not None:
            sent[group["group_overrides"]["group_id"]] = group
    await env.close()
    saved = rows(tmp_path) + rows(tmp_path, "rollouts")
    assert len(saved) == len(sent) > 3
    for row in saved:
        meta, group = row["metadata"], sent[row["metadata"]["group_id"]]
        for place, rollout in enumerate(row["rollouts"]):
            text = rollout["conversation"][-1]["content"]
            score, kind = dice.expected(text, meta["answer"])
            assert (meta["raw_scores"][place], meta["verdicts"][place]) == (score, kind)
            assert rollout["score"] == group["scores"][place] <= score
            assert group["messages"][place][-1]["content"] == text
            cut = meta["finish_reasons"][place] == "length"
            assert group["overrides"][place] == ({"set_advantage_to_zero": True} if cut else {})


async def test_a_row_remakes_its_problem(make_env: MakeEnv, tmp_path: Path) -> None:
    """`metadata.recipe` is all that a worker needs, at any level."""
    env = await make_env(
        Server("no tags"),
        task_names=["chain_sum", "codeio", "graph_color"],
        dump_failed_rollouts=True,
        complexity_mode="random",
        max_token_length=60_000,
    )
    items = [await env.get_next_item() for _ in range(6)]
    for item in items:
        await env.collect_trajectories(item)
    await env.close()
    for item, row in zip(items, rows(tmp_path), strict=True):
        recipe = row["metadata"]["recipe"]
        remade = await env.pool.make(recipe["task"], recipe["seed"], config=recipe["config"])
        assert remade.question == item.question and remade.answer == item.answer


async def test_rows_of_all_tasks_load_with_everybodys_tools(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    """pandas, `datasets` and one JSON object a line, whatever parameters the tasks have."""
    env = await make_env(Server("<think>so</think>"), dump_failed_rollouts=True)
    for number, task in enumerate(env.task_names):
        level = None if number % 3 == 0 else number % 2
        with contextlib.suppress(MakeFailed):
            await env.collect_trajectories(await env.make_item(task, number, level))
    await env.close()
    files = [str(path) for path in (tmp_path / "dumps").iterdir()]
    count = len(rows(tmp_path))
    assert count >= 100
    assert len(pandas.concat([pandas.read_json(file, lines=True) for file in files])) == count
    loaded = datasets.load_dataset(
        "json", data_files=files, cache_dir=str(tmp_path / "cache"), split="train"
    )
    assert len(loaded) == count
    assert sorted(loaded["item_id"]) == sorted(row["item_id"] for row in rows(tmp_path))


# Checkpoints and numbering


async def test_a_resumed_run_goes_on_with_its_files(make_env: MakeEnv, tmp_path: Path) -> None:
    """The same run, the next number; what a kill left is finished first."""
    first = await make_env(Server(), task_names=["gcd"], dump_failed_rollouts=True)
    await group_of(first)
    for env in (first,):
        env.curr_step, env.checkpoint_dir, env.wandb_prepend = 4, str(tmp_path), "test_0"
    first.save_checkpoint(4)
    assert "rollouts" not in json.loads(next(tmp_path.rglob("step-4.json")).read_text())
    assert first._failed_dump._journal is not None
    first._failed_dump._journal.leave()  # as kill -9 does
    second = await make_env(Server(), task_names=["gcd"], dump_failed_rollouts=True)
    second.curr_step, second.checkpoint_dir, second.wandb_prepend = 4, str(tmp_path), "test_0"
    second.load_checkpoint()
    await group_of(second)
    await second.close()
    names = sorted(path.name for path in (tmp_path / "dumps").iterdir())
    run = first._dump.run_id
    assert names == [
        f"reasoning_gym_environment_FAILED_rollouts_{run}_{number:04d}.jsonl" for number in (0, 1)
    ]
    first._failed_dump._journal = None


async def test_an_api_that_was_restarted_does_not_rewind_the_stream(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    """Registering again loads no checkpoint: the items since then were asked already."""
    env = await make_env(Server(), task_names=["gcd"])
    env.curr_step, env.checkpoint_dir, env.wandb_prepend = 4, str(tmp_path), "test_0"
    env.save_checkpoint(4)
    items = [await env.get_next_item() for _ in range(3)]
    env._registered = True
    env.load_checkpoint()
    assert (await env.get_next_item()) not in items


@pytest.mark.parametrize(("replicas", "asked"), [(1, 5), (100_000_000, 1)])
async def test_many_replicas_ask_for_their_status_seldom(
    make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch, replicas: int, asked: int
) -> None:
    """All together they ask a fixed number of times a second; one alone as Atropos' loop does."""
    requests = 0

    async def answered(_env: object) -> None:
        nonlocal requests
        requests += 1

    env = await make_env(task_names=["gcd"])
    monkeypatch.setattr(type(env), "_status_as_registered", answered)
    monkeypatch.setattr(env.config, "num_replicas", replicas)
    for _ in range(5):
        await env.get_status()
        await asyncio.sleep(0.02)
    assert requests == asked
