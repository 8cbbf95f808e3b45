"""rgenv/adapters/verl.py: verl's convention, its own loader and its reward manager."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rgenv import ReasoningGym
from rgenv.export.cli import main as export
from tests.support.trainers import against, run

PROGRAM = """
import asyncio, json, sys
import ray
import numpy as np, torch
from omegaconf import OmegaConf
from tensordict import TensorDict
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.trainer.ppo.reward import get_custom_reward_fn
import datasets

row = datasets.Dataset.from_parquet(sys.argv[1])[0]
path = {"path": "pkg://rgenv.adapters.verl", "name": "compute_score"}
ray.init(address="local", num_cpus=1, log_to_driver=False)
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


SHARED = """
import json, os, signal, sys, time
import ray
import ray.util
from rgenv.adapters.verl import compute_score

ray.init(address="local", num_cpus=3, log_to_driver=False)
recipe, right = json.loads(sys.argv[1]), sys.argv[2]

@ray.remote(num_cpus=1)
class Scoring:
    def score(self, text):
        return compute_score("gcd", text, json.dumps(recipe), workers=1)["acc"]

def scores():
    texts = [f"<answer>{right}</answer>", "no tags", f"<answer>{right}</answer>"]
    calls = zip(scoring, texts)
    return ray.get([one.score.remote(text) for one, text in calls])

async def process(gym):
    return os.getpid()

def actor():
    [name] = ray.util.list_named_actors()
    return ray.get(ray.get_actor(name).run.remote(process))

scoring = [Scoring.remote() for _ in range(3)]
before = scores(), actor()
os.kill(before[1], signal.SIGKILL)
time.sleep(1)
print(json.dumps([before[0], scores(), actor() != before[1]]))
"""


@against("verl")
def test_processes_of_a_machine_share_one_gym(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three processes that score start one actor; after its end, the next call starts another."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with ReasoningGym(["gcd"]) as gym:
        problem = gym.make("gcd", 3)
    words = ["-c", SHARED, json.dumps(problem.recipe), problem.answer]
    found = json.loads(run("verl", "python", *words, cwd=tmp_path).splitlines()[-1])
    assert found == [[1.0, 0.0, 1.0], [1.0, 0.0, 1.0], True]


@against("verl")
def test_verl_scores_with_it(tmp_path: Path) -> None:
    """verl's loader reads a row of `export`, and its reward manager gets score and accuracy."""
    words = ["--tasks", "gcd", "--split", "train", "--to", "parquet", "--columns", "verl"]
    assert export(["--problems", "2", str(tmp_path / "data"), *words]) == 0
    [rows] = (tmp_path / "data").rglob("*.parquet")
    printed = run("verl", "python", "-c", PROGRAM, rows, cwd=tmp_path)
    right, wrong = json.loads(printed.splitlines()[-1])
    assert right["reward_score"] == 1.0 and right["reward_extra_info"]["acc"] == 1.0
    assert wrong["reward_score"] == 0.0
