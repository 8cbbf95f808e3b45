"""Which completions of a saved group may be exported, with their whole texts.

A completion that was cut, whose verifier failed, or of which the file does not say so, is never
exported, whatever its score.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rgenv.runtime.saved_lines import SavedGroup, SavedRollout
from rgenv.types import KINDS, Message, Verdict

Reason = Literal["cut", "failed", "unjudged", "empty"]
"""Why a completion is not exported: cut at the token limit, not scored, of a file that does not say
either, without text."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion that may be exported.

    Attributes:
        index: its place in the group.
        text: all that the model wrote, after the tag with which the prompt opened its thinking.
        reward: the score if the file has no reward.
    """

    index: int
    text: str = field(repr=False)
    score: float
    reward: float


@dataclass(frozen=True, slots=True)
class Usable:
    """What may be exported of a group.

    Attributes:
        prompt: the messages that all completions answer; empty if the file has no texts.
        left_out: reason -> number of completions.
    """

    prompt: list[Message]
    completions: list[Completion]
    left_out: Counter[Reason]

    @property
    def question(self) -> str:
        """The last message of the user."""
        return next((m["content"] for m in reversed(self.prompt) if m["role"] == "user"), "")


def usable(group: SavedGroup) -> Usable:
    found = Usable([], [], Counter())
    for index, rollout in enumerate(group.rollouts):
        prompt = _prompt(rollout.conversation)
        if prompt is None or found.prompt not in ([], prompt):
            continue
        found.prompt[:] = prompt
        reason = _reason(rollout)
        if reason is not None:
            found.left_out[reason] += 1
            continue
        score = _score(rollout)
        reward = score if rollout.reward is None else rollout.reward
        found.completions.append(Completion(index, unicode_only(rollout.whole), score, reward))
    return found


def _reason(rollout: SavedRollout) -> Reason | None:
    if rollout.cut:
        return "cut"
    if not rollout.verdict or not rollout.finish_reason:
        return "unjudged"
    known = [kind for kind in KINDS if kind == rollout.verdict]
    judged = bool(known) and Verdict(0.0, known[0]).reflects_model
    if not judged or not 0 <= _score(rollout) <= 1:
        return "failed"
    return None if rollout.text.strip() else "empty"


def _score(rollout: SavedRollout) -> float:
    """Return the score; the reward where a file of groups has only that, and -1 without both."""
    for number in (rollout.score, rollout.reward):
        if number is not None:
            return number
    return -1.0


def _prompt(conversation: Sequence[Mapping[str, Any]]) -> list[Message] | None:
    """Return the messages before the completion; None if this is no conversation with texts."""
    messages: list[Message] = []
    for message in conversation:
        role, content = message.get("role"), message.get("content")
        if not isinstance(role, str) or not isinstance(content, str):
            return None
        messages.append({"role": unicode_only(role), "content": unicode_only(content)})
    roles = [message["role"] for message in messages]
    return messages[:-1] if roles[-1:] == ["assistant"] and "user" in roles[:-1] else None


def unicode_only(text: str) -> str:
    """Return a text without halves of surrogate pairs, which no file format can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
