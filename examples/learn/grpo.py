"""One step of GRPO: from the groups of a batch to a gradient.

    rollouts = rollouts_of(batch)
    stats = accumulate(model, rollouts)         # adds gradients; then clip, step, zero

The advantage of a rollout is its reward minus the mean of its group, divided by the standard
deviation of its group. Rollouts that the environment marks (`set_advantage_to_zero`) have none. The
loss is PPO's clipped objective, averaged over all completion tokens of the batch. It uses the log
probabilities that came with the rollouts, so these may be from weights that are a step or two old.
A rollout that is to be imitated has the advantage 1 and none of those: its own ones are taken.
"""

import random
from collections.abc import Sequence
from itertools import zip_longest
from math import inf
from statistics import fmean, pstdev

import torch
from transformers import PreTrainedModel

from demo.trainer import Group, completion_tokens

from .model import best_device
from .sampler import Rollout, completion_logprobs

CLIP = 0.2
PER_PASS = 16
SMALLEST_DEVIATION = 1e-6
Stats = dict[str, float]


def rollouts_of(batch: Sequence[Group], shuffle_seed: str | None = None) -> list[Rollout]:
    """Return all rollouts with advantages; a seed permutes the rewards within each group."""
    rollouts: list[Rollout] = []
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
        rollouts += map(Rollout, *fields)
    return rollouts


def accumulate(model: PreTrainedModel, rollouts: Sequence[Rollout]) -> Stats:
    """Add the gradient of a batch. Rollouts without an advantage cost no computation.

    Of the `tokens` with an advantage, return the `loss`, the share whose ratio was `clipped`, the
    mean distance between the trainer's log probabilities and the server's (`drift`), and the mean
    negative log probability, which estimates the entropy (`surprise`).
    """
    total = max(1, sum(one.length for one in rollouts))
    taught = [one for one in rollouts if one.advantage]
    taught.sort(key=lambda one: (len(one.prompt), one.prompt))  # padded, and read once
    stats = dict.fromkeys(("loss", "clipped", "drift", "surprise"), 0.0)
    stats["tokens"] = sum(one.length for one in taught)
    for start in range(0, len(taught), PER_PASS):
        part = taught[start : start + PER_PASS]
        current = completion_logprobs(model, part)
        every = [value for one in part for value in one.logprobs[-one.length :]]
        served = torch.tensor(every, device=best_device()) if every else current.detach()
        each = [one.advantage for one in part for _ in range(one.length)]
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
