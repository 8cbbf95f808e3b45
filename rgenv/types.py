"""The value types that rgenv's packages exchange; all are frozen.

A *problem* is made from its recipe. The model writes *completions* for it; a completion with its
tokens and its extracted answer is a *rollout*. The worker pool returns a *verdict* on each answer.
The rollouts of one problem with their verdicts and rewards are a *group*. A *sample* is one
completion of an evaluation, as it is saved. CONTRIBUTING.md has the whole glossary.
"""

import functools
import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from rgenv.dialogue.prompts import DIALOGUE, Dialogue
from rgenv.task_names import HARDENED

Message = dict[str, str]
"""One message of a conversation: ``role`` and ``content``."""

ProblemKey = tuple[str, int, float | None]
"""Task, seed and level. They identify a problem within a run, because task parameters are fixed."""


Sample = dict[str, Any]
"""One completion of an evaluation, JSON-able; evaluation/runner.py lists its keys."""

MOST_WORKERS = 1024
"""The most worker processes of one pool."""

SOLVED = 0.99
"""The least score of a solved completion; accuracy is the share of solved completions."""

Kind = Literal[
    "scored",
    "no_answer",
    "refused",
    "tool_call",
    "empty",
    "too_large",
    "rejected",
    "error",
    "timeout",
    "crashed",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Kinds of verdicts.

- scored: the verifier gave a score.
- no_answer: the format is broken, or the answer is empty.
- refused, tool_call, empty: a chat server returned a refusal, a call of a tool, or no text, though
  the completion was not cut.
- too_large: the answer is too long to be scored.
- rejected: the worker's guard refused the answer.
- error, timeout, crashed: the verifier raised an exception, took too long, or ended its process.
"""


@dataclass(frozen=True)
class Problem:
    """One problem, without the library's objects, which stay in the workers.

    Attributes:
        seed: the seed that was asked for; without a level, reasoning-gym's seed.
        level: the difficulty in [0, 1] that `config` was made from; None for the task's defaults.
        config: keyword parameters for reasoning-gym, without the seed.
        question: all that the model is asked: reasoning-gym's question, and a sentence where that
            leaves out what the verifier demands.
        answer: the reference answer; None if the library has only a verifier.
        winnable: False if the problem has no provable answer, or the verifier rejects it; such
            problems are not served.
        drawn_seed: reasoning-gym's seed. At a level it is drawn by `seed`; None: the same.
        family: the same number for problems of a task that only its symmetries tell apart, such as
            the order of numbers; each file of rgenv/tasks says which.
        held_out: whether the family is reserved for evaluation, in every run.
        source: the hash of the source that made it; empty if it is not known. That of a user's own
            task begins with ``own:``.
        covered: whether our corrections apply to that source.
        hardened: whether it is a harder problem of our own, and not reasoning-gym's.
        dialogue: how it is asked, and how completions are read.
    """

    task: str
    seed: int = field(compare=False)  # problems that two seeds draw may be the same
    level: float | None
    config: Mapping[str, Any]
    question: str = field(repr=False)
    answer: str | None = field(repr=False)
    winnable: bool = field(default=True, repr=False)
    drawn_seed: int | None = field(default=None, repr=False)
    family: int = field(default=0, repr=False)
    held_out: bool = field(default=False, repr=False)
    source: str = field(default="", repr=False, compare=False)
    covered: bool = field(default=True, repr=False, compare=False)
    hardened: bool = field(default=False, repr=False)
    dialogue: Dialogue = field(default=DIALOGUE, repr=False, compare=False)

    def __str__(self) -> str:
        """Return the question, so that frameworks that expect text show it to the model."""
        return self.question

    @property
    def made_from(self) -> dict[str, Any]:
        """What any worker makes this problem from again, and its level; JSON-able.

        A hardened problem says so. A problem of a user's own task has its source, too, because its
        file may change.
        """
        return {
            "task": self.task,
            "config": dict(self.config),
            "seed": self.seed if self.drawn_seed is None else self.drawn_seed,
            "level": self.level,
            **({"problems": HARDENED} if self.hardened else {}),
            **({"source": self.source} if self.is_own else {}),
        }

    @property
    def recipe(self) -> dict[str, Any]:
        """What makes this problem again, and how its completions are read if not by default."""
        return self.made_from | self.dialogue.reading.recipe

    @property
    def is_own(self) -> bool:
        """Whether its task is a user's own."""
        return self.source.startswith("own:")

    @property
    def messages(self) -> list[Message]:
        """The conversation that asks this problem: as a rule, system prompt and question."""
        return self.dialogue.messages(self.question)

    @property
    def key(self) -> ProblemKey:
        """The identity of this problem within a run."""
        return self.task, self.seed, self.level

    @property
    def prompt_hash(self) -> int:
        """A 64-bit hash of the question. Equal questions count as the same problem."""
        digest = hashlib.blake2b(self.question.encode("utf-8", "surrogatepass"), digest_size=8)
        return int.from_bytes(digest.digest(), "big")


@dataclass(frozen=True)
class Inspection:
    """What is known about a problem besides its text.

    Attributes:
        shortcuts: name of a rule that does not solve the problem -> the rule's answer.
        work: a measure of the work that the problem takes, comparable within its task; None if
            the task has no such measure.
        accepted: rule of `validate` -> why the task may break it.
    """

    shortcuts: Mapping[str, str]
    work: float | None
    accepted: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """The score of one answer and the reason for it.

    Attributes:
        score: the greater of `raw` and `tagged`, in [0, 1]; 0 if neither was computed.
        raw: the score of the answer as it is; None if it was not computed.
        tagged: the score of ``<answer>answer</answer>``; None if it was not computed.
        detail: a description of what went wrong; empty if nothing did.
    """

    score: float
    kind: Kind
    raw: float | None = None
    tagged: float | None = None
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether the verifier raised an exception or ended its process, so it judged nothing."""
        return self.kind in ("error", "crashed")

    @property
    def reflects_model(self) -> bool:
        """Whether the score depends on the model alone: the verifier neither failed nor hung."""
        return not self.failed and self.kind != "timeout"


Instead = Literal["refused", "tool_call", "empty"]
"""What a chat server may return in place of a completion; a kind of verdict, too."""


@dataclass(frozen=True)
class Reply:
    """One completion of an evaluation, as an inference server returned it.

    Attributes:
        tokens: length of the completion; None if the server does not report it.
        reasoning: what the server returned beside the completion; it is never scored.
        instead: what `text` is if the server returned no completion; it is not scored then.
    """

    messages: Sequence[Message]
    text: str
    finish_reason: str
    tokens: int | None = None
    reasoning: str = ""
    instead: Instead | None = None


@dataclass(frozen=True)
class Rollout:
    """One completion with its prompt, tokens and extracted answer.

    Attributes:
        prompt: the text of the prompt, after the chat template.
        messages: the whole conversation; the completion is the last message.
        answer: the one answer outside the thinking; None if the format is broken.
        violation: a description of how the format is broken; None if it is not.
        tokens: token ids of prompt and completion.
        masks: the same token ids, with -100 in place of the prompt's.
        finish_reason: ``stop`` or ``length``, from the server.
        budget: the maximum length of the completion in tokens.
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

    @functools.cached_property
    def length(self) -> int:
        """The length of the completion in tokens, without the prompt."""
        return len(self.masks) - self.masks.count(-100)

    @property
    def truncated(self) -> bool:
        """Whether the completion was cut at the token limit."""
        return self.finish_reason == "length"


@dataclass(frozen=True)
class Group:
    """The scored completions of one problem.

    Rollout i, verdict i and reward i belong together.

    Attributes:
        rewards: what the trainer gets (rgenv/rollouts/rewards.py).
        masked: for each completion, whether the trainer gives it no advantage.
        group_id: identifies the group both at the trainer and in saved rollouts.
    """

    rollouts: tuple[Rollout, ...]
    verdicts: tuple[Verdict, ...]
    rewards: tuple[float, ...]
    masked: tuple[bool, ...]
    group_id: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def problem(self) -> Problem:
        """The problem that all rollouts share."""
        return self.rollouts[0].problem

    @property
    def opening(self) -> str:
        """The tag with which the prompt opens the thinking, and the space behind it; or nothing."""
        return self.problem.dialogue.reading.opening(self.rollouts[0].prompt)

    @property
    def scores(self) -> list[float]:
        """The scores of the verdicts, before the length penalty."""
        return [verdict.score for verdict in self.verdicts]

    @property
    def kinds(self) -> list[Kind]:
        """The kind of each verdict."""
        return [verdict.kind for verdict in self.verdicts]

    @property
    def truncated(self) -> list[bool]:
        """For each completion, whether it was cut at the token limit."""
        return [rollout.truncated for rollout in self.rollouts]
