"""reasoning_gym_environment.py: `serve` is killed and started again, with the real rollout API."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from demo.faults import FaultProxy
from demo.launch import api_command, environment_command, model_settings
from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from demo.processes import Child, Children, free_port
from demo.trainer import TrainerError, TrainerReport, next_batch, register
from rgenv.types import Problem
from rgenv.viewing.folder import Folder
from tests.conftest import MakeEnv
from tests.support.commands import exit_code, log_of
from tests.support.environments import next_items
from tests.support.own_tasks import WHOLE, write
from tests.support.polling import until
from tests.support.viewed import page_data

TASKS = "chain_sum,gcd,products,letter_counting,syllogism"
GROUP_SIZE, BATCH_SIZE, MAX_TOKEN_LENGTH, MAX_WORKERS = 4, 16, 2048, 8
INTERVAL = 5
"""Steps between two checkpoints of the trainer."""


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


class Training:
    """A rollout API, an inference server and a trainer; environments come and go.

    Attributes:
        policy: has the questions that were asked, in order.
        delivered: task and seed of a problem -> number of groups that the API accepted.
        groups: the ids of these groups.
        api: a proxy before the rollout API, which environments use.
        step: the number of batches that the trainer has pulled.
        forgotten: the problems whose group the API had accepted last, each time it was killed.
    """

    api: FaultProxy

    def __init__(self, children: Children, folder: Path, tokenizer_dir: Path) -> None:
        self.children, self.folder, self._tokenizer_dir = children, folder, tokenizer_dir
        self.policy = RecordingPolicy(seed=1)
        self.policy.asked = []
        self.delivered: Counter[Key] = Counter()
        self.groups: set[str] = set()
        self.step = self._started = 0
        self.forgotten: list[Key] = []
        self._last: Key = ("", 0)
        self._port = free_port()
        self.inference_url = ""

    @property
    def own_api_url(self) -> str:
        """The address of the API itself; environments use `api`."""
        return f"http://127.0.0.1:{self._port}"

    async def start_api(self) -> None:
        """Start the API; environments and trainer wait for it."""
        self._api = await self.children.start("rollout API", api_command(self._port))

    async def restart_api(self) -> None:
        """Kill the API and start another; the trainer registers again with its step."""
        self.forgotten.append(self._last)
        await self.kill(self._api)
        await self.start_api()

    async def start(self, *words: str, **options: Any) -> Child:
        """Start `serve`; everything that is not about size or place has its default."""
        settings = model_settings(self.inference_url, self._tokenizer_dir) | {
            "env.rollout_server_url": self.api.url,
            "env.task_names": TASKS,
            "env.group_size": GROUP_SIZE,
            "env.scoring_workers": 1,
            "env.max_token_length": MAX_TOKEN_LENGTH,
            "env.num_eval_tasks": 1,
            "env.num_eval_samples_per_task": 1,
            "env.steps_per_eval": 0,
            "env.max_num_workers": MAX_WORKERS,
            "env.ensure_scores_are_not_same": "false",
            "openai.model_name": "stand-in",
            **{f"env.{name}": value for name, value in options.items()},
        }
        words = (*environment_command("serve", settings), *words)
        self._started += 1
        return await self.children.start(f"environment {self._started}", words)

    async def kill(self, child: Child) -> None:
        child.signal(signal.SIGKILL)
        await child.process.wait()
        self.children.running.remove(child)

    async def until_delivered(self, more: int) -> None:
        wanted = self.delivered.total() + more
        enough = until(lambda: self.delivered.total() >= wanted, timeout=300)
        await self.children.while_alive(enough)

    def note_delivery(self, path: str, content: bytes, status: int) -> None:
        if path == "/scored_data" and status == 200:
            about = json.loads(content)["group_overrides"]
            self._last = about["task"], about["seed"]
            self.delivered[self._last] += 1
            self.groups.add(about["group_id"])

    async def train(self, num_steps: int = 10**6) -> None:
        """Pull batches; register again if the API has forgotten the trainer."""
        url = self.own_api_url
        while True:
            with suppress(TrainerError, aiohttp.ClientError, KeyError):
                async with aiohttp.ClientSession() as session:
                    await register(
                        session,
                        url,
                        batch_size=BATCH_SIZE,
                        max_token_len=MAX_TOKEN_LENGTH + 1,
                        checkpoint_dir=str(self.folder / "checkpoints"),
                        save_checkpoint_interval=INTERVAL,
                        num_steps=num_steps,
                        starting_step=self.step,
                    )
                    while True:
                        await next_batch(session, url, TrainerReport())
                        self.step += 1
            await asyncio.sleep(0.1)


@pytest_asyncio.fixture(loop_scope="session")
async def training(tmp_path: Path, tokenizer: Any, tokenizer_dir: Path) -> AsyncIterator[Training]:
    """A training without environments; some answers of the inference server take longer."""
    async with Children(logs=tmp_path) as children:
        training = Training(children, tmp_path, tokenizer_dir)
        server = await start_policy_server(training.policy, tokenizer)
        await training.start_api()
        async with (
            FaultProxy(
                f"http://127.0.0.1:{server.port}",
                {"slow": 0.3},
                only=("/generate",),
                slow_seconds=0.3,
            ) as inference,
            FaultProxy(training.own_api_url, watch=training.note_delivery) as training.api,
        ):
            training.inference_url = inference.url
            yield training
        await server.close()


def key_of(problem: Problem) -> Key:
    return problem.task, problem.recipe["seed"]


def metrics_lines(training: Training) -> list[bytes]:
    """Return the whole lines of metrics.jsonl; a killed process may leave a part of one."""
    paths = list((training.folder / "checkpoints").rglob("metrics.jsonl"))
    return [line for path in paths for line in path.read_bytes().split(b"\n")[:-1]]


def check_metrics(training: Training, at_kills: list[list[bytes]]) -> None:
    """Check that each life appended to the lines of the last one, as one run with rising steps."""
    lines = metrics_lines(training)
    rows = [json.loads(line) for line in lines if line]
    assert len({row["run"] for row in rows}) == 1
    for before in at_kills:
        assert lines[: len(before)] == before and len(lines) > len(before)
    if not training.forgotten:  # else, the trainer goes back by the batches that the API had
        steps = [row["step"] for row in rows]
        assert steps == sorted(steps)


def check_stream(training: Training, stream: list[Problem]) -> None:
    """Check that the problems of a stream were delivered once and without a gap.

    The last of them may be under way. An environment that is killed before it knows that the API
    has a group asks again if the API was killed, too, and can't tell.
    """
    keys = [key_of(problem) for problem in stream]
    assert set(training.delivered) <= set(keys)
    last = max(keys.index(key) for key in training.delivered)
    assert len(set(keys[:last]) - set(training.delivered)) <= MAX_WORKERS
    repeated = {key for key, times in training.delivered.items() if times > 1}
    assert repeated <= set(training.forgotten)


async def go_on(training: Training, make_env: MakeEnv, **options: Any) -> list[Problem]:
    """Start a life that delivers all that earlier ones asked, and end it; return the stream."""
    questions = set(training.policy.asked)
    env = await training.start(**options)
    unbroken = await make_env(task_names=TASKS.split(","), seed=1918)
    stream = await next_items(unbroken, training.delivered.total() + 300)
    places = {problem.prompt: key_of(problem) for problem in reversed(stream)}
    asked_before = {places[question] for question in questions}
    await training.children.while_alive(
        until(lambda: asked_before <= set(training.delivered) and "Resumed from" in log_of(env))
    )
    await training.until_delivered(1)  # else the last life may have asked nothing
    env.signal(signal.SIGTERM)
    assert await exit_code(env) == 143
    last_line = log_of(env).splitlines()[-1]
    assert "Ended: signal SIGTERM" in last_line
    assert str(training.folder / "checkpoints") in last_line
    return stream


@pytest.mark.soak
async def test_a_killed_run_of_an_own_task_goes_on_and_notices_a_changed_file(
    training: Training,
) -> None:
    """The third life has another version of the file, and says so."""
    trainer = asyncio.create_task(training.train())
    logs = []
    for text in (WHOLE, WHOLE, WHOLE.replace("Write {number}", "Spell {number}")):
        module = write(training.folder, text)
        env = await training.start(task_modules=module, task_names="own")
        await training.until_delivered(6)
        await training.kill(env)
        logs.append(log_of(env))
    trainer.cancel()
    assert ["Resumed from" in log for log in logs] == [False, True, True]
    noticed = "another source of the tasks backwards"
    assert [noticed in log for log in logs] == [False, False, True]
    assert {task for task, _ in training.delivered} == {"backwards"}
    assert max(training.delivered.values()) == 1


def saved_groups(folder: Path) -> list[dict[str, Any]]:
    """Return what is known of each saved group, the earliest first."""
    files = [path.read_bytes().split(b"\n") for path in folder.glob("*.jsonl")]
    lines = [line for file in files for line in file[:-1]]  # a last line may not be whole yet
    return sorted((json.loads(line)["metadata"] for line in lines), key=lambda about: about["time"])


@pytest.mark.slow
async def test_a_killed_run_goes_on_where_it_stopped(training: Training, make_env: MakeEnv) -> None:
    """Kill -9 loses no problem, and none is delivered twice.

    A problem whose group was saved and not delivered is asked again; the page has the second group.
    """
    dumps = training.folder / "dumps"
    options = {"dump_rollouts": "true", "dump_failed_rollouts": "true", "data_dumps_dir": dumps}
    options["rollout_save_score_threshold"] = 0
    trainer = asyncio.create_task(training.train())
    env = await training.start(**options)
    await training.until_delivered(2)
    training.api.rates = {"error": 1.0}  # what the API has taken is noted nevertheless

    def undelivered() -> set[Key]:
        return {key_of_saved(about) for about in saved_groups(dumps)} - set(training.delivered)

    await training.children.while_alive(until(lambda: len(undelivered()) > 1))
    await training.kill(env)
    metrics, lost = metrics_lines(training), undelivered()
    training.api.rates = {}
    check_stream(training, await go_on(training, make_env, **options))
    check_metrics(training, [metrics])
    trainer.cancel()
    assert "starts at its beginning" in log_of(env) and lost <= set(training.delivered)
    saved = saved_groups(dumps)
    last = {key_of_saved(about): about["group_id"] for about in saved}
    assert len(last) <= len(saved) - len(lost)
    assert {last[key] for key in lost} <= training.groups
    page = Folder([dumps], most=1000)
    page.read()
    assert page.summary.startswith(f"{len(last)} groups")
    page.write(dumps / "view.html")
    index, _ = page_data(dumps / "view.html")
    assert set(index["groups"]["id"]) == set(last.values())


def key_of_saved(about: dict[str, Any]) -> Key:
    return about["task"], about["seed"]


@pytest.mark.soak
async def test_kill_9_ten_times_loses_no_problem_and_repeats_none(
    training: Training, make_env: MakeEnv
) -> None:
    """Ten lives together ask each problem of the stream, also if the API is killed in between."""
    rng = random.Random(10)
    trainer = asyncio.create_task(training.train())
    metrics = []
    for number in range(10):
        env = await training.start()
        await training.until_delivered(1)
        await asyncio.sleep(rng.uniform(0.0, 2.0))
        await training.kill(env)
        metrics.append(metrics_lines(training))
        assert ("Resumed from" in log_of(env)) == (number > 0), log_of(env)
        if number in (3, 7):
            await training.restart_api()
    check_stream(training, await go_on(training, make_env))
    check_metrics(training, metrics)
    trainer.cancel()
