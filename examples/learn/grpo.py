"""One step of GRPO: from the groups of a batch to a gradient.

    rows = rows_of(batch)                       # what is trained on, one row a rollout
    stats = accumulate(model, rows)             # gradients; then clip, step, zero

A rollout's advantage is its score less its group's mean, over the group's spread; rollouts that
the environment marks (`set_advantage_to_zero`) get none. The loss is the clipped ratio to the log
probabilities that came with the rollout, a mean over all completion tokens of the batch, so batches
may come from weights that are a step or two old. There is no reference model.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

import torch
from transformers import PreTrainedModel

from demo.trainer import IGNORED, completion_tokens

from .model import logprobs, padded

CLIP = 0.2
ROWS_AT_ONCE = 64
SMALLEST_SPREAD = 1e-6
Group = dict[str, Any]


@dataclass(frozen=True)
class Row:
    tokens: list[int]
    masks: list[int]  # the token where it is trained on, IGNORED in the prompt
    logprobs: list[float]  # as served; no meaning where the mask is IGNORED
    advantage: float

    @property
    def length(self) -> int:
        """Completion tokens."""
        return completion_tokens(self.masks)


@dataclass
class StepStats:
    """What a step says of itself; the means are over completion tokens that had an advantage."""

    tokens: int = 0
    loss: float = 0.0
    clipped: float = 0.0  # share of tokens whose ratio was clipped
    drift: float = 0.0  # mean distance of the trainer's log probabilities from the served ones
    surprise: float = 0.0  # mean of minus log probability: an estimate of the entropy


def shuffled(scores: Sequence[float], seed: str) -> list[float]:
    """The same scores, dealt to the rollouts of their group by chance: the control."""
    return random.Random(seed).sample(list(scores), len(scores))


def advantages(scores: Sequence[float], overrides: Sequence[dict[str, Any]] | None) -> list[float]:
    mean, spread = fmean(scores), pstdev(scores)
    if spread < SMALLEST_SPREAD:
        return [0.0] * len(scores)
    marks = overrides or [{}] * len(scores)
    return [
        0.0 if (mark or {}).get("set_advantage_to_zero") else (score - mean) / spread
        for score, mark in zip(scores, marks, strict=True)
    ]


def rows_of(batch: Sequence[Group], shuffle_seed: str | None = None) -> list[Row]:
    """Every rollout of a batch, in order; with a seed, scores change places within each group."""
    rows = []
    for number, group in enumerate(batch):
        scores = group["scores"]
        if shuffle_seed is not None:
            scores = shuffled(scores, f"{shuffle_seed} {number}")
        parts = zip(
            group["tokens"],
            group["masks"],
            group["inference_logprobs"],
            advantages(scores, group.get("overrides")),
            strict=True,
        )
        rows += [Row(*part) for part in parts]
    return rows


def accumulate(model: PreTrainedModel, rows: Sequence[Row]) -> StepStats:
    """Add the gradient of the whole batch; rows without advantage have none and cost nothing."""
    total = max(1, sum(row.length for row in rows))
    told = sorted((row for row in rows if row.advantage), key=lambda row: len(row.tokens))
    stats = StepStats(tokens=sum(row.length for row in told))
    for start in range(0, len(told), ROWS_AT_ONCE):
        add_gradient(model, told[start : start + ROWS_AT_ONCE], total, stats)
    return stats


def add_gradient(model: PreTrainedModel, rows: Sequence[Row], total: int, stats: StepStats) -> None:
    tokens = padded([row.tokens for row in rows])
    trained = (padded([row.masks for row in rows], fill=IGNORED) != IGNORED)[:, 1:]
    served = padded([row.logprobs for row in rows], fill=0.0)[:, 1:]
    advantage = padded([[row.advantage] for row in rows])
    found = logprobs(model, tokens)
    ratio = torch.exp(found - served)
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
    loss = -(gain * trained).sum() / total
    loss.backward()
    with torch.no_grad():
        share = 1 / max(1, stats.tokens)
        stats.loss += loss.item()
        stats.clipped += share * (((ratio - 1).abs() > CLIP) & trained).sum().item()
        stats.drift += share * (found - served)[trained].abs().sum().item()
        stats.surprise -= share * found[trained].sum().item()
