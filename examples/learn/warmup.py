"""Warm-up: supervised learning on rollouts that the environment saved and scored.

    rows = read_rollouts(Path("learn_output/warmup/groups.jsonl"))
    for loss in supervised(model, rows, steps=600, seed=1): ...

The rollouts are the rule policy's, through `process`: all of them, as they came. That policy is
wrong more often than right and breaks the format now and then, so the model that imitates it knows
how to answer and does so a third of the time. Which of its ways is the right one it has not been
told: that is left to the reward.
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

BATCH_ROWS, ROWS_AT_ONCE = 32, 16
LEARNING_RATE = 2e-3
RAMP_STEPS = 40
CLIP_NORM = 1.0
Rollout = tuple[list[int], list[int]]  # tokens and masks


def read_rollouts(path: Path) -> list[Rollout]:
    """All of a file that `process` wrote, right and wrong."""
    with path.open(encoding="utf-8") as file:
        groups = [json.loads(line) for line in file]
    return [
        (tokens, masks)
        for group in groups
        for tokens, masks in zip(group["tokens"], group["masks"], strict=True)
    ]


def supervised(
    model: PreTrainedModel, rows: Sequence[Rollout], *, steps: int, seed: int
) -> Iterator[float]:
    """Train, one step for each loss that is taken."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95))
    rates = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / RAMP_STEPS, total_iters=RAMP_STEPS)
    for chosen in choices(rows, steps, random.Random(seed)):
        loss = sum(add_gradient(model, part) for part in parts(chosen))
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP_NORM)
        optimizer.step()
        optimizer.zero_grad()
        rates.step()
        yield loss


def parts(rows: Sequence[Rollout]) -> Iterator[tuple[list[Rollout], float]]:
    """Rows of like length together, for less padding, and the weight of their mean."""
    ordered = sorted(rows, key=lambda row: len(row[0]))
    total = sum(completion_tokens(masks) for _, masks in rows)
    for start in range(0, len(ordered), ROWS_AT_ONCE):
        part = ordered[start : start + ROWS_AT_ONCE]
        yield part, sum(completion_tokens(masks) for _, masks in part) / total


def add_gradient(model: PreTrainedModel, part: tuple[Sequence[Rollout], float]) -> float:
    rows, weight = part
    tokens = padded([row[0] for row in rows])
    labels = padded([row[1] for row in rows], fill=IGNORED)
    logits = model(input_ids=tokens, use_cache=False).logits[:, :-1]
    loss = weight * cross_entropy(
        logits.flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORED
    )
    loss.backward()
    return loss.item()


def choices(rows: Sequence[Rollout], steps: int, rng: random.Random) -> Iterator[list[Rollout]]:
    """`steps` batches; every row comes once before one comes again."""
    order: list[Rollout] = []
    for _ in range(steps):
        while len(order) < BATCH_ROWS:
            order += rng.sample(list(rows), len(rows))
        yield order[:BATCH_ROWS]
        del order[:BATCH_ROWS]
