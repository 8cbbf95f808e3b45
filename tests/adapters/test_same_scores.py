"""Each adapter gives recorded answers the scores that the environment gives them.

The last test scores saved completions of some problems by the framework's own command.
"""

import json
import re
from collections.abc import Awaitable, Callable
from itertools import cycle, groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rgenv import ReasoningGym
from rgenv.text import content_text
from tests.conftest import MakeEnv
from tests.support.chat_server import ChatServer
from tests.support.trainers import (
    Row,
    needs,
    recorded_rows,
    run,
    run_while_serving,
    scores_by_adapter,
)

ADAPTERS = ["trl", "verifiers", "inspect"]
SERVED = [*ADAPTERS, "verl", "skyrl", "openenv", "nemo_gym", "ray"]
"""Also those that have no double: a cluster or a server is too much for one."""


async def judged(env: Any, rows: list[tuple[str, int, str]]) -> tuple[list[Row], list[float]]:
    """Return recipes with completions, and the scores of the environment."""
    pairs: list[Row] = []
    scores: list[float] = []
    for (task, seed), group in groupby(rows, key=lambda row: row[:2]):
        item = await env.make_item(task, seed)
        texts = [text for *_, text in group]
        pairs += [(item.recipe, text) for text in texts]
        scores += await env.score_completions(item, texts)
    return pairs, scores


COMPLETIONS = {
    "I guess <answer>{}</answer> but wait": 0.0,
    "I guess <answer>{}</answer>": 0.0,
    "It is clear.</think><answer>{}</answer>": 1.0,
    "No <answer>zzz</answer>.</think> So <answer>{}</answer>": 1.0,
    "<think>It is.</think><answer>{}</answer>": 1.0,
    "</think>{}": 0.0,
}
"""Completions with the right answer, and their scores where the template opens the thinking."""


@pytest.mark.parametrize(
    ("adapter", "real"),
    [
        *(pytest.param(name, False, marks=pytest.mark.slow) for name in ADAPTERS),
        *(pytest.param(name, True, marks=needs(name)) for name in SERVED),
    ],
)
async def test_scores_are_those_of_the_environment(
    make_env: MakeEnv, tmp_path: Path, adapter: str, real: bool
) -> None:
    """Of more than 5,000 recorded and hostile answers to all tasks; over doubles, of some."""
    env = await make_env()
    near = (await env.make_item("spell_backward", 1)).answer[:-1] + "q"  # it earns a part
    recorded = recorded_rows() if real else recorded_rows(TASKS, rows=100)
    sample = [*recorded, ("spell_backward", 1, f"<answer>{near}</answer>")]
    rows, scores = await judged(env, sample)
    assert len(rows) > (5000 if real else 100) and {0.0, 1.0} < set(scores)
    assert scores_by_adapter(adapter, rows, tmp_path, real=real) == scores
    if adapter != "ray":  # its rows have whole completions
        item = await env.make_item("chain_sum", 3)
        texts = [text.format(item.answer) for text in COMPLETIONS]
        expected = list(COMPLETIONS.values())
        assert await env.score_completions(item, [f"<think>\n{text}" for text in texts]) == expected
        rows = [(item.recipe, text) for text in texts]
        assert scores_by_adapter(adapter, rows, tmp_path, real=real, opened=True) == expected


# Saved completions, by the command of each framework

TASKS = [
    *("base_conversion", "dice", "fraction_simplification", "isomorphic_strings", "sokoban"),
    "spell_backward",  # which pays part of the score for a near miss
]
LEVEL = 0.5

SAVED = [
    "<answer>{}</answer>",
    "<think>hm</think><answer>{}</answer>",
    r"<answer>\boxed{{{}}}</answer>",
    "<answer>**{}**</answer>",
    "<answer>{near}</answer>",
    "<answer>{}/{near}</answer>",
    "<answer>no</answer><answer>{}</answer>",
    "<think><answer>{}</answer>",
    "<answer>__import__('os')._exit(1)</answer>",
    "",
    "{}",
    f"<think>{'x' * 100_000}</think><answer>{{}}</answer>",
    f"<answer>{'9' * 100_000}</answer>",
]
"""Completions of a problem; without blanks, so that a small model has each as one word."""

Scores = dict[tuple[str, str], float]
"""(question, completion) -> score."""


def texts(saved: Scores, question: str) -> list[str]:
    """Return the completions of a problem."""
    return [text for asked, text in saved if asked == question]


def exported(trainer: str, folder: Path, columns: str, to: str = "jsonl") -> list[dict[str, Any]]:
    """Export the problems by the command; return the rows, if they are lines of JSON."""
    words = ["--problems", 1, "--split", "train,held_out", "--held-out", 1, "--levels", LEVEL]
    words += ["--tasks", ",".join(TASKS), "--to", to, "--columns", columns]
    name = f"{columns}-{to}"
    run(trainer, "rgenv", "export", name, *words, cwd=folder)
    path = folder / name / "data" / f"held_out-00000-of-00001.{to}"
    return [json.loads(line) for line in path.read_text().splitlines()] if to == "jsonl" else []


def replying(saved: Scores) -> ChatServer:
    """Return a server that answers a question by its completions, one after the other."""
    replies = {question: cycle(texts(saved, question)) for question, _ in saved}
    return ChatServer(lambda body: next(replies[content_text(body["messages"][-1]["content"])]))


async def by_inspect(saved: Scores, folder: Path) -> Scores:
    """`inspect eval` asks a server in as many epochs as there are completions."""
    async with replying(saved) as server:
        await run_while_serving(
            "inspect",
            *("inspect", "eval", "rgenv/reasoning_gym", "-T", f"tasks={','.join(TASKS)}"),
            *("-T", f"levels={LEVEL}", "-T", "per_task=1", "--epochs", len(SAVED)),
            *("--model", "openai-api/stand-in/m", "--log-dir", "logs", "--log-format", "json"),
            *("--display", "plain"),
            cwd=folder,
            STAND_IN_API_KEY="x",
            STAND_IN_BASE_URL=server.url,
        )
    [path] = folder.glob("logs/*.json")
    found: Scores = {}
    for sample in json.loads(path.read_text())["samples"]:
        [choice] = sample["output"]["choices"]
        key = sample["input"][-1]["content"], written(choice["message"]["content"])
        found[key] = sample["scores"]["verdict"]["value"]["score"]
    return found


def written(content: str | list[dict[str, str]]) -> str:
    """Return a completion whole: inspect takes the thinking apart."""
    if isinstance(content, str):
        return content
    return "".join(
        f"<think>{part['reasoning']}</think>" if part["type"] == "reasoning" else part["text"]
        for part in content
    )


async def by_trl(saved: Scores, folder: Path) -> Scores:
    """`trl grpo` trains a model whose words are the completions on an export."""
    exported("trl", folder, "plain")
    (folder / "words.json").write_text(json.dumps(sorted({text for _, text in saved if text})))
    run("trl", "python", "-c", MODEL, cwd=folder)
    run("trl", "trl", "grpo", *TRL.split(), cwd=folder)
    found: Scores = {}
    for path in folder.glob("out/completions/*.parquet"):
        for row in pq.read_table(path).to_pylist():
            key = row["prompt"][-1]["content"], row["completion"][0]["content"]
            found[key] = row["reward"]
    return {key: score for key, score in found.items() if key in saved}


MODEL = """
import json
from examples.trainers import trl_grpo

trl_grpo.ANSWERS = json.load(open("words.json"))
trl_grpo.write_tiny_model("model")
"""

TRL = """
--dataset_name plain-jsonl --dataset_train_split held_out --reward_funcs rgenv.adapters.trl.reward
--model_name_or_path model --max_completion_length 1 --num_generations 512 --max_steps 12
--per_device_train_batch_size 512 --output_dir out --log_completions true --logging_steps 1
--num_completions_to_print 1 --save_strategy no --report_to none --use_cpu true --bf16 false
"""


async def by_verl(saved: Scores, folder: Path) -> Scores:
    """`verl.trainer.main_eval` takes the mean over a source: each completion is one."""
    asked = {row["prompt"][-1]["content"]: row for row in exported("verl", folder, "verl")}
    pairs = [(key, asked[key[0]]) for key in saved]
    rows = [
        row | {"data_source": str(n), "responses": [text]}
        for n, ((_, text), row) in enumerate(pairs)
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "saved.parquet")
    printed = run(
        "verl",
        *("python", "-m", "verl.trainer.main_eval", "data.path=saved.parquet"),
        "+reward.custom_reward_function.path=pkg://rgenv.adapters.verl",
        "+reward.custom_reward_function.name=score",
        *("ray_kwargs.ray_init.num_cpus=1", "+ray_kwargs.ray_init.address=local"),
        cwd=folder,
    )
    means = dict(re.findall(r"'test_score/(\d+)': np\.float64\((.+?)\)", printed))
    return {key: float(means[str(n)]) for n, (key, _) in enumerate(pairs)}


COMMANDS: dict[str, Callable[[Scores, Path], Awaitable[Scores]]] = {
    "inspect": by_inspect,
    "trl": by_trl,
    "verl": by_verl,
}


@pytest.fixture(scope="module")
def saved() -> Scores:
    """The completions and their scores by the library."""
    found: Scores = {}
    with ReasoningGym(TASKS) as gym:
        for task in gym.task_names:
            [problem] = gym.held_out(task, 1, LEVEL)
            near = f"{problem.answer[:-1]}q"
            completions = [text.format(problem.answer, near=near) for text in SAVED]
            scores = gym.score(problem, completions)
            assert scores[:4] == [1.0] * 4 and scores[5:11] == [0.0] * 6
            found |= {
                (problem.question, text): s for text, s in zip(completions, scores, strict=True)
            }
    assert any(0.0 < score < 1.0 for score in found.values())
    return found


@pytest.mark.parametrize(
    "trainer",
    [pytest.param(name, marks=needs(name)) for name in COMMANDS],
)
async def test_saved_completions_score_the_same(
    saved: Scores, tmp_path: Path, trainer: str
) -> None:
    found = await COMMANDS[trainer](saved, tmp_path)
    assert found == pytest.approx(saved)  # TRL's are of 32 bits
