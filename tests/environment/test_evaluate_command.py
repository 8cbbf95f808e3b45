"""reasoning_gym_environment.py: `evaluate` and `process` as users run them."""

import json
import re
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from rgenv.evaluation.sample_log import read
from rgenv.runtime.backoff import REFUSALS
from tests.support.chat_server import ChatServer, completion, says
from tests.support.commands import Ended, run_here
from tests.support.dumps import rows
from tests.support.engines import MODEL, Engine, error

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ready_workers")]

ONE = "<think>so</think><answer>1</answer>"
KEY = "sk-marked-key-1f"
REASONING = "max_completion_tokens=900,temperature=null,top_p=null,reasoning_effort=high"


async def run(folder: Path, command: str, *words: str) -> Ended:
    usual = "use_wandb=false task_names=gcd,lcm,maze num_eval_samples_per_task=4"
    return await run_here(folder, command, *(f"--env.{one}" for one in usual.split()), *words)


async def evaluate(
    folder: Path, url: str, *words: str, model: str = "scripted", command: str = "evaluate"
) -> Ended:
    server = [f"--openai.base_url={url}", f"--openai.model_name={model}"]
    kind = ["--openai.server_type=openai", f"--openai.api_key={KEY}"]
    return await run(folder, command, *server, *kind, *words)


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[ChatServer]:
    async with ChatServer(says(ONE)) as server:
        server.lists = "scripted"
        yield server


async def test_a_paid_run_is_kept_and_never_asked_twice(server: ChatServer, tmp_path: Path) -> None:
    first = await evaluate(tmp_path, server.url, "--env.eval_samples_per_item=2")
    assert first.code == 0 and len(server.asked) == 24
    [folder] = (tmp_path / "evals").iterdir()
    assert folder.name.startswith("scripted-") and len(read(folder / "samples.jsonl")) == 24
    assert f"Results go to evals/{folder.name}" in first.err
    assert "24 requests: about " in first.err and "at most 393,216 of completions" in first.err
    lines = first.out.splitlines()
    assert lines[0].split()[-1] == "pass@2" and any(line.startswith("  maze ") for line in lines)
    assert lines[-1].startswith("Accuracy 0.") and "24 samples in " in lines[-1]
    assert lines[-1].endswith(f"Report: evals/{folder.name}/report.html")
    again = await evaluate(tmp_path, server.url, "--env.eval_samples_per_item=2")
    assert again.code == 0 and len(server.asked) == 24
    said = f"No server is asked: all answers are in evals/{folder.name} already. --force asks"
    assert said in again.err
    assert again.out.splitlines()[-1].split(";")[0] == lines[-1].split(";")[0]


@pytest.mark.parametrize(
    ("status", "message", "remedy"),
    [
        (401, f"Incorrect API key provided: {KEY}", "OPENAI_API_KEY"),
        (400, "Use 'max_completion_tokens' instead.", "--env.eval_request max_completion_tokens"),
    ],
)
async def test_a_refused_evaluation_ends_at_once_and_goes_on_later(
    server: ChatServer, tmp_path: Path, status: int, message: str, remedy: str
) -> None:
    """The last line has address, reason and remedy, and no key; nothing is repeated for long."""
    answers = iter([ONE] * 3 if status == 401 else [])
    server.script = lambda body: next(answers, None) or error(status, message)
    words = ["--openai.num_requests_for_eval=1"]
    refused = await evaluate(tmp_path, server.url, *words)
    assert refused.code == 1 and "Traceback" not in refused.err and KEY not in refused.err
    last = refused.err.splitlines()[-1]
    assert f"Ended: {server.url} refuses requests with status {status} (" in last
    assert remedy in last and "error: " not in refused.err
    assert len(server.asked) == REFUSALS + (3 if status == 401 else 0)
    assert ("What was answered is saved" in last) == (status == 401)
    server.script = says(ONE)
    before = len(server.asked)
    later = await evaluate(tmp_path, server.url, *words)
    assert later.code == 0 and len(server.asked) - before == (9 if status == 401 else 12)


async def test_a_wrong_model_ends_the_run_before_anything_is_made(
    server: ChatServer, tmp_path: Path
) -> None:
    server.script = lambda body: error(404, "no such model")
    refused = await evaluate(tmp_path, server.url, model="script")
    assert refused.code == 1 and refused.err.splitlines()[-1].endswith(
        "It lists no model script: set --openai.model_name to scripted."
    )
    assert "evaluation set" not in refused.err and not (tmp_path / "evals").exists()


async def test_an_evaluation_of_few_answers_is_no_success(
    server: ChatServer, tmp_path: Path
) -> None:
    refused = error(400, "the prompt is too long")
    server.script = lambda body: refused if "Divisor" in str(body["messages"]) else ONE
    done = await evaluate(tmp_path, server.url)
    assert done.code == 1 and "4 of 12 samples failed" in done.err
    assert "of the 8 samples that were answered; 12 samples, 4 of them failed," in done.out
    few = "--env.profile_completions=8", "--env.profile_levels=0"
    profiled = await evaluate(tmp_path, server.url, *few, command="profile")
    assert profiled.code == 1 and "8 of 24 samples failed" in profiled.err


async def test_a_reasoning_model_is_asked_with_its_parameters(
    server: ChatServer, tmp_path: Path
) -> None:
    """What it thinks beside its completion is kept; thinking without a completion is no error."""

    def script(body: dict[str, Any]) -> Any:
        if {"max_tokens", "temperature", "top_p"} & set(body):
            return error(400, "Unsupported parameter")
        if len(server.asked) % 2:
            return 200, completion(None, reason="length", reasoning_content="<answer>1</answer>")
        return 200, completion(ONE, reasoning_content="hm")

    server.script = script
    done = await evaluate(tmp_path, server.url, f"--env.eval_request={REASONING},api_key={KEY}")
    assert done.code == 0
    body = server.asked[0]
    asked = {"max_completion_tokens": 900, "reasoning_effort": "high", "api_key": KEY}
    assert asked.items() <= body.items()
    [folder] = (tmp_path / "evals").iterdir()
    samples = read(folder / "samples.jsonl")
    assert len(samples) == 12 and not any("error" in sample for sample in samples)
    empty = [s for s in samples if s["messages"][-1]["content"] == ""]
    assert len(empty) == 6 and {s["verdict"] for s in empty} == {"no_answer"}
    assert all(s["messages"][-1]["reasoning_content"] for s in samples)
    about = json.loads((folder / "evaluation.json").read_text())
    assert about["max_tokens"] == 900 and about["temperature"] is None
    assert about["request"]["reasoning_effort"] == "high"
    assert "model_name: scripted" in (folder / "evaluate_config.yaml").read_text()
    assert not any(KEY.encode() in path.read_bytes() for path in folder.iterdir())


async def test_process_says_what_it_wrote(
    tokenizer: Any, tokenizer_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/groups.jsonl").touch()
    policy = await start_policy_server(Policy(seed=1), tokenizer)
    words = [
        f"--env.tokenizer_name={tokenizer_dir}",
        f"--openai.base_url=http://127.0.0.1:{policy.port}/v1",
        "--env.data_path_to_save_groups=out/groups.jsonl",
        "--env.total_steps=8",
        "--env.group_size=2",
        "--env.max_token_length=2048",
    ]
    done = await run(tmp_path, "process", *words)
    await policy.close()
    assert done.code == 0
    said = "out/groups.jsonl exists and stays as it is; these groups go to out/groups_1.jsonl."
    assert said in done.err
    last = done.err.splitlines()[-1]
    assert "8 groups in out/groups_1.jsonl: mean reward 0." in last and "accuracy 0." in last
    assert len(rows(tmp_path / "out/groups_1.jsonl")) == 8
    assert (tmp_path / "out/groups.jsonl").read_text() == ""
    lines = re.findall(r"Group (\d+) of 8: accuracy", done.err)
    assert lines[-1] == "8" and len(lines) < 8
    reports = rows(tmp_path / "out/metrics.jsonl")
    assert reports[-1]["step"] == 8 and len(reports) == len(lines)


async def test_process_goes_on_past_problems_that_the_server_always_fails(
    tokenizer_dir: Path, tmp_path: Path
) -> None:
    """It works only some groups ahead of the first one that is not written, and these fail more and
    more, until nothing else is under way."""

    @web.middleware
    async def fails_some(request: web.Request, handler: Any) -> Any:
        body = await request.text()
        if '"n": 2' in body and zlib.crc32(body.encode()) % 3 == 0:
            return web.json_response({"error": "too slow"}, status=504)
        return await handler(request)

    def one_token(prompt: list[int], n: int) -> list[tuple[list[int], str]]:
        return [([5], "stop")] * n

    async with Engine("vllm", written=one_token, middlewares=[fails_some]) as engine:
        words = {
            "env.tokenizer_name": tokenizer_dir,
            "env.data_path_to_save_groups": "groups.jsonl",
            "env.total_steps": 60,
            "env.max_token_length": 2048,
            "env.group_size": 2,
            "openai.base_url": f"{engine.url}/v1",
            "openai.model_name": MODEL,
        }
        done = await run(tmp_path, "process", *(f"--{name}={words[name]}" for name in words))
    assert done.code == 0 and len(rows(tmp_path / "groups.jsonl")) == 60
    given_up = sum(one["train/items_given_up"] for one in rows(tmp_path / "metrics.jsonl"))
    assert given_up > 10 and done.err.splitlines()[-1].endswith(f"; {given_up} prompts given up.")
