"""The values that travel through rgenv, all of them frozen.

A *problem* is made from its recipe. The model writes *completions* for it; a completion with its
tokens and its extracted answer is a *rollout*. The pool gives a *verdict* on each answer. The
rollouts of one problem with their verdicts and rewards are a *group*. An evaluated completion, as
it is saved, is a *sample*. CONTRIBUTING.md has the whole glossary.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Message = dict[str, str]
"""One message of a conversation: ``role`` and ``content``."""

ProblemKey = tuple[str, int, float | None]
"""Task, seed and level: what names a problem within a run, whose task parameters are fixed."""

Sample = dict[str, Any]
"""One evaluated completion, JSON-able; evaluation/runner.py says which keys it has."""

Kind = Literal["scored", "no_answer", "too_large", "rejected", "error", "timeout", "crashed"]
KINDS: tuple[Kind, ...] = (
    "scored",
    "no_answer",
    "too_large",
    "rejected",
    "error",
    "timeout",
    "crashed",
)
"""What can become of an answer: scored; no_answer, the format is broken; too_large; rejected by the
guard; error, timeout or crashed in the verifier."""


@dataclass(frozen=True)
class Problem:
    """One problem, as the world outside the workers knows it.

    Attributes:
        task: the name reasoning-gym registers it under.
        seed: reasoning-gym's seed.
        level: the difficulty in [0, 1] that `config` was made from; None for the task's defaults.
        config: keyword parameters for reasoning-gym, beside the seed.
        question: what the model is asked.
        answer: the reference answer; None where the library keeps none and only checks.
        winnable: False where the verifier rejects the reference answer, so nobody can score.
    """

    task: str
    seed: int
    level: float | None
    config: Mapping[str, Any]
    question: str = field(repr=False)
    answer: str | None = field(repr=False)
    winnable: bool = field(default=True, repr=False)

    def __str__(self) -> str:
        """The question: what frameworks that know no problems show a model."""
        return self.question

    @property
    def recipe(self) -> dict[str, Any]:
        """What makes this problem again in any worker; JSON-able."""
        return {"task": self.task, "config": dict(self.config), "seed": self.seed}

    @property
    def key(self) -> ProblemKey:
        """What names this problem within a run."""
        return self.task, self.seed, self.level

    @property
    def prompt_hash(self) -> int:
        """64 bits of the question: equal questions are equal problems, whatever their recipes."""
        digest = hashlib.blake2b(self.question.encode("utf-8", "surrogatepass"), digest_size=8)
        return int.from_bytes(digest.digest(), "big")


@dataclass(frozen=True)
class Verdict:
    """The score of one answer and how it came about.

    Attributes:
        score: the better of the two forms' scores, in [0, 1].
        kind: what became of the answer.
        raw: the score of the answer as it is; None where it was not scored.
        tagged: the score of ``<answer>answer</answer>``; None where it was not scored.
        detail: what went wrong, in words.
    """

    score: float
    kind: Kind
    raw: float | None = None
    tagged: float | None = None
    detail: str = ""

    @property
    def reflects_model(self) -> bool:
        """Whether the score is the model's doing, not a failure of the verifier."""
        return self.kind not in ("error", "timeout", "crashed")


@dataclass(frozen=True)
class Rollout:
    """One completion with all that belongs to it.

    Attributes:
        problem: what was asked.
        prompt: the templated prompt, as the model read it.
        messages: the whole conversation, the completion as its last message.
        text: the completion.
        answer: the one answer outside the thinking; None when the format is broken.
        violation: how the format is broken, in words; None when it is not.
        tokens: token ids of prompt and completion.
        masks: the same, with -100 for the prompt.
        logprobs: log probabilities, 1.0 for the prompt.
        finish_reason: ``stop`` or ``length``, as the server says it.
        budget: the most tokens the completion could have had.
    """

    problem: Problem
    prompt: str
    messages: tuple[Message, ...]
    text: str
    answer: str | None
    violation: str | None
    tokens: list[int]
    masks: list[int]
    logprobs: list[float]
    finish_reason: str
    budget: int

    @property
    def length(self) -> int:
        """Tokens of the completion, without the prompt."""
        return len(self.masks) - self.masks.count(-100)

    @property
    def truncated(self) -> bool:
        """Whether the completion was cut by length."""
        return self.finish_reason == "length"


@dataclass(frozen=True)
class Group:
    """The scored completions of one problem.

    Rollout i, verdict i and reward i belong together; order and length never change.

    Attributes:
        rewards: what the trainer gets: the scores after the length penalty.
        group_id: the same in what is sent and in what is saved.
    """

    rollouts: tuple[Rollout, ...]
    verdicts: tuple[Verdict, ...]
    rewards: tuple[float, ...]
    group_id: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def problem(self) -> Problem:
        """The one problem of all rollouts."""
        return self.rollouts[0].problem

    @property
    def scores(self) -> list[float]:
        """What the verifier gave, before the length penalty."""
        return [verdict.score for verdict in self.verdicts]

    @property
    def kinds(self) -> list[Kind]:
        """What became of each answer."""
        return [verdict.kind for verdict in self.verdicts]

    @property
    def truncated(self) -> list[bool]:
        """Which completions were cut by length."""
        return [rollout.truncated for rollout in self.rollouts]
