"""One group: the completions of one problem, what became of each, and what is told of them.

    group = Group.of(rollouts, verdicts)
    group.payload(mask_truncated=True)    # what the trainer gets
    group.metadata                        # what a saved row remembers

Index and order never change: rollout i, verdict i and reward i belong together from the moment the
group is made, which fails when their numbers differ.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rgenv.answers import Message, extract_answer, format_violation
from rgenv.metrics import Outcomes
from rgenv.problems import Problem
from rgenv.rewards import SOLVED, length_penalty, without_noise
from rgenv.scoring import Verdict


@dataclass(frozen=True)
class Rollout:
    """One completion with all that belongs to it.

    tokens, masks and logprobs have one entry a token, prompt included (masks -100 and logprobs 1.0
    there); `budget` is the most tokens the completion could have had; `thinking_opened` says that
    the prompt's template ends inside a think block.
    """

    problem: Problem
    messages: tuple[Message, ...]
    text: str
    tokens: list[int]
    masks: list[int]
    logprobs: list[float]
    finish_reason: str
    budget: int
    thinking_opened: bool = False

    @property
    def length(self) -> int:
        """Tokens of the completion, the prompt not counted."""
        return len(self.masks) - self.masks.count(-100)

    @property
    def truncated(self) -> bool:
        """Whether it was cut by length."""
        return self.finish_reason == "length"

    @functools.cached_property
    def answer(self) -> str | None:
        """The one answer outside the thinking; None when the format is broken."""
        return extract_answer(self._whole)

    @property
    def violation(self) -> str | None:
        """How the format is broken, in words."""
        return format_violation(self._whole)

    @property
    def _whole(self) -> str:
        return f"<think>{self.text}" if self.thinking_opened else self.text


@dataclass(frozen=True)
class Group:
    """A scored group; `rewards` are the scores after the length penalty.

    `group_id` is the same in what is sent and in what is saved.
    """

    rollouts: tuple[Rollout, ...]
    verdicts: tuple[Verdict, ...]
    rewards: tuple[float, ...]
    group_id: str = field(default_factory=lambda: uuid.uuid4().hex)

    @classmethod
    def of(cls, rollouts: Sequence[Rollout], verdicts: Sequence[Verdict]) -> Group:
        """Put rollouts, verdicts and rewards together.

        Raises:
            ValueError: not one verdict for each rollout.
        """
        rewards = length_penalty(
            [verdict.score for verdict in verdicts],
            lengths=[rollout.length for rollout in rollouts],
            budget=rollouts[0].budget,
        )
        return cls(tuple(rollouts), tuple(verdicts), tuple(rewards))

    @property
    def problem(self) -> Problem:
        """The one problem of all its rollouts."""
        return self.rollouts[0].problem

    @property
    def scores(self) -> list[float]:
        """What the verifier gave, before the length penalty."""
        return [verdict.score for verdict in self.verdicts]

    @property
    def kinds(self) -> list[str]:
        """What became of each answer."""
        return [verdict.kind for verdict in self.verdicts]

    @property
    def truncated(self) -> list[bool]:
        """Which completions were cut by length."""
        return [rollout.truncated for rollout in self.rollouts]

    def evidence(self, *, count_truncated: bool) -> list[float]:
        """The scores that say something about the model, not about the verifier."""
        return [
            verdict.score
            for verdict, cut in zip(self.verdicts, self.truncated, strict=True)
            if verdict.says_something and (count_truncated or not cut)
        ]

    def informative(self, *, min_spread: float) -> bool:
        """Whether the rewards that the trainer gets differ, so that it can learn from them."""
        return len(set(without_noise(self.rewards, min_spread=min_spread))) > 1

    def outcomes(self, informative: bool) -> Outcomes:
        """What is counted of the group."""
        return Outcomes(
            scores=self.scores,
            rewards=self.rewards,
            kinds=self.kinds,
            truncated=self.truncated,
            tokens=[rollout.length for rollout in self.rollouts],
            informative=[informative] * len(self.rollouts),
        )

    @property
    def _recipe(self) -> dict[str, Any]:
        return {**self.problem.recipe, "level": self.problem.level}

    def payload(self, *, mask_truncated: bool) -> dict[str, Any]:
        """The group as Atropos' ScoredDataGroup: parallel lists, plain numbers, JSON-able.

        Args:
            mask_truncated: give completions that were cut by length no advantage.
        """
        return {
            "tokens": [rollout.tokens for rollout in self.rollouts],
            "masks": [rollout.masks for rollout in self.rollouts],
            "scores": [float(reward) for reward in self.rewards],
            "inference_logprobs": [rollout.logprobs for rollout in self.rollouts],
            "messages": [list(rollout.messages) for rollout in self.rollouts],
            "overrides": [
                {"set_advantage_to_zero": True} if mask_truncated and cut else {}
                for cut in self.truncated
            ],
            "group_overrides": {
                "group_id": self.group_id,
                **self._recipe,
                "kinds": self.kinds,
                "finish_reasons": [rollout.finish_reason for rollout in self.rollouts],
            },
        }

    @property
    def metadata(self) -> dict[str, Any]:
        """What makes a saved row reproducible and explains its scores.

        Text that is not there is empty, not None: a file of Nones only has a column without type,
        which readers of several files can't put together.
        """
        return {
            "group_id": self.group_id,
            **self._recipe,
            "recipe": self.problem.recipe,
            "answer": self.problem.answer or "",
            "raw_scores": self.scores,
            "solved": [score >= SOLVED for score in self.scores],
            "extracted": [rollout.answer or "" for rollout in self.rollouts],
            "finish_reasons": [rollout.finish_reason for rollout in self.rollouts],
            "verdicts": self.kinds,
        }
