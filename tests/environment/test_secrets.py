"""reasoning_gym_environment.py: no command prints or writes a key, password or token."""

import json
import signal
from pathlib import Path

import pytest

from demo.launch import start_api
from tests.support.commands import Commands, exit_code, log_of, run_here

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ready_workers")]

API_KEY, PASSWORD, TOKEN = "sk-marked-key-1f", "marked-password-2f", "marked-token-3f"
WANDB_KEY = "marked4wandb" + "0" * 28
SECRETS = (API_KEY, PASSWORD, TOKEN, WANDB_KEY)


def assert_nothing_leaked(commands: Commands) -> None:
    """Check all that was printed and every file, wandb's included."""
    leaks = [
        (str(path), secret)
        for path, content in commands.written()
        for secret in SECRETS
        if secret.encode() in content
    ]
    assert leaks == []


async def test_serve(commands: Commands) -> None:
    """Not in the debugging log, metrics.jsonl, checkpoints, dumps, or wandb's files."""
    api = await start_api(commands.children)
    with_password = api.replace("://", f"://user:{PASSWORD}@")
    env = await commands.start(
        "serve",
        "--openai.api_key",
        API_KEY,
        rollout_server_url=with_password,
        use_wandb="true",
        debug_logging="true",
        dump_rollouts="true",
        environment={
            "WANDB_MODE": "offline",
            "WANDB_API_KEY": WANDB_KEY,
            "WANDB_DIR": str(commands.folder),
        },
    )
    await commands.train(api, batches=1)
    env.process.send_signal(signal.SIGTERM)
    assert await exit_code(env) == 143
    names = {path.name for path, _ in commands.written()}
    assert "metrics.jsonl" in names and any(name.endswith(".wandb") for name in names)
    assert "Configuration:" in log_of(env)
    assert_nothing_leaked(commands)


async def test_evaluate_and_its_folder(commands: Commands) -> None:
    """evaluate_config.yaml has neither key nor password; the configuration is not printed."""
    out = commands.folder / "evaluation"
    with_password = commands.inference_url.replace("://", f"://user:{PASSWORD}@")
    ended = await commands.run_here(
        "evaluate",
        "--openai.api_key",
        API_KEY,
        data_dir_to_save_evals=out,
        rollout_server_url=with_password,
        task_configs=json.dumps({"gcd": {"max_numbers": 3}}),
    )
    assert ended.code == 0, ended.err
    dumped = (out / "evaluate_config.yaml").read_text()
    assert "model_name: stand-in" in dumped and "api_key" not in dumped
    assert "max_token_length" not in ended.out + ended.err
    assert_nothing_leaked(commands)


@pytest.mark.parametrize(
    "words",
    [
        ["--openai.apikey", API_KEY],
        ["--openai.api_key", API_KEY, "--openai.timeout", "soon"],
        ["--openai.api_key", API_KEY, "--openai.base_url", f"http://u:{PASSWORD}@127.0.0.1:9/v1"],
        ["--env.rollout_server_url", f"http://u:{PASSWORD}@127.0.0.1:9", "--env.startup_timeout=1"],
    ],
)
async def test_mistakes(tokenizer_dir: Path, tmp_path: Path, words: list[str]) -> None:
    usual = [f"--env.tokenizer_name={tokenizer_dir}", "--env.task_names=gcd"]
    ended = await run_here(tmp_path, "serve", *usual, "--env.scoring_workers=1", *words)
    assert ended.code in (1, 2)
    assert "Traceback" not in ended.err, ended.err
    assert not any(secret in ended.out + ended.err for secret in SECRETS)
    assert not any(tmp_path.rglob("*"))
