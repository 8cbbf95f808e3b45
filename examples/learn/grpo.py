"""One step of GRPO: from the groups of a batch to a gradient.

    samples = samples_of(batch)                 # one for each rollout
    stats = accumulate(model, samples)          # adds gradients; then clip, step, zero

The advantage of a rollout is its reward minus the mean of its group, divided by the standard
deviation of its group. Rollouts that the environment marks (`set_advantage_to_zero`) have none. The
loss is PPO's clipped objective, averaged over all completion tokens of the batch. It uses the log
probabilities that came with the rollouts, so these may be from weights that are a step or two old.
A rollout that is to be imitated has the advantage 1 and none of those: its own ones are taken.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

import torch
from transformers import PreTrainedModel

from demo.trainer import Group, completion_tokens

from .model import best_device
from .sampler import Rollout, completion_logprobs

CLIP = 0.2
PER_PASS = 32
SMALLEST_DEVIATION = 1e-6
Stats = dict[str, float]


@dataclass(frozen=True)
class Sample(Rollout):
    """A rollout with its advantage, and log probabilities as the server gave them, if it did."""

    logprobs: Sequence[float] = ()
    advantage: float = 1.0


def samples_of(batch: Sequence[Group], shuffle_seed: str | None = None) -> list[Sample]:
    """Return a sample for each rollout; a seed permutes the rewards within each group."""
    samples = []
    for number, group in enumerate(batch):
        rewards = group["scores"]
        if shuffle_seed is not None:
            rng = random.Random(f"{shuffle_seed} {number}")
            rewards = rng.sample(list(rewards), len(rewards))
        fields = zip(
            group["tokens"],
            map(completion_tokens, group["masks"]),
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


def accumulate(model: PreTrainedModel, samples: Sequence[Sample]) -> Stats:
    """Add the gradient of a batch. Samples without an advantage cost no computation.

    Returns:
        "tokens": how many have an advantage; "loss"; means over these tokens: "clipped", the share
        whose ratio was clipped, "drift", the distance between the trainer's log probabilities and
        the server's, and "surprise", the negative log probability, which estimates the entropy.
    """
    total = max(1, sum(sample.length for sample in samples))
    taught = [sample for sample in samples if sample.advantage]
    taught.sort(key=lambda sample: (len(sample.prompt), sample.prompt))  # padded, and read once
    tokens = sum(sample.length for sample in taught)
    stats = {"tokens": tokens, "loss": 0.0, "clipped": 0.0, "drift": 0.0, "surprise": 0.0}
    for start in range(0, len(taught), PER_PASS):
        _add_gradient(model, taught[start : start + PER_PASS], total, stats)
    return stats


def _add_gradient(
    model: PreTrainedModel, samples: Sequence[Sample], total: int, stats: Stats
) -> None:
    current = completion_logprobs(model, samples)
    served, advantage = (
        torch.tensor(values, device=best_device())
        for values in (
            [value for sample in samples for value in sample.logprobs[-sample.length :]],
            [sample.advantage for sample in samples for _ in range(sample.length)],
        )
    )
    ratio = torch.exp(current - (served if len(served) else current.detach()))
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
    loss = -gain.sum() / total
    loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
    with torch.no_grad():
        share = 1 / max(1, stats["tokens"])
        stats["loss"] += loss.item()
        stats["clipped"] += share * ((ratio - 1).abs() > CLIP).sum().item()
        stats["drift"] += share * ratio.log().abs().sum().item()
        stats["surprise"] -= share * current.sum().item()
