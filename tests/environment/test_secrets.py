"""reasoning_gym_environment.py: no command prints or writes a key, password or token."""

import json
import signal
from pathlib import Path

import pytest
from aiohttp import web

from demo.http_server import start_server
from demo.launch import start_api
from tests.support.commands import Commands, exit_code, log_of, run_here
from tests.support.dumps import rows

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


async def test_process(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of several servers in a file of options, and one in a variable.

    Other options of the file count unless they are given as words.
    """
    config = commands.folder.parent / f"{commands.folder.name}.yaml"
    server = {"server_type": "vllm", "base_url": f"{commands.inference_url}/v1"}
    keys = [{**server, "api_key": key} for key in (API_KEY, PASSWORD)]
    chosen = {"include_messages": True, "total_steps": 9}
    config.write_text(json.dumps({"env": chosen, "openai": keys}))
    monkeypatch.setenv("OPENAI_API_KEY", TOKEN)
    ended = await commands.run_here(
        "process",
        f"--config={config}",
        without_server=True,
        total_steps=3,
        data_path_to_save_groups=commands.folder / "out" / "groups.jsonl",
        debug_logging="true",
    )
    assert ended.code == 0, ended.err
    assert (commands.folder / "out" / "metrics.jsonl").exists()
    groups = rows(commands.folder / "out" / "groups.jsonl")
    assert len(groups) == 3 and all(group["messages"] for group in groups)
    assert_nothing_leaked(commands)
    assert not list(commands.folder.rglob("*.html"))  # Atropos' page has the model's text live


async def test_a_server_that_quotes_the_key(commands: Commands) -> None:
    async def quote(request: web.Request) -> web.Response:
        key = request.headers.get("Authorization", "")
        error = {"message": f"Incorrect API key provided: {key} for {request.url}"}
        return web.json_response({"error": error}, status=401)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", quote)
    server = await start_server(app)
    ended = await commands.run_here(
        "evaluate",
        "--openai.server_type=openai",
        "--openai.api_key",
        API_KEY,
        f"--openai.base_url=http://127.0.0.1:{server.port}/v1?token={TOKEN}",
        data_dir_to_save_evals=commands.folder / "evaluation",
        debug_logging="true",
    )
    assert ended.code == 1
    assert "401" in ended.err
    assert_nothing_leaked(commands)
    await server.close()


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
