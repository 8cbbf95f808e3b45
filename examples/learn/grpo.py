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
from itertools import zip_longest
from math import inf
from statistics import fmean, pstdev

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
        mean, deviation = fmean(rewards), pstdev(rewards)
        unit = deviation if deviation > SMALLEST_DEVIATION else inf  # all equal: no advantage
        advantages = [
            0.0 if (override or {}).get("set_advantage_to_zero") else (reward - mean) / unit
            for reward, override in zip_longest(rewards, group.get("overrides") or [])
        ]
        lengths = map(completion_tokens, group["masks"])
        fields = (group["tokens"], lengths, group["inference_logprobs"], advantages)
        samples += map(Sample, *fields)
    return samples


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
    stats = dict.fromkeys(("loss", "clipped", "drift", "surprise"), 0.0)
    stats["tokens"] = sum(sample.length for sample in taught)
    for start in range(0, len(taught), PER_PASS):
        part = taught[start : start + PER_PASS]
        current = completion_logprobs(model, part)
        every = [value for sample in part for value in sample.logprobs[-sample.length :]]
        served = torch.tensor(every, device=best_device()) if every else current.detach()
        each = [sample.advantage for sample in part for _ in range(sample.length)]
        advantage = torch.tensor(each, device=best_device())
        ratio = torch.exp(current - served)
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
        loss = -gain.sum() / total
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
        share = 1 / max(1, stats["tokens"])
        stats["loss"] += loss.item()
        stats["clipped"] += share * ((ratio - 1).abs() > CLIP).sum().item()
        stats["drift"] += share * (current - served).abs().sum().item()
        stats["surprise"] -= share * current.sum().item()
    return stats
