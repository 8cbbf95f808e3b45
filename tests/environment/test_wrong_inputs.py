"""reasoning_gym_environment.py: what a user may write wrongly, in every command."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import wandb
from openai import AsyncOpenAI

from reasoning_gym_environment import ReasoningGymEnv
from tests.support.commands import Ended, run_here

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ready_workers")]

Run = Callable[..., Awaitable[Ended]]


@pytest.fixture
def run(unserved: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command; no server answers.

    ``{tmp}`` in a word stands for the folder of the test, which holds some files.
    """
    monkeypatch.setattr("sys.argv", ["reasoning_gym_environment.py"])
    (tmp_path / "a_file").write_text("no template {% for")
    (tmp_path / "bytes").write_bytes(bytes(range(256)))
    servers = (f"{{server_type: {one}, base_url: 'http://h/v1'}}" for one in ("vllm", "sglang"))
    (tmp_path / "two.yaml").write_text(f"openai: [{', '.join(servers)}]")

    async def run(command: str, *words: str) -> Ended:
        given = [word.replace("{tmp}", str(tmp_path)) for word in words]
        openai = [word for word in unserved if "--config" in given and "--openai" in word]
        defaults = [w for w in unserved if w.split("=")[0] not in given and w not in openai]
        return await run_here(tmp_path, command, *defaults, *given)

    return run


def sentence(err: str) -> str:
    """Return the one error that a command printed, without the log."""
    [line] = [line for line in err.splitlines() if line.startswith("error: ")]
    return line.removeprefix("error: ")


WORDS = [
    ("serve", ["--slurm", "true"], "--slurm finds inference servers on the nodes of a SLURM"),
    ("serve", ["--env.group_size", "1"], "--env.group_size 1"),
    ("serve", ["--openai.num_max_requests_at_once", "9" * 400], "must be from 1 to 1e+09"),
    ("process", ["--env.seed", "9" * 9999], "--env.seed must be a number with fewer digits"),
    ("evaluate", ["--compare", ""], "--compare: is empty: name a folder"),
    ("evaluate", ["--compare", "{tmp}"], "has no samples.jsonl: name the folder of an evaluation"),
    ("process", ["--env.data_path_to_save_groups", "/dev/null"], "is a device or a pipe: name a"),
    ("process", ["--openai.base_url", "http://a/v1,http://b/v1"], "list several inference servers"),
    ("process", ["--env.chat_template", ""], "the chat template is empty"),
    ("serve", ["--env.wandb_name", "../run"], "--env.wandb_name: a folder is called after it"),
    ("process", ["--openai.server_type", "trl"], "server_type trl returns no token ids"),
    ("serve", ["--env.start_levels", "gcd=0.5"], "set --env.complexity_mode curriculum"),
    ("evaluate", ["--env.eval_request", "model=x"], "model is set by the environment"),
    ("serve", ["--env.rollout_server_url", "localhost:8000"], "write http://HOST:PORT"),
    ("process", ["--openai.base_url", "http://me:pw@localhost:1/v1"], "holds a name, a password"),
    ("process", ["--openai.api_key", "two\nlines"], "the key holds a line break"),
    ("process", ["--config", "{tmp}/two.yaml"], "server_type sglang and vllm"),
    ("process", ["--env.tokenizer_name", ""], "--env.tokenizer_name"),
    ("serve", ["--env.data_dumps_dir", "{tmp}/a_file"], "a_file is a file, where a folder"),
    ("process", ["--env.data_path_to_save_groups", "{tmp}/a_file/x.jsonl"], "a_file is a file"),
    ("process", ["--env.chat_template", "{tmp}"], "can't be read: it is a folder"),
    ("process", ["--config", "{tmp}"], "can't be read: it is a folder"),
    ("process", ["--config", "{tmp}/bytes"], "can't be read: it is not a text file"),
    ("process", ["--env.data_path_to_save_groups", "{tmp}"], "is a folder: name a file in it"),
]


OPENAI = ["--openai.server_type", "openai"]


@pytest.mark.parametrize("address", ["openai.base_url", "env.rollout_server_url"])
async def test_a_mistake_shows_no_secret(run: Run, address: str) -> None:
    words = ["--openai.api_key", "sk-marked", f"--{address}", "http://u:marked@127.0.0.1:9/v1"]
    ended = await run("serve", *words)
    assert ended.code in (1, 2) and "marked" not in ended.out + ended.err


TRIED = [  # what does not work together
    ("serve", OPENAI, "server_type openai returns no token ids"),
    ("evaluate", ["--env.eval_request", "a=1"], "--env.eval_request changes requests to OpenAI's"),
    ("evaluate", [*OPENAI, "--env.chat_template", "plain"], "--env.chat_template has no effect"),
    (
        "process",
        ["--env.task_configs", '{"gcd":{"min_numbers":-3},"lcm":{"min_numbes":3}}'],
        ". task_configs.lcm: lcm has no parameter 'min_numbes'. Did you mean 'min_numbers'?",
    ),
    ("process", ["--env.task_names", "composite"], "task_configs.composite.datasets"),
    ("serve", ["--env.max_token_length", "100"], "--env.max_token_length 100 leaves no token"),
    ("evaluate", ["--env.eval_max_tokens", "50"], "--env.eval_max_tokens 50 leaves no token"),
    ("process", ["--env.chat_template", "{tmp}/a_file"], "can't render our prompt"),
]


RAISED = [
    (lambda: wandb.Settings(mode="sometimes"), 2, "WANDB_MODE must be 'online'"),  # of a variable
    (lambda: Path("/proc/none").touch(), 1, "/proc/none: No such file or directory."),
    (lambda: AsyncOpenAI(api_key="").models, 2, "): set the api_key"),  # of a subclass's server
]


@pytest.mark.parametrize(("fail", "code", "message"), RAISED)
async def test_errors_of_others_become_sentences(
    run: Run, monkeypatch: pytest.MonkeyPatch, fail: Any, code: int, message: str
) -> None:
    async def start(_env: ReasoningGymEnv) -> None:
        fail()

    monkeypatch.setattr(ReasoningGymEnv, "process_manager", start)
    ended = await run("process")
    assert ended.code == code and message in sentence(ended.err)


FOLDERS = ["--env.data_path_to_save_groups", "/proc/no/x", "--env.dump_rollouts"]
FOLDERS += ["--env.data_dumps_dir", "/proc/none"]
WORLD = [
    ("serve", FOLDERS, "set --env.data_path_to_save_groups to another place. /proc/none can't be"),
    ("evaluate", ["--env.data_dir_to_save_evals", "/proc/none"], "set --env.data_dir_to_save_"),
    ("serve", [], "No inference server is ready at http://127.0.0.1:"),
    ("serve", ["--env.tokenizer_name", "no/such-tokenizer"], "'no/such-tokenizer' is not"),
    ("evaluate", OPENAI, "No inference server is ready at http://127"),
]


@pytest.mark.parametrize(
    ("command", "words", "message", "code"),
    [*[(*case, 2) for case in (*WORDS, *TRIED)], *[(*case, 1) for case in WORLD]],
)
async def test_a_mistake_is_one_sentence_before_servers_are_asked(
    run: Run, command: str, words: list[str], message: str, code: int
) -> None:
    ended = await run(command, *words)
    assert (ended.code, "Traceback" in ended.err) == (code, False)
    assert sentence(ended.err).count(message) == 1
    assert not re.search(r"\[Errno|Exception", sentence(ended.err))
