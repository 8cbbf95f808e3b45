"""reasoning_gym_environment.py: `serve` is killed and started again, with the real rollout API."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from demo.policy import Policy, user_message
from rgenv.pages.folder import Folder
from rgenv.types import Problem
from tests.conftest import MakeEnv
from tests.support.commands import GROUP_SIZE, log_of, run_here
from tests.support.faulty_system import MAX_WORKERS, FaultySystem
from tests.support.polling import until
from tests.support.viewed import page_data

TASKS = "chain_sum,gcd,products,letter_counting,syllogism"

Key = tuple[str, int]
"""Task and seed, by which a delivered group names its problem."""


class RecordingPolicy(Policy):
    """Notes the question of each request for a group."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.asked: set[str] = set()

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> Any:
        if n == GROUP_SIZE:  # not the trial at the start
            self.asked.add(user_message(prompt_text))
        return super().complete(prompt_text, n, max_tokens)


@pytest_asyncio.fixture(loop_scope="session")
async def training(tmp_path: Path) -> AsyncIterator[FaultySystem]:
    """A training without environments; some answers of the inference server take longer."""
    async with FaultySystem(tmp_path, policy=RecordingPolicy(seed=1)) as training:
        training.inference.slow = 0.3
        yield training


def key_of(problem: Problem) -> Key:
    return problem.task, problem.recipe["seed"]


def metrics_lines(training: FaultySystem) -> list[bytes]:
    """Return the whole lines of metrics.jsonl; a killed process may leave a part of one."""
    paths = list((training.folder / "checkpoints").rglob("metrics.jsonl"))
    return [line for path in paths for line in path.read_bytes().split(b"\n")[:-1]]


def saved_groups(folder: Path) -> dict[Key, list[str]]:
    """Return the ids of the saved groups of each problem, the earliest first."""
    files = [path.read_bytes().split(b"\n") for path in folder.glob("*.jsonl")]
    lines = [line for file in files for line in file[:-1]]  # a last line may not be whole yet
    found: dict[Key, list[str]] = {}
    for about in sorted((json.loads(line)["metadata"] for line in lines), key=lambda m: m["time"]):
        found.setdefault((about["task"], about["seed"]), []).append(about["group_id"])
    return found


@pytest.mark.usefixtures("ready_workers")
@pytest.mark.slow
async def test_a_killed_run_goes_on_where_it_stopped(
    training: FaultySystem, make_env: MakeEnv
) -> None:
    dumps = training.folder / "dumps"
    env = await training.start_environment(task_names=TASKS)
    await training.until_delivered(2)
    training.api.fails = True  # what the API has taken is noted nevertheless

    def undelivered() -> set[Key]:
        return saved_groups(dumps).keys() - training.arrived

    await training.children.while_alive(until(lambda: len(undelivered()) > 1))
    await training.kill(env)
    assert "starts at its beginning" in log_of(env)
    metrics, lost, asked = metrics_lines(training), undelivered(), set(training.policy.asked)
    training.api.fails = False
    _, _, *words = training.words("serve", task_names=TASKS, total_steps=6)
    ended = await run_here(training.folder, *words)
    assert ended.code == 0 and "Resumed from" in ended.err, ended.err
    last = ended.err.splitlines()[-1]
    assert f" groups delivered, 0 refused; rollouts in {dumps}; its state" in last
    # All that was asked before has arrived, and the stream up to the last, but what is under way
    unbroken = await make_env(task_names=TASKS.split(","), seed=training.seed)
    places: dict[Key, str] = {}
    while not training.arrived <= places.keys():
        assert len(places) < 2000
        problem = await unbroken.get_next_item()
        places[key_of(problem)] = problem.question
    assert asked <= {places[key] for key in training.arrived} and lost <= training.arrived
    assert len(places.keys() - training.arrived) <= MAX_WORKERS
    lines = metrics_lines(training)
    assert lines[: len(metrics)] == metrics and len(lines) > len(metrics)
    assert len({json.loads(line)["run"] for line in lines if line}) == 1
    saved = {key: ids[-1] for key, ids in saved_groups(dumps).items()}
    assert {saved[key] for key in lost} <= set(training.delivered)
    page = Folder([dumps], most=1000)
    page.read()
    page.write(dumps / "view.html")
    index, _ = page_data(dumps / "view.html")
    assert set(index["groups"]["id"]) == set(saved.values())
