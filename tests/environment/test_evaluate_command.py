"""reasoning_gym_environment.py: `evaluate` and `process` as users run them."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from rgenv.evaluation.sample_log import read
from rgenv.runtime.backoff import REFUSALS
from tests.support.chat_server import ChatServer, completion, says
from tests.support.commands import Ended, run_here
from tests.support.dumps import rows
from tests.support.engines import error
from tests.support.viewed import page_data

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ready_workers")]

ONE = "<think>so</think><answer>1</answer>"
KEY = "sk-marked-key-1f"
REASONING = "max_completion_tokens=900,temperature=null,top_p=null,reasoning_effort=high"


async def run(folder: Path, command: str, *words: str) -> Ended:
    return await run_here(
        folder,
        command,
        "--env.use_wandb=false",
        "--env.task_names=gcd,lcm,maze",
        "--env.num_eval_samples_per_task=4",
        "--env.scoring_workers=1",
        "--env.startup_timeout=60",
        *words,
    )


async def evaluate(folder: Path, url: str, *words: str, model: str = "scripted") -> Ended:
    server = [f"--openai.base_url={url}", f"--openai.model_name={model}"]
    kind = ["--openai.server_type=openai", f"--openai.api_key={KEY}"]
    return await run(folder, "evaluate", *server, *kind, *words)


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[ChatServer]:
    """A chat server that answers 1."""
    async with ChatServer(says(ONE)) as server:
        yield server


async def test_a_paid_run_is_kept_and_never_asked_twice(server: ChatServer, tmp_path: Path) -> None:
    """Without a folder, results are in `evals`; the second run asks nothing and says so."""
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
    assert f"Nothing is asked: evals/{folder.name} is complete. --force starts over." in again.err
    assert again.out.splitlines()[-1].split(";")[0] == lines[-1].split(";")[0]


async def test_a_limited_run_and_a_chosen_baseline(server: ChatServer, tmp_path: Path) -> None:
    """Another model is compared only if it is chosen, and page and terminal name both."""
    await evaluate(tmp_path, server.url, "--env.data_dir_to_save_evals=evals/old")
    words = ["--limit", "5", "--env.data_dir_to_save_evals=evals/new"]
    plain = await evaluate(tmp_path, server.url, *words, model="other")
    assert plain.code == 0 and "Compared with" not in plain.out
    assert "(a limited set of 5 problems); 5 samples" in plain.out
    assert json.loads((tmp_path / "evals/new/evaluation.json").read_text())["limit"] == 5
    asked = len(server.asked)
    chosen = await evaluate(tmp_path, server.url, *words, "--compare", "evals/old", model="other")
    assert chosen.code == 0 and len(server.asked) == asked == 12 + 5
    assert "Compared with evals/old (model scripted; now other): accuracy 0.0 " in chosen.out
    assert "on 5 common problems" in chosen.out and "sets of different sizes" in chosen.out
    assert "Settings that differ: model scripted, now other;" in chosen.out
    [shown] = page_data(tmp_path / "evals/new/report.html")[0]["evaluations"]
    assert (shown["changes"]["name"], shown["changes"]["model"]) == ("evals/old", "scripted")
    wrong = await evaluate(tmp_path, server.url, *words, "--compare", "evals/gone", model="other")
    assert wrong.code == 2 and "--compare: there is no folder 'evals/gone'" in wrong.err


@pytest.mark.parametrize(
    ("status", "message", "remedy"),
    [
        (401, f"Incorrect API key provided: {KEY}", "OPENAI_API_KEY"),
        (404, "The model does not exist", "--openai.model_name (scripted)"),
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


async def test_a_failure_with_status_200_is_asked_again(server: ChatServer, tmp_path: Path) -> None:
    """What a gateway gives for an answer then is none of the model's."""
    failed = completion("I will first", reason="error")
    server.script = lambda body: (200, failed) if len(server.asked) in (2, 4) else ONE
    done = await evaluate(tmp_path, server.url)
    assert done.code == 0 and len(server.asked) == 14
    assert "broke the completion off (finish_reason error). Trying again" in done.err
    [folder] = (tmp_path / "evals").iterdir()
    samples = read(folder / "samples.jsonl")
    assert len(samples) == 12 and not any("error" in sample for sample in samples)
    assert {sample["finish_reason"] for sample in samples} == {"stop"}


async def test_a_reasoning_model_is_asked_with_its_parameters(
    server: ChatServer, tmp_path: Path
) -> None:
    """What it thinks beside its completion is kept; thinking without a completion is no error.

    A key among the parameters reaches the server, and stands in no file.
    """

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
    assert (body["max_completion_tokens"], body["reasoning_effort"], body["api_key"]) == (
        900,
        "high",
        KEY,
    )
    [folder] = (tmp_path / "evals").iterdir()
    samples = read(folder / "samples.jsonl")
    assert len(samples) == 12 and not any("error" in sample for sample in samples)
    empty = [s for s in samples if s["messages"][-1]["content"] == ""]
    assert len(empty) == 6 and {s["verdict"] for s in empty} == {"no_answer"}
    assert all(s["messages"][-1]["reasoning_content"] for s in samples)
    about = json.loads((folder / "evaluation.json").read_text())
    assert about["max_tokens"] == 900 and about["temperature"] is None
    assert about["request"]["reasoning_effort"] == "high"
    assert not any(KEY.encode() in path.read_bytes() for path in folder.iterdir())


async def test_a_server_that_stops_answering_is_waited_for(
    server: ChatServer, tmp_path: Path
) -> None:
    """The log says so, and the run goes on with the same samples when it is back."""
    script = iter([ONE, *[error(503, "starting")] * 40])
    server.script = lambda body: next(script, ONE)
    done = await evaluate(tmp_path, server.url)
    assert done.code == 0 and "12 samples in " in done.out.splitlines()[-1]
    assert "fails with status 503 (starting). Trying again for up to" in done.err


async def test_process_says_what_it_wrote(
    tokenizer: Any, tokenizer_dir: Path, tmp_path: Path
) -> None:
    """A second run leaves the first file alone, and says where its groups go.

    One line stands for many groups, and has the same numbers as metrics.jsonl beside the groups.
    """
    policy = await start_policy_server(Policy(seed=1), tokenizer)
    words = [
        f"--env.tokenizer_name={tokenizer_dir}",
        f"--openai.base_url=http://127.0.0.1:{policy.port}/v1",
        "--env.data_path_to_save_groups=out/groups.jsonl",
        "--env.total_steps=8",
        "--env.group_size=2",
        "--env.max_token_length=2048",
    ]
    first = await run(tmp_path, "process", *words)
    content = (tmp_path / "out/groups.jsonl").read_bytes()
    second = await run(tmp_path, "process", *words)
    await policy.close()
    assert first.code == second.code == 0
    assert "exists" not in first.err and content.count(b"\n") == 8
    assert "8 groups in out/groups.jsonl: mean reward 0." in first.err.splitlines()[-1]
    assert "accuracy 0." in first.err.splitlines()[-1]
    assert (
        "out/groups.jsonl exists and stays as it is; these groups go to out/groups_1.jsonl."
        in second.err
    )
    assert (tmp_path / "out/groups.jsonl").read_bytes() == content
    assert "8 groups in out/groups_1.jsonl" in second.err.splitlines()[-1]
    lines = re.findall(r"Group (\d+) of 8: accuracy", first.err + second.err)
    assert lines[-1] == "8" and len(lines) < 8
    reports = rows(tmp_path / "out/metrics.jsonl")
    assert reports[-1]["step"] == 8 and len(reports) == len(lines)
