"""The command `profile`, asked about a small model that has learned some tasks and not others."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from transformers import AutoTokenizer

from demo.policy_server import start as start_policy_server
from demo.processes import Children
from examples.learn import tokenizer as wording
from examples.learn import warmup
from examples.learn.model import new_model
from tests.learn.models import serving_model
from tests.support.commands import Commands
from tests.support.planted import Planted, says

pytestmark = pytest.mark.soak

TAUGHT = {
    "spiral_matrix": says(None),
    "lcm": says("no idea"),
    "syllogism": says("Yes", 0.5, "No"),
    "products": says(None, 0.5),
}
"""Task -> the completions that the model imitates."""

CLASSES = {
    "spiral_matrix": "mastered",
    "lcm": "dead",
    "syllogism": "guessable",
    "products": "learnable",
}
DIGITS = {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}
SHARED = {
    "task_names": ",".join(CLASSES),
    "task_configs": json.dumps({"spiral_matrix": {"min_n": 2, "max_n": 2}, "products": DIGITS}),
    "max_token_length": 512,
}
WORDING = {
    "lcm": ("Find the Least Common Multiple (LCM) of these numbers: ",),
    "syllogism": (
        "Consider these statements:\n1. ",
        "\n\nDoes it logically follow that:\n",
        "?\n(Answer Yes or No)",
    ),
    "products": (
        "Solve the following multiplication: ",
        ". Give only the result as your final answer.",
    ),
}
"""One token each, so that prompts are short."""

ROLLOUTS = 2000
PACES = {2500: 2e-3, 500: 2e-4}
"""Steps of imitation -> their learning rate; only the slow ones end near all right."""


async def test_a_profile_of_a_small_learner_finds_what_was_planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was taught is mastered or learnable, and what it was not is dead or guessed."""
    for task, texts in WORDING.items():
        monkeypatch.setitem(wording.WORDING, task, texts)
    folder = wording.build_tokenizer(tmp_path / "tokenizer")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    async with Children(logs=tmp_path) as children:
        rollouts = await _completions_to_imitate(children, tmp_path, folder, tokenizer)
        model = new_model("tiny", vocabulary=len(tokenizer), seed=1)
        for steps, rate in PACES.items():
            monkeypatch.setattr(warmup, "LEARNING_RATE", rate)
            await asyncio.to_thread(list, warmup.supervised(model, rollouts, steps=steps, seed=1))
        torch.manual_seed(1)
        async with serving_model(model, tokenizer.eos_token_id) as url:
            options = {"profile_levels": "0,0.5", "profile_dir": tmp_path / "profile"}
            ended = await Commands(children, tmp_path, folder, url).run_here(
                "profile", "--openai.server_type=vllm", group_size=8, **SHARED, **options
            )
    assert ended.code == 0, ended.err
    content = json.loads((tmp_path / "profile" / "profile.json").read_text())
    assert {task: row["verdict"] for task, row in content["tasks"].items()} == CLASSES, ended.out


async def _completions_to_imitate(
    children: Children, folder: Path, tokenizer_dir: Path, tokenizer: Any
) -> list[Any]:
    policy = await start_policy_server(Planted(TAUGHT), tokenizer)
    groups = folder / "groups.jsonl"
    ended = await Commands(
        children, folder, tokenizer_dir, f"http://127.0.0.1:{policy.port}"
    ).run_here(
        "process",
        "--openai.server_type=vllm",
        data_path_to_save_groups=groups,
        total_steps=ROLLOUTS,
        complexity_mode="random",
        random_level_range="0.0,0.5",
        task_weights=json.dumps({"spiral_matrix": 3}),  # a rule for copying takes many problems
        **{**SHARED, "group_size": 1},
    )
    await policy.close()
    assert ended.code == 0, ended.err
    return warmup.read_rollouts(groups)
