"""reasoning_gym_environment.py: the commands in child processes, with the real rollout API."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from benchmarks.faults import acknowledged
from demo.faults import FaultProxy
from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from demo.processes import OFFLINE, Child, Children, free_port
from demo.run import start_api
from demo.trainer import TrainerReport
from rgenv.evaluation.sample_log import read
from tests.support.commands import (
    BATCH_SIZE,
    GROUP_SIZE,
    MAX_TOKEN_LENGTH,
    Ended,
    exit_code,
    log_of,
    run_here,
    train,
)
from tests.support.dumps import rows
from tests.support.polling import until
from tests.support.samples import sample

pytestmark = pytest.mark.slow

TASKS = "chain_sum,gcd,products,letter_counting"


@dataclass
class Loop:
    """Starts environments, and trains with them."""

    children: Children
    policy_url: str
    tokenizer_dir: Path
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    async def start(self, command: str, *words: str, **flags: Any) -> Child:
        """Start a command in a process of its own; `flags` are --env options."""
        program = [sys.executable, "reasoning_gym_environment.py", command]
        return await self.children.start(
            "environment", [*program, *self._words(flags), *words], OFFLINE | self.environment
        )

    async def run_here(self, command: str, *words: str, **flags: Any) -> Ended:
        """Run a command until it ends, in this process."""
        return await run_here(self.folder, command, *self._words(flags), *words)

    def _words(self, flags: dict[str, Any]) -> list[str]:
        options = {
            "env.tokenizer_name": self.tokenizer_dir,
            "env.use_wandb": "false",
            "env.task_names": TASKS,
            "env.group_size": GROUP_SIZE,
            "env.batch_size": BATCH_SIZE,
            "env.max_token_length": MAX_TOKEN_LENGTH,
            "env.num_eval_samples_per_task": 1,
            "env.ensure_scores_are_not_same": "false",
            "env.wandb_name": "test",
            "env.dump_rollouts": "true",
            "env.dump_failed_rollouts": "true",
            "env.data_dumps_dir": self.folder / "dumps",
            "env.debug_logging": "true",  # for `acknowledged`
            "env.scoring_workers": 1,
            "env.startup_timeout": 60,
            "openai.base_url": f"{self.policy_url}/v1",
            "openai.model_name": "stand-in",
            **{f"env.{name}": value for name, value in flags.items()},
        }
        return [f"--{name}={value}" for name, value in options.items()]

    async def train(self, api: str, batches: int) -> TrainerReport:
        """Pull batches as a trainer does, and stop."""
        return await train(self.children, api, self.folder, batches=batches)

    def dumped(self) -> list[dict[str, Any]]:
        """Return all saved groups."""
        return [row for path in (self.folder / "dumps").glob("*.jsonl") for row in rows(path)]


@pytest_asyncio.fixture(loop_scope="session")
async def loop(tmp_path: Path, tokenizer: Any, tokenizer_dir: Path) -> AsyncIterator[Loop]:
    """A simulated policy on a free port; children are stopped after the test."""
    policy = await start_policy_server(Policy(seed=1), tokenizer)
    async with Children(logs=tmp_path) as children:
        yield Loop(children, f"http://127.0.0.1:{policy.port}", tokenizer_dir, tmp_path)
    await policy.close()


async def test_serve_fills_batches_and_loses_nothing_when_stopped(loop: Loop) -> None:
    """Whole batches reach the trainer; a signal saves every group and disconnects from the API."""
    api = await start_api(loop.children)
    env = await loop.start("serve", rollout_server_url=api)
    report = await loop.train(api, batches=3)
    assert report.batches >= 3 and report.problems == []
    assert set(report.tasks) <= set(TASKS.split(","))
    env.process.send_signal(signal.SIGINT)
    assert await exit_code(env) == 130
    saved = acknowledged(log_of(env))
    assert saved == len(loop.dumped()) > 0
    assert "Traceback" not in log_of(env)
    assert await connected_environments(api) == 0


async def connected_environments(api: str) -> int:
    """Return the number of connected environments, from the weight of a new one."""
    async with aiohttp.ClientSession() as session:
        body = {
            "max_token_length": MAX_TOKEN_LENGTH,
            "desired_name": "probe",
            "weight": 1.0,
            "group_size": GROUP_SIZE,
            "min_batch_allocation": None,
        }
        async with session.post(f"{api}/register-env", json=body) as response:
            env_id = (await response.json())["env_id"]
        async with session.get(f"{api}/status-env", json={"env_id": env_id}) as response:
            weight = (await response.json())["env_weight"]
    return round(1 / weight) - 1


async def test_serve_ends_with_the_last_step(loop: Loop) -> None:
    """At total_steps the process exits with code 0 and its dumps are saved."""
    api = await start_api(loop.children)
    training = asyncio.create_task(loop.train(api, batches=1000))
    ended = await loop.run_here("serve", rollout_server_url=api, total_steps=2)
    assert ended.code == 0, ended.err
    training.cancel()
    await asyncio.gather(training, return_exceptions=True)
    assert len(loop.dumped()) == acknowledged(ended.err) > 0


async def test_serve_names_a_missing_rollout_api(loop: Loop) -> None:
    """After startup_timeout, the message has the URL and the command that starts one."""
    url = f"http://127.0.0.1:{free_port()}"
    ended = await loop.run_here("serve", rollout_server_url=url, startup_timeout=1)
    assert ended.code == 1
    assert url in ended.err and "run-api" in ended.err
    assert "Traceback" not in ended.err


async def test_a_batch_that_no_group_fits_is_explained(loop: Loop) -> None:
    """A group_size above the trainer's batch_size ends the run; the message has both numbers."""
    api = await start_api(loop.children)
    training = asyncio.create_task(loop.train(api, batches=1))
    ended = await loop.run_here("serve", rollout_server_url=api, group_size=32)
    assert ended.code == 1
    training.cancel()
    await asyncio.gather(training, return_exceptions=True)
    assert "group_size 32 does not fit the trainer's batch_size 16" in ended.err


async def test_process_writes_real_conversations(loop: Loop) -> None:
    """Every group is written, with system, user and assistant messages."""
    out = loop.folder / "groups.jsonl"
    ended = await loop.run_here("process", total_steps=6, data_path_to_save_groups=out)
    assert ended.code == 0
    groups = rows(out)
    assert len(groups) == 6
    for group in groups:
        assert len(group["scores"]) == len(group["messages"]) == GROUP_SIZE
        for messages in group["messages"]:
            assert [message["role"] for message in messages] == ["system", "user", "assistant"]


async def test_without_an_account_metrics_are_logged_offline(loop: Loop) -> None:
    """The log says so once, the run goes on, and wandb's files can be synced later."""
    nowhere = str(loop.folder / "none")
    loop.environment = {
        "WANDB_MODE": "",
        "WANDB_API_KEY": "",
        "NETRC": nowhere,
        "WANDB_DIR": str(loop.folder),
    }
    out = loop.folder / "groups.jsonl"
    env = await loop.start("process", total_steps=2, data_path_to_save_groups=out, use_wandb="true")
    assert await exit_code(env) == 0, log_of(env)
    assert log_of(env).count("No wandb account found") == 1
    assert list(loop.folder.glob("wandb/offline-run-*"))


async def test_evaluate_writes_metrics_and_samples(loop: Loop) -> None:
    """evaluate writes samples, metrics, a report and plots for the whole set."""
    out = loop.folder / "eval"
    ended = await loop.run_here(
        "evaluate", data_dir_to_save_evals=out, num_eval_samples_per_task=3, num_eval_tasks=0
    )
    assert ended.code == 0
    samples = rows(out / "samples.jsonl")
    assert len(samples) == 3 * len(TASKS.split(","))
    metrics = json.loads((out / "metrics.json").read_text())["results"]["all"]
    share = sum(sample["correct"] for sample in samples) / len(samples)
    assert metrics["eval/percent_correct"] == pytest.approx(share)
    assert metrics["eval/errors"] == 0
    assert "95 % interval" in ended.out and "all tasks (macro)" in ended.out
    assert "<html" in (out / "report.html").read_text()
    assert all(picture.stat().st_size > 5_000 for picture in out.glob("*.png"))
    assert list(out.glob("*.png"))


class Steady(Policy):
    """Gives the same completion whenever a prompt is repeated."""

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> Any:
        return Policy(seed=self.seed).complete(prompt_text, n, max_tokens)


async def test_a_killed_evaluation_continues(loop: Loop, tokenizer: Any) -> None:
    """After SIGKILL, the same command continues and gives the metrics of an unbroken run."""
    policy = await start_policy_server(Steady(seed=2), tokenizer)
    options = {"num_eval_samples_per_task": 6, "eval_levels": "none,0.5"}
    async with FaultProxy(f"http://127.0.0.1:{policy.port}", slow_seconds=0.5) as proxy:
        loop.policy_url = proxy.url
        proxy.rates = {"slow": 0.7}
        broken, unbroken = loop.folder / "a" / "broken", loop.folder / "b" / "unbroken"
        env = await loop.start("evaluate", data_dir_to_save_evals=broken, **options)
        samples = broken / "samples.jsonl"
        await until(lambda: samples.exists() and samples.read_text().count("\n") >= 5)
        env.process.kill()
        await exit_code(env)
        answered = len(read(samples))
        assert answered < 12 * len(TASKS.split(","))
        proxy.rates = {}
        for folder in (broken, unbroken):
            ended = await loop.run_here("evaluate", data_dir_to_save_evals=folder, **options)
            assert ended.code == 0, ended.err
            if folder is broken:
                assert f"{answered} of 48 samples are there already" in ended.err
    await policy.close()
    metrics = [
        json.loads((folder / "metrics.json").read_text())["results"]["all"]
        for folder in (broken, unbroken)
    ]
    assert metrics[0] == metrics[1]


async def test_evaluate_asks_any_chat_server(loop: Loop) -> None:
    """With server_type openai, no tokenizer is needed; several completions per item work."""
    out = loop.folder / "eval"
    ended = await loop.run_here(
        "evaluate",
        "--openai.server_type",
        "openai",
        data_dir_to_save_evals=out,
        tokenizer_name="nobody/has-this",
        num_eval_samples_per_task=2,
        eval_samples_per_item=2,
    )
    assert ended.code == 0, ended.err
    metrics = json.loads((out / "metrics.json").read_text())["results"]["all"]
    assert metrics["eval/errors"] == 0 and metrics["eval/pass@2"] >= metrics["eval/pass@1"]
    assert len(read(out / "samples.jsonl")) == 4 * len(TASKS.split(","))


async def test_evaluate_refuses_a_folder_of_another_evaluation(loop: Loop) -> None:
    """The message names --force; exit code 2."""
    out = loop.folder / "eval"
    out.mkdir()
    (out / "evaluation.json").write_text('{"model": "another"}')
    (out / "samples.jsonl").write_text(json.dumps(sample("gcd", 1)) + "\n")
    ended = await loop.run_here("evaluate", data_dir_to_save_evals=out)
    assert ended.code == 2
    assert "--force" in ended.err and "Traceback" not in ended.err
