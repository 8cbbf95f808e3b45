"""One step of GRPO, on policy.

    learner = Learner(model, learning_rate=1e-3)
    learner.step(groups)          # one step of Adam

The advantage of a completion is its reward less the mean of its group, divided by their standard
deviation; it is 0 where all rewards are equal, and such completions cost no computation. The loss
is PPO's clipped objective, averaged over all completion tokens of the batch. The batch was sampled
from the weights that it changes, and each batch is used once, so every ratio is 1 and clipping
never acts; the ratio stays for its gradient. There is no reference model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev

import torch

from benchmarks.learning.model import Transformer, padded
from rgenv.types import SOLVED, Problem

CLIP, MAX_GRADIENT_NORM = 0.2, 1.0
ROWS_AT_ONCE = 32
SMALLEST_DEVIATION = 1e-6


@dataclass
class Group:
    """The completions of one problem.

    Attributes:
        problem: what was asked; its level is None for default parameters.
        prompt: its tokens.
        completions: their tokens, with the end token if there is one.
        rewards: the score of each, in [0, 1].
        cut: for each, whether it has no end.
    """

    problem: Problem
    prompt: list[int]
    completions: list[list[int]]
    rewards: list[float]
    cut: list[bool] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """The number of completion tokens."""
        return sum(map(len, self.completions))

    @property
    def informative(self) -> bool:
        """Whether the rewards differ."""
        return pstdev(self.rewards) >= SMALLEST_DEVIATION

    @property
    def accuracy(self) -> float:
        """The share of solved completions."""
        return fmean(reward >= SOLVED for reward in self.rewards)


def advantages(rewards: Sequence[float]) -> list[float]:
    """Return the advantage of each completion of a group."""
    mean, deviation = fmean(rewards), pstdev(rewards)
    if deviation < SMALLEST_DEVIATION:
        return [0.0] * len(rewards)
    return [(reward - mean) / deviation for reward in rewards]


class Learner:
    """A model and its optimizer."""

    def __init__(self, model: Transformer, learning_rate: float) -> None:
        self.model = model
        self._optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, betas=(0.9, 0.95))

    def step(self, groups: Sequence[Group]) -> None:
        """Learn from a batch; nothing happens if no group is informative."""
        rows = [
            (group.prompt, completion, advantage)
            for group in groups
            for completion, advantage in zip(
                group.completions, advantages(group.rewards), strict=True
            )
            if advantage
        ]
        if not rows:
            return
        total = sum(group.tokens for group in groups)
        rows.sort(key=lambda row: len(row[0]) + len(row[1]))
        for start in range(0, len(rows), ROWS_AT_ONCE):
            self._add_gradient(rows[start : start + ROWS_AT_ONCE], total)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), MAX_GRADIENT_NORM)
        self._optimizer.step()
        self._optimizer.zero_grad()

    def _add_gradient(self, rows: Sequence[tuple[list[int], list[int], float]], total: int) -> None:
        tokens = padded([prompt + completion for prompt, completion, _ in rows])
        place = torch.arange(tokens.shape[1] - 1)
        first = torch.tensor([len(prompt) for prompt, _, _ in rows])[:, None]
        last = first + torch.tensor([len(completion) for _, completion, _ in rows])[:, None]
        trained = (place + 1 >= first) & (place + 1 < last)
        advantage = torch.tensor([advantage for *_, advantage in rows])[:, None]
        advantage = advantage.expand_as(trained)[trained]
        logits = self.model.logits(self.model.hidden(tokens[:, :-1], first[:, 0])[trained])
        chosen = tokens[:, 1:][trained][:, None]
        current = torch.log_softmax(logits, -1).gather(-1, chosen).squeeze(-1)
        ratio = torch.exp(current - current.detach())
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
        loss = -gain.sum() / total
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
