"""reasoning_gym_environment.py: the commands in child processes, with the real rollout API."""

import re
import signal

import pytest

from demo.run import start_api
from tests.support.commands import BATCH_SIZE, GROUP_SIZE, Commands, exit_code, log_of
from tests.support.dumps import rows
from tests.support.faulty_system import acknowledged

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ready_workers")]

TASKS = "chain_sum,gcd,products,letter_counting"


SECRETS = API_KEY, PASSWORD, WANDB_KEY = "sk-marked-key-1f", "marked-word-2f", "marked" + "0" * 34


async def test_serve_fills_batches_and_loses_nothing_when_stopped(commands: Commands) -> None:
    """Whole batches reach the trainer; a signal saves every group."""
    commands.options = {
        "task_names": TASKS,
        "ensure_scores_are_not_same": "false",
        "dump_rollouts": "true",
        "dump_failed_rollouts": "true",
        "debug_logging": "true",  # for `acknowledged`
    }
    api = await start_api(commands.children)
    variables = {"WANDB_MODE": "offline", "WANDB_API_KEY": WANDB_KEY}
    env = await commands.start(
        *("serve", "--openai.api_key", API_KEY),
        rollout_server_url=api.replace("://", f"://user:{PASSWORD}@"),
        use_wandb="true",
        environment={**variables, "WANDB_DIR": str(commands.folder)},
    )
    step = r"Step \d+ of 1000000: accuracy [\d.]+, .* tokens/s; \d+ % of tokens trained; queue"
    report = await commands.train(api, batches=3, also=lambda: re.search(step, log_of(env)))
    assert report.batches >= 3 and report.problems == []
    assert set(report.tasks) <= set(TASKS.split(","))
    env.process.send_signal(signal.SIGINT)
    assert await exit_code(env) == 130
    assert str(commands.folder / "checkpoints") in log_of(env).splitlines()[-1]  # where it goes on
    saved = acknowledged(log_of(env))
    assert saved == len(commands.dumped()) > 0
    assert "Traceback" not in log_of(env)
    [path] = (commands.folder / "checkpoints").rglob("metrics.jsonl")
    reports = rows(path)
    assert [one["step"] for one in reports] == sorted(one["step"] for one in reports)
    assert len({one["run"] for one in reports}) == 1
    counts = ("train/groups_refused", "train/groups_not_delivered", "pool/worker_restarts")
    assert all(one[name] == 0 for one in reports for name in counts)
    assert all(one["status/groups_per_second"] > 0 for one in reports[:-1])  # the last: at the end
    groups = [one[name] for one in reports for name in one if re.match(r"train/\w+/groups", name)]
    assert sum(groups) >= 3 * BATCH_SIZE // GROUP_SIZE
    assert any(file.name.endswith(".wandb") for file, _ in commands.written())
    assert "Configuration:" in log_of(env)
    files = [content for _, content in commands.written()]
    assert not any(secret.encode() in content for secret in SECRETS for content in files)
