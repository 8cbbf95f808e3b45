"""Warm-up: supervised learning on rollouts that the environment saved.

    rollouts = read_rollouts(Path("learn_output/warmup/groups.jsonl"))
    await imitate(model, rollouts, Path("learn_output/warm"), steps=600, seed=1)

The rollouts come from the stand-in policy, which is wrong more often than right and sometimes
breaks the answer format. The model imitates all of them, so it learns how to answer and is right
about a third of the time. Only GRPO's rewards tell it which answers are right.
"""

import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel

from demo.trainer import completion_tokens
from rgenv.runtime.progress import Progress

from .packing import Rollout, by_prompt, completion_logprobs

ROLLOUTS_PER_STEP, ROLLOUTS_PER_PASS = 32, 16
LEARNING_RATE = 2e-3
RAMP_STEPS = 40
MAX_GRADIENT_NORM = 1.0


def read_rollouts(path: Path) -> list[Rollout]:
    """Read all rollouts from a file that `process` wrote, right and wrong ones."""
    with path.open(encoding="utf-8") as file:
        groups = [json.loads(line) for line in file]
    return [
        Rollout(tokens, completion_tokens(masks))
        for group in groups
        for tokens, masks in zip(group["tokens"], group["masks"], strict=True)
    ]


async def imitate(
    model: PreTrainedModel, rollouts: Sequence[Rollout], folder: Path, *, steps: int, **more: Any
) -> None:
    """Train the model as `supervised` does, with progress, and save it when it is done."""
    losses = supervised(model, rollouts, steps=steps, **more)
    with Progress("Imitation", total=steps, unit="steps") as progress:
        while (loss := await asyncio.to_thread(next, losses, None)) is not None:
            progress.advance(note=f"loss {loss:.3f}")
    incomplete = folder.with_name("writing")
    model.save_pretrained(incomplete)
    incomplete.replace(folder)


def supervised(
    model: PreTrainedModel,
    rollouts: Sequence[Rollout],
    *,
    steps: int,
    seed: int,
    learning_rate: float = LEARNING_RATE,
) -> Iterator[float]:
    """Train the model; take a step for each loss that is requested."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95))
    ramp = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / RAMP_STEPS, total_iters=RAMP_STEPS)
    for batch in _batches(rollouts, steps, random.Random(seed)):
        total = sum(rollout.length for rollout in batch)
        loss = sum(_add_gradient(model, part, total) for part in _parts(batch))
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


def _parts(batch: Sequence[Rollout]) -> Iterator[list[Rollout]]:
    """Split a batch into rollouts of similar length."""
    by_length = sorted(batch, key=lambda rollout: len(rollout.tokens))
    for start in range(0, len(by_length), ROLLOUTS_PER_PASS):
        yield by_length[start : start + ROLLOUTS_PER_PASS]


def _add_gradient(model: PreTrainedModel, rollouts: Sequence[Rollout], total: int) -> float:
    loss = -completion_logprobs(model, by_prompt(rollouts)).sum() / total
    loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
    return loss.item()
