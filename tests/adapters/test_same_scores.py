"""Each adapter gives recorded answers the scores that the environment gives them.

The last test asks for one group of completions by the framework's own command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from itertools import cycle, groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rgenv import ReasoningGym
from rgenv.problem_sets.columns import CONVENTIONS
from tests.adapters.test_openenv import serving
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
SERVED = [*ADAPTERS, "verl", "skyrl", "ray"]
"""Also those that have no double: a cluster is too much for one."""


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


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_sample_scores_as_in_the_environment(
    make_env: MakeEnv, tmp_path: Path, adapter: str
) -> None:
    """A hundred answers to some tasks, over doubles of the frameworks."""
    rows, scores = await judged(await make_env(), recorded_rows(tasks=6, rows=100))
    assert len(rows) >= 100 and {0.0, 1.0} <= set(scores)
    assert scores_by_adapter(adapter, rows, tmp_path, real=False) == scores


COMPLETIONS = {
    "I guess <answer>{}</answer> but wait": 0.0,
    "I guess <answer>{}</answer>": 0.0,
    "It is clear.</think><answer>{}</answer>": 1.0,
    "No <answer>zzz</answer>.</think> So <answer>{}</answer>": 1.0,
    "<think>It is.</think><answer>{}</answer>": 1.0,
    "</think>{}": 0.0,
}
"""Completions with the right answer, and their scores where the template opens the thinking."""


async def opened_rows(env: Any) -> list[Row]:
    """Return completions after a prompt that opens the thinking, to check by the environment."""
    item = await env.make_item("chain_sum", 3)
    rows: list[Row] = [(item.recipe, text.format(item.answer)) for text in COMPLETIONS]
    scores = await env.score_completions(item, [f"<think>\n{text}" for _, text in rows])
    assert scores == list(COMPLETIONS.values())
    return rows


@pytest.mark.parametrize(
    ("adapter", "real"),
    [
        *(pytest.param(name, False, marks=pytest.mark.slow) for name in ADAPTERS),
        *(pytest.param(name, True, marks=needs(name)) for name in [*ADAPTERS, "verl", "skyrl"]),
    ],
)
async def test_a_template_may_open_the_thinking(
    make_env: MakeEnv, tmp_path: Path, adapter: str, real: bool
) -> None:
    """Completions that never close it earn nothing, as in the environment."""
    rows = await opened_rows(await make_env())
    scores = scores_by_adapter(adapter, rows, tmp_path, real=real, opened=True)
    assert scores == list(COMPLETIONS.values())


@pytest.mark.parametrize("adapter", [pytest.param(name, marks=needs(name)) for name in SERVED])
async def test_all_recorded_answers_score_as_in_the_environment(
    make_env: MakeEnv, tmp_path: Path, adapter: str
) -> None:
    """More than 5,000 answers to all tasks, hostile ones among them, in the real frameworks."""
    rows, scores = await judged(await make_env(), recorded_rows())
    assert len(rows) > 5000 and {0.0, 1.0} <= set(scores)
    assert scores_by_adapter(adapter, rows, tmp_path, real=True) == scores


# One group, by the command of each framework

TASK, LEVEL = "spell_backward", 0.5

SAVED = [
    "<answer>{}</answer>",
    "<think>hm</think><answer>{}</answer>",
    "<answer>{near}</answer>",
    "<answer>no</answer><answer>{}</answer>",
    "<think><answer>{}</answer>",
    "<answer>__import__('os')._exit(1)</answer>",
    "<answer></answer>",
    "{}",
]
"""Completions of one problem; without blanks, so that a small model has each as one word."""

Scores = Mapping[str, float]
"""Completion -> score."""


def exported(trainer: str, folder: Path, columns: str, to: str = "jsonl") -> Path:
    """Export the problem by the command; return its file."""
    words = ["--problems", 1, "--split", "train,held_out", "--held-out", 1, "--tasks", TASK]
    words += ["--levels", LEVEL, "--to", to, "--columns", columns]
    run(trainer, "rgenv", "export", columns, *words, cwd=folder)
    return folder / columns / "data" / f"held_out-00000-of-00001.{to}"


async def by_verifiers(saved: Scores, folder: Path) -> list[float]:
    """`vf-eval` asks a server for as many replies as there are."""
    replies = cycle(saved)
    async with ChatServer(lambda body: next(replies)) as server:
        await run_while_serving(
            "verifiers",
            *("vf-eval", "reasoning-gym-held-out-v1", "-r", len(saved), "--model", "m"),
            *("--no-push", "--no-rich", "--client.base-url", server.url, "-o", "out"),
            *("--client.api-key-var", "KEY", "--env.taskset.tasks", json.dumps([TASK])),
            *("--env.taskset.level", LEVEL, "--env.taskset.per-task", 1),
            *("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess"),
            cwd=folder,
            KEY="x",
        )
    [path] = folder.glob("out/*/traces.jsonl")
    traces = [json.loads(line)["traces"][0] for line in path.read_text().splitlines()]
    return [trace["rewards"]["correct"]["score"] for trace in traces]


async def by_inspect(saved: Scores, folder: Path) -> list[float]:
    """`inspect eval` asks a server in as many epochs as there are completions."""
    replies = cycle(saved)
    async with ChatServer(lambda body: next(replies)) as server:
        await run_while_serving(
            "inspect",
            *("inspect", "eval", "rgenv/reasoning_gym", "-T", f"tasks={TASK}"),
            *("-T", f"levels={LEVEL}", "-T", "per_task=1", "--epochs", len(saved)),
            *("--model", "openai-api/stand-in/m", "--log-dir", "logs", "--log-format", "json"),
            *("--display", "plain"),
            cwd=folder,
            STAND_IN_API_KEY="x",
            STAND_IN_BASE_URL=server.url,
        )
    [path] = folder.glob("logs/*.json")
    samples = json.loads(path.read_text())["samples"]
    return [sample["scores"]["verdict"]["value"]["score"] for sample in samples]


async def by_trl(saved: Scores, folder: Path) -> list[float]:
    """`trl grpo` trains a model whose words are the completions on an export."""
    exported("trl", folder, "plain")
    run("trl", "python", "-c", MODEL, *saved, cwd=folder)
    run("trl", "trl", "grpo", *TRL.split(), cwd=folder)
    found = {}
    for path in folder.glob("out/completions/*.parquet"):
        for row in pq.read_table(path).to_pylist():
            found[row["completion"][0]["content"]] = row["reward"]
    return [found[text] for text in saved]


MODEL = """
import sys
from examples.trainers import trl_grpo

trl_grpo.ANSWERS = sys.argv[1:]
trl_grpo.write_tiny_model("model")
"""

TRL = """
--dataset_name plain --dataset_train_split held_out --reward_funcs rgenv.adapters.trl.reward
--model_name_or_path model --max_completion_length 1 --num_generations 64 --max_steps 2
--per_device_train_batch_size 64 --output_dir out --log_completions true --logging_steps 1
--save_strategy no --report_to none --use_cpu true --bf16 false
"""


async def by_verl(saved: Scores, folder: Path) -> list[float]:
    """`verl.trainer.main_eval` takes the mean over a source: each completion is one.

    The reward manager of its trainer gives the same scores, and the share that is solved.
    """
    row = json.loads(exported("verl", folder, "verl").read_text())
    rows = [row | {"data_source": str(n), "responses": [text]} for n, text in enumerate(saved)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "saved.parquet")
    printed = run(
        "verl",
        *("python", "-m", "verl.trainer.main_eval", "data.path=saved.parquet"),
        "+reward.custom_reward_function.path=pkg://rgenv.adapters.verl",
        "+reward.custom_reward_function.name=score",
        "ray_kwargs.ray_init.num_cpus=1",
        cwd=folder,
    )
    means = dict(re.findall(r"'test_score/(\d+)': np\.float64\((.+?)\)", printed))
    found = [float(means[str(n)]) for n in range(len(saved))]
    managed = json.loads(run("verl", "python", "-c", VERL, cwd=folder).splitlines()[-1])
    assert managed == [[score, float(score == 1.0)] for score in found]
    return found


VERL = """
import asyncio, json
import datasets, numpy, ray, torch
from omegaconf import OmegaConf
from tensordict import TensorDict
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.trainer.ppo.reward import get_custom_reward_fn

function = {"path": "pkg://rgenv.adapters.verl", "name": "compute_score"}
config = OmegaConf.create({"reward": {"custom_reward_function": function}})

class Tokenizer:
    def decode(self, ids, skip_special_tokens):
        return "".join(map(chr, ids.tolist()))

async def score(row):
    ids = torch.tensor([[ord(letter) for letter in row["responses"][0]]])
    batch = TensorDict({"responses": ids, "attention_mask": torch.ones_like(ids)}, 1)
    keys = ("data_source", "reward_model", "extra_info")
    columns = {key: numpy.array([row[key]], dtype=object) for key in keys}
    data = DataProto(batch=batch, non_tensor_batch=columns)
    manager = NaiveRewardManager(config, Tokenizer(), get_custom_reward_fn(config))
    found = await manager.run_single(data)
    return [found["reward_score"], found["reward_extra_info"]["acc"]]

ray.init(address="local", num_cpus=1, log_to_driver=False)
rows = datasets.Dataset.from_parquet("saved.parquet")
print(json.dumps([asyncio.run(score(row)) for row in rows]))
"""


async def by_skyrl(saved: Scores, folder: Path) -> list[float]:
    """SkyRL makes the environment by the name in the row."""
    row = json.loads(exported("skyrl", folder, "skyrl").read_text())
    assert row["env_class"] == "rgenv"
    recipe = json.loads(row["reward_spec"]["ground_truth"])
    return scores_by_adapter("skyrl", [(recipe, text) for text in saved], folder, real=True)


async def by_openenv(saved: Scores, folder: Path) -> list[float]:
    """The client of OpenEnv asks a server for the problem, and for the score of each completion."""
    row = json.loads(exported("openenv", folder, "plain").read_text())
    async with serving(folder) as address:
        words = ["-c", OPENENV, address, row["recipe"], json.dumps(list(saved))]
        printed = await run_while_serving("openenv", "python", *words, cwd=folder)
    return list(json.loads(printed))


OPENENV = """
import asyncio, json, sys
from rgenv.adapters.openenv import CompletionAction, ReasoningGymClient

async def main(address, recipe, saved):
    async with ReasoningGymClient(base_url=address) as client:
        for text in json.loads(saved):
            await client.reset(recipe=json.loads(recipe))
            yield (await client.step(CompletionAction(text=text))).reward

async def scores():
    return [score async for score in main(*sys.argv[1:])]

print(json.dumps(asyncio.run(scores())))
"""


async def by_datasets(saved: Scores, folder: Path) -> list[float]:
    """`datasets` loads an export in the columns of each trainer, with both splits."""
    for columns in CONVENTIONS:
        exported("trl", folder, columns, "parquet")
    words = ["-c", DATASETS, json.dumps(list(saved)), *CONVENTIONS]
    [*scores, splits] = json.loads(run("trl", "python", *words, cwd=folder).splitlines()[-1])
    assert splits == [{"train": 1, "held_out": 1}] * len(CONVENTIONS)
    return scores


DATASETS = """
import json, sys
from datasets import load_dataset
from rgenv import ReasoningGym

saved, columns = json.loads(sys.argv[1]), sys.argv[2:]
loaded = {name: load_dataset(name) for name in columns}
with ReasoningGym() as gym:
    scores = gym.score(loaded["plain"]["held_out"][0]["recipe"], saved)
print(json.dumps([*scores, [found.num_rows for found in loaded.values()]]))
"""


COMMANDS: dict[str, Callable[[Scores, Path], Awaitable[list[float]]]] = {
    "verifiers": by_verifiers,
    "inspect": by_inspect,
    "trl": by_trl,
    "verl": by_verl,
    "skyrl": by_skyrl,
    "openenv": by_openenv,
    "datasets": by_datasets,
}


@pytest.fixture(scope="module")
def saved() -> Scores:
    """The completions and their scores by the library."""
    with ReasoningGym([TASK]) as gym:
        [problem] = gym.held_out(TASK, 1, LEVEL)
        near = f"{problem.answer[:-1]}q"
        texts = [text.format(problem.answer, near=near) for text in SAVED]
        scores = gym.score(problem, texts)
    assert {0.0, 1.0} < set(scores)  # and some between
    return dict(zip(texts, scores, strict=True))


@pytest.mark.parametrize(
    "trainer",
    [pytest.param(name, marks=needs({"datasets": "trl"}.get(name, name))) for name in COMMANDS],
)
async def test_saved_completions_score_the_same(
    saved: Scores, tmp_path: Path, trainer: str
) -> None:
    """Each framework scores them by its own command, where only our wheel is installed."""
    found = await COMMANDS[trainer](saved, tmp_path)
    assert sorted(found) == pytest.approx(sorted(saved.values()))  # TRL's are of 32 bits
