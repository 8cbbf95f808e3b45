"""Imitation: the model learns to answer from problems that `export --problems` solved.

rollouts = solved(folder, tokenizer)
for loss in supervised(model, rollouts, steps=100, seed=1, learning_rate=LEARNING_RATE): ...
"""

import json
from pathlib import Path
from typing import Any

from examples.learn.packing import Rollout

from .settings import SYSTEM_PROMPT

LEARNING_RATE = 5e-4


def solved(folder: Path, tokenizer: Any) -> list[Rollout]:
    """Return a prompt with the reference answer for each training problem of a data set."""
    rollouts = []
    for file in sorted((folder / "data").glob("train-*.jsonl")):
        for problem in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            asked = [{"role": "system", "content": SYSTEM_PROMPT}, problem["prompt"][-1]]
            text = tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
            prompt = tokenizer.encode(text, add_special_tokens=False)
            answer = tokenizer.encode(problem["answer"], add_special_tokens=False)
            tokens = [*prompt, *answer, tokenizer.eos_token_id]
            rollouts.append(Rollout(tokens, len(answer) + 1))
    return rollouts
