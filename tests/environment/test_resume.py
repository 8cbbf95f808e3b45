"""reasoning_gym_environment.py: `serve` is killed and started again, with the real rollout API."""

import asyncio
import json
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from demo.processes import Child
from rgenv.pages.folder import Folder
from rgenv.types import Problem
from tests.conftest import MakeEnv
from tests.support.commands import log_of, run_here
from tests.support.faulty_system import GROUP_SIZE, MAX_WORKERS, FaultySystem, end
from tests.support.polling import until
from tests.support.viewed import page_data

TASKS = "chain_sum,gcd,products,letter_counting,syllogism"

Key = tuple[str, int]
"""Task and seed, by which a delivered group names its problem."""


class RecordingPolicy(Policy):
    """Notes the question of each request for a group."""

    asked: list[str]

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> Any:
        if n == GROUP_SIZE:  # not the trial at the start
            user = prompt_text.rpartition("<|im_start|>user\n")[2]
            self.asked.append(user.partition("<|im_end|>")[0])
        return super().complete(prompt_text, n, max_tokens)


class Training(FaultySystem):
    """The loop of faulty_system.py, in which some answers of the inference server take longer.

    Attributes:
        asked: the questions that the policy was asked, in order.
        arrived: task and seed of the problems of which the API has accepted a group.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, start_policy=self._record, slow_seconds=0.3)
        self.asked: list[str] = []
        self.arrived: set[Key] = set()

    async def _record(self, tokenizer: Any) -> Any:
        policy = RecordingPolicy(seed=1)
        policy.asked = self.asked
        return await start_policy_server(policy, tokenizer)

    async def start(self, **options: Any) -> Child:
        return await self.start_environment(**{"task_names": TASKS, **options})

    async def until_logged(self, child: Child, words: str) -> None:
        await self.children.while_alive(until(lambda: words in log_of(child)))

    async def kill(self, child: Child) -> str:
        """Kill an environment, and return its log."""
        await end(child, signal.SIGKILL)
        self.children.running.remove(child)
        return log_of(child)

    def _note_delivery(self, path: str, content: bytes, status: int) -> None:
        super()._note_delivery(path, content, status)
        if path == "/scored_data" and status == 200:
            about = json.loads(content)["group_overrides"]
            self.arrived.add((about["task"], about["seed"]))


@pytest_asyncio.fixture(loop_scope="session")
async def training(tmp_path: Path) -> AsyncIterator[Training]:
    """A training without environments."""
    async with Training(tmp_path) as training:
        training.inference.rates = {"slow": 0.3}
        yield training


def key_of(problem: Problem) -> Key:
    return problem.task, problem.recipe["seed"]


def metrics_lines(training: Training) -> list[bytes]:
    """Return the whole lines of metrics.jsonl; a killed process may leave a part of one."""
    paths = list((training.folder / "checkpoints").rglob("metrics.jsonl"))
    return [line for path in paths for line in path.read_bytes().split(b"\n")[:-1]]


def check_metrics(training: Training, at_kills: list[list[bytes]]) -> None:
    """Check that each life appended to the lines of the last one, as one run."""
    lines = metrics_lines(training)
    rows = [json.loads(line) for line in lines if line]
    assert len({row["run"] for row in rows}) == 1
    for before in at_kills:
        assert lines[: len(before)] == before and len(lines) > len(before)


def check_stream(training: Training, stream: list[Problem]) -> None:
    """Check that the problems were delivered without a gap; the last may be under way."""
    keys = [key_of(problem) for problem in stream]
    last = max(keys.index(key) for key in training.arrived)
    assert len(set(keys[:last]) - training.arrived) <= MAX_WORKERS


async def go_on(training: Training, make_env: MakeEnv, *, steps: int) -> list[Problem]:
    """Run a last life until so many batches, in this process; return the stream of all lives.

    It delivers all that earlier ones asked.
    """
    questions = set(training.asked)
    _, _, *words = training.words("serve", task_names=TASKS, total_steps=steps)
    ended = await run_here(training.folder, *words)
    assert ended.code == 0 and "Resumed from" in ended.err, ended.err
    last = ended.err.splitlines()[-1]
    assert f" groups delivered, 0 refused; rollouts in {training.folder}/dumps; its state" in last
    unbroken = await make_env(task_names=TASKS.split(","), seed=training.seed)
    stream: list[Problem] = []
    while not training.arrived <= set(map(key_of, stream)):
        assert len(stream) < 2000
        stream.append(await unbroken.get_next_item())
    places = {problem.question: key_of(problem) for problem in reversed(stream)}
    assert {places[question] for question in questions} <= training.arrived
    return stream


def saved_groups(folder: Path) -> list[dict[str, Any]]:
    """Return what is known of each saved group, the earliest first."""
    files = [path.read_bytes().split(b"\n") for path in folder.glob("*.jsonl")]
    lines = [line for file in files for line in file[:-1]]  # a last line may not be whole yet
    return sorted((json.loads(line)["metadata"] for line in lines), key=lambda about: about["time"])


@pytest.mark.usefixtures("ready_workers")
@pytest.mark.slow
async def test_a_killed_run_goes_on_where_it_stopped(training: Training, make_env: MakeEnv) -> None:
    """Kill -9 loses no problem.

    A problem whose group was saved and not delivered is asked again; the page has the second group.
    """
    dumps = training.folder / "dumps"
    env = await training.start()
    await training.until_delivered(2)
    training.api.rates = {"error": 1.0}  # what the API has taken is noted nevertheless

    def undelivered() -> set[Key]:
        return {key_of_saved(about) for about in saved_groups(dumps)} - training.arrived

    await training.children.while_alive(until(lambda: len(undelivered()) > 1))
    log = await training.kill(env)
    metrics, lost = metrics_lines(training), undelivered()
    training.api.rates = {}
    check_stream(training, await go_on(training, make_env, steps=6))
    check_metrics(training, [metrics])
    assert "starts at its beginning" in log and lost <= training.arrived
    saved = saved_groups(dumps)
    last = {key_of_saved(about): about["group_id"] for about in saved}
    assert len(last) <= len(saved) - len(lost)
    assert {last[key] for key in lost} <= set(training.delivered)
    page = Folder([dumps], most=1000)
    page.read()
    assert page.summary.startswith(f"{len(last)} groups")
    page.write(dumps / "view.html")
    index, _ = page_data(dumps / "view.html")
    assert set(index["groups"]["id"]) == set(last.values())


def key_of_saved(about: dict[str, Any]) -> Key:
    return about["task"], about["seed"]


@pytest.mark.usefixtures("ready_workers")
@pytest.mark.soak
async def test_kill_9_ten_times_loses_no_problem(training: Training, make_env: MakeEnv) -> None:
    """Ten lives together ask each problem of the stream, also if the API is killed in between."""
    rng = random.Random(10)
    metrics = []
    for number in range(10):
        env = await training.start()
        await training.until_logged(env, "Resumed from" if number else "starts at its beginning")
        await training.until_delivered()
        await asyncio.sleep(rng.uniform(0.0, 2.0))
        await training.kill(env)
        metrics.append(metrics_lines(training))
        if number in (3, 7):
            await training.restart_api()
    check_stream(training, await go_on(training, make_env, steps=40))
    check_metrics(training, metrics)
