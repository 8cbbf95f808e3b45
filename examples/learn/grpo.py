"""One step of GRPO: from the groups of a batch to a gradient.

    samples = samples_of(batch)                 # one for each rollout
    stats = accumulate(model, samples)          # adds gradients; then clip, step, zero

The advantage of a rollout is its reward minus the mean of its group, divided by the standard
deviation of its group. Rollouts that the environment marks (`set_advantage_to_zero`) have none. The
loss is PPO's clipped objective, averaged over all completion tokens of the batch. It uses the log
probabilities that came with the rollouts, so these may be from weights that are a step or two old.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

import torch
from transformers import PreTrainedModel

from demo.trainer import IGNORED, Group, completion_tokens

from .model import logprobs, padded

CLIP = 0.2
SAMPLES_PER_PASS = 64
SMALLEST_DEVIATION = 1e-6


@dataclass(frozen=True)
class Sample:
    """A rollout with its advantage.

    Attributes:
        masks: the tokens themselves, or IGNORED for those of the prompt.
        logprobs: as the server gave them; meaningless for tokens of the prompt.
    """

    tokens: list[int]
    masks: list[int]
    logprobs: list[float]
    advantage: float

    @property
    def length(self) -> int:
        """The number of completion tokens."""
        return completion_tokens(self.masks)


@dataclass
class StepStats:
    """Facts about a step; means are over the completion tokens that have an advantage.

    Attributes:
        tokens: the number of those tokens.
        clipped: the share of tokens whose ratio was clipped.
        drift: the mean distance between the trainer's log probabilities and the server's.
        surprise: the mean of the negative log probability, which estimates the entropy.
    """

    tokens: int = 0
    loss: float = 0.0
    clipped: float = 0.0
    drift: float = 0.0
    surprise: float = 0.0


def samples_of(batch: Sequence[Group], shuffle_seed: str | None = None) -> list[Sample]:
    """Return a sample for each rollout of a batch, in order.

    Args:
        shuffle_seed: permutes the rewards within each group, for a control run.
    """
    samples = []
    for number, group in enumerate(batch):
        rewards = group["scores"]
        if shuffle_seed is not None:
            rng = random.Random(f"{shuffle_seed} {number}")
            rewards = rng.sample(list(rewards), len(rewards))
        fields = zip(
            group["tokens"],
            group["masks"],
            group["inference_logprobs"],
            advantages(rewards, group.get("overrides")),
            strict=True,
        )
        samples += [Sample(*values) for values in fields]
    return samples


def advantages(rewards: Sequence[float], overrides: Sequence[dict[str, Any]] | None) -> list[float]:
    """Return the advantage of each rollout of a group; 0 if all rewards are equal."""
    mean, deviation = fmean(rewards), pstdev(rewards)
    if deviation < SMALLEST_DEVIATION:
        return [0.0] * len(rewards)
    return [
        0.0 if (override or {}).get("set_advantage_to_zero") else (reward - mean) / deviation
        for reward, override in zip(rewards, overrides or [{}] * len(rewards), strict=True)
    ]


def accumulate(model: PreTrainedModel, samples: Sequence[Sample]) -> StepStats:
    """Add the gradient of a batch. Samples without an advantage cost no computation."""
    total = max(1, sum(sample.length for sample in samples))
    relevant = sorted(
        (sample for sample in samples if sample.advantage), key=lambda sample: len(sample.tokens)
    )
    stats = StepStats(tokens=sum(sample.length for sample in relevant))
    for start in range(0, len(relevant), SAMPLES_PER_PASS):
        _add_gradient(model, relevant[start : start + SAMPLES_PER_PASS], total, stats)
    return stats


def _add_gradient(
    model: PreTrainedModel, samples: Sequence[Sample], total: int, stats: StepStats
) -> None:
    tokens = padded([sample.tokens for sample in samples])
    trained = (padded([sample.masks for sample in samples], fill=IGNORED) != IGNORED)[:, 1:]
    served = padded([sample.logprobs for sample in samples], fill=0.0)[:, 1:]
    advantage = padded([[sample.advantage] for sample in samples])
    current = logprobs(model, tokens)
    ratio = torch.exp(current - served)
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
    loss = -(gain * trained).sum() / total
    loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
    with torch.no_grad():
        share = 1 / max(1, stats.tokens)
        stats.loss += loss.item()
        stats.clipped += share * (((ratio - 1).abs() > CLIP) & trained).sum().item()
        stats.drift += share * (current - served)[trained].abs().sum().item()
        stats.surprise -= share * current[trained].sum().item()
