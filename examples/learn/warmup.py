"""Warm-up: supervised learning on rollouts that the environment saved.

    rollouts = read_rollouts(Path("learn_output/warmup/groups.jsonl"))
    for loss in supervised(model, rollouts, steps=600, seed=1): ...

The rollouts come from the stand-in policy, which is wrong more often than right and sometimes
breaks the answer format. The model imitates all of them, so it learns how to answer and is right
about a third of the time. Only GRPO's rewards tell it which answers are right.
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel

from demo.trainer import IGNORED, completion_tokens

from .model import padded

ROLLOUTS_PER_STEP, ROLLOUTS_PER_PASS = 32, 16
LEARNING_RATE = 2e-3
RAMP_STEPS = 40
MAX_GRADIENT_NORM = 1.0
Rollout = tuple[list[int], list[int]]
"""Tokens and masks."""


def read_rollouts(path: Path) -> list[Rollout]:
    """Read all rollouts from a file that `process` wrote, right and wrong ones."""
    with path.open(encoding="utf-8") as file:
        groups = [json.loads(line) for line in file]
    return [
        (tokens, masks)
        for group in groups
        for tokens, masks in zip(group["tokens"], group["masks"], strict=True)
    ]


def supervised(
    model: PreTrainedModel, rollouts: Sequence[Rollout], *, steps: int, seed: int
) -> Iterator[float]:
    """Train the model; take a step for each loss that is requested."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95))
    ramp = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / RAMP_STEPS, total_iters=RAMP_STEPS)
    for batch in _batches(rollouts, steps, random.Random(seed)):
        loss = sum(_add_gradient(model, part, weight) for part, weight in _parts(batch))
        torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRADIENT_NORM)
        optimizer.step()
        optimizer.zero_grad()
        ramp.step()
        yield loss


def _batches(
    rollouts: Sequence[Rollout], steps: int, rng: random.Random
) -> Iterator[list[Rollout]]:
    """Yield `steps` random batches; every rollout is used once before any is used again."""
    order: list[Rollout] = []
    for _ in range(steps):
        while len(order) < ROLLOUTS_PER_STEP:
            order += rng.sample(list(rollouts), len(rollouts))
        yield order[:ROLLOUTS_PER_STEP]
        del order[:ROLLOUTS_PER_STEP]


def _parts(batch: Sequence[Rollout]) -> Iterator[tuple[list[Rollout], float]]:
    """Split a batch into rollouts of similar length, each part with its share of the tokens."""
    by_length = sorted(batch, key=lambda rollout: len(rollout[0]))
    total = sum(completion_tokens(masks) for _, masks in batch)
    for start in range(0, len(by_length), ROLLOUTS_PER_PASS):
        part = by_length[start : start + ROLLOUTS_PER_PASS]
        yield part, sum(completion_tokens(masks) for _, masks in part) / total


def _add_gradient(model: PreTrainedModel, rollouts: Sequence[Rollout], weight: float) -> float:
    tokens = padded([tokens for tokens, _ in rollouts])
    targets = padded([masks for _, masks in rollouts], fill=IGNORED)
    logits = model(input_ids=tokens, use_cache=False).logits[:, :-1]
    loss = weight * cross_entropy(
        logits.flatten(0, 1), targets[:, 1:].flatten(), ignore_index=IGNORED
    )
    loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
    return loss.item()
