"""reasoning_gym_environment.py: the commands in child processes, with the real rollout API."""

import re
import signal
from pathlib import Path

import pytest

from demo.processes import OFFLINE
from rgenv.text import counted
from tests.support.commands import BATCH_SIZE, GROUP_SIZE, log_of
from tests.support.dumps import rows
from tests.support.faulty_system import FaultySystem, acknowledged, end
from tests.support.polling import until

pytestmark = pytest.mark.slow

TASKS = "chain_sum,gcd,products,letter_counting"
SECRETS = API_KEY, PASSWORD, WANDB_KEY = "sk-marked-key-1f", "marked-word-2f", "marked" + "0" * 34


async def test_serve_fills_batches_and_loses_nothing_when_stopped(tmp_path: Path) -> None:
    variables = {"WANDB_MODE": "offline", "WANDB_API_KEY": WANDB_KEY, "WANDB_DIR": str(tmp_path)}
    step = r"Step \d+ of 1000000: accuracy [\d.]+, .* tokens/s; \d+ % of tokens trained; queue"
    async with FaultySystem(tmp_path) as system:
        env = await system.start_environment(
            environment=OFFLINE | variables,
            task_names=TASKS,
            rollout_server_url=system.api.url.replace("://", f"://user:{PASSWORD}@"),
            use_wandb="true",
            **{"openai.api_key": API_KEY},
        )
        enough = until(lambda: len(system.reports) >= 3 and re.search(step, log_of(env)))
        await system.children.while_alive(enough)
        assert await end(env, signal.SIGINT) == 130
    report = system.reports[-1]
    assert report.batches >= 3 and report.problems == []
    assert set(report.tasks) <= set(TASKS.split(","))
    saved = acknowledged(log_of(env))
    assert saved == sum(len(rows(path)) for path in (tmp_path / "dumps").glob("*.jsonl")) > 0
    assert "Traceback" not in log_of(env)
    [path] = (tmp_path / "checkpoints").rglob("metrics.jsonl")
    reports = rows(path)
    assert [one["step"] for one in reports] == sorted(one["step"] for one in reports)
    assert len({one["run"] for one in reports}) == 1
    last = log_of(env).splitlines()[-1]
    sent = sum(one["train/items_sent_to_api"] for one in reports)
    assert f"Result: {counted(sent, 'group')} delivered, " in last
    assert str(tmp_path / "checkpoints") in last  # where it goes on
    counts = ("train/groups_refused", "train/groups_not_delivered", "pool/worker_restarts")
    assert all(one[name] == 0 for one in reports for name in counts)
    assert all(one["status/groups_per_second"] > 0 for one in reports[:-1])  # the last: at the end
    groups = [one[name] for one in reports for name in one if re.match(r"train/\w+/groups", name)]
    assert sum(groups) >= 3 * BATCH_SIZE // GROUP_SIZE
    assert "Configuration:" in log_of(env)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".wandb" for path in written)
    contents = [path.read_bytes() for path in written]
    assert not any(secret.encode() in content for secret in SECRETS for content in contents)
