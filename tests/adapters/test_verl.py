"""examples/trainers/verl_reward.py: verl's convention, its own loader and its reward manager."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from examples.trainers import verl_reward
from rgenv.export.cli import main as export
from tests.support.paths import ROOT
from tests.support.trainers import against, run

EXAMPLE = ROOT / "examples" / "trainers" / "verl_reward.py"

PROGRAM = """
import asyncio, json, sys
import numpy as np, torch
from omegaconf import OmegaConf
from tensordict import TensorDict
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.trainer.ppo.reward import get_custom_reward_fn
import datasets

row = datasets.Dataset.from_parquet(sys.argv[2])[0]
path = {"path": sys.argv[1], "name": "compute_score"}
config = OmegaConf.create({"reward": {"custom_reward_function": path}})

class Tokenizer:
    def decode(self, ids, skip_special_tokens):
        return "".join(map(chr, ids.tolist()))

async def score(text):
    ids = torch.tensor([[ord(letter) for letter in text]])
    data = DataProto(
        batch=TensorDict({"responses": ids, "attention_mask": torch.ones_like(ids)}, 1),
        non_tensor_batch={
            key: np.array([row[key]], dtype=object)
            for key in ("data_source", "reward_model", "extra_info")
        },
    )
    manager = NaiveRewardManager(config, Tokenizer(), get_custom_reward_fn(config))
    return await manager.run_single(data)

async def main():
    from rgenv import AsyncReasoningGym
    async with AsyncReasoningGym() as gym:
        problem = await gym.make(**json.loads(row["reward_model"]["ground_truth"]))
    return [await score(f"<answer>{problem.answer}</answer>"), await score("no tags")]

print(json.dumps(asyncio.run(main())))
"""


def test_the_signature_is_that_of_the_documentation() -> None:
    """verl calls by name, and adds keywords of its own."""
    parameters = inspect.signature(verl_reward.compute_score).parameters
    named = ["data_source", "solution_str", "ground_truth", "extra_info"]
    assert list(parameters)[:4] == named and parameters["extra_info"].default is None
    assert any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


@against("verl")
def test_verl_scores_with_it(tmp_path: Path) -> None:
    """verl's loader reads a row of `export`, and its reward manager gets score and accuracy."""
    words = ["--tasks", "gcd", "--split", "train", "--to", "parquet", "--columns", "verl"]
    assert export(["--problems", "2", str(tmp_path / "data"), *words]) == 0
    [rows] = (tmp_path / "data").rglob("*.parquet")
    printed = run("verl", "python", "-c", PROGRAM, EXAMPLE, rows, cwd=tmp_path)
    right, wrong = json.loads(printed.splitlines()[-1])
    assert right["reward_score"] == 1.0 and right["reward_extra_info"]["acc"] == 1.0
    assert wrong["reward_score"] == 0.0
