"""What one line of a file says: a group, a sample, or the metrics of a step.

A line may hold anything, so nothing of it is trusted: what has another type than it should have is
missing. docs/formats.md describes the lines. This is the only reader of groups: `view`, `export`,
`validate --dump` and an evaluation that continues have it in common.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rgenv.dialogue.reading import READING, Reading
from rgenv.storage.files import parse_json
from rgenv.types import KINDS

MAX_NAME = 200
"""Characters of a name or an id."""

MAX_ROLLOUTS = 4096
"""Rollouts of a group, as many as `group_size` may be; a longer list is no group of ours."""

MOST_TOKENS = 1 << 40
"""Of a completion; a larger number is a lie."""

OF_RECIPE = ("task", "config", "seed", "problems", "answer_format", "think_tags")

Kind = Literal["rollouts", "groups", "samples"]
"""A saved group, a group as the trainer gets it, or a sample of an evaluation."""


@dataclass(slots=True)
class SavedRollout:
    """A completion; None, or nothing: the file does not say.

    Attributes:
        conversation: all messages, the completion as the last one.
        verdict: kind of the verdict.
        tokens: length of the completion.
        opening: ``<think>``, and the space behind it, where the prompt ended with it.
    """

    conversation: list[Any] = field(repr=False)
    reward: float | None = None
    score: float | None = None
    verdict: str = ""
    finish_reason: str = ""
    tokens: int | None = None
    opening: str = ""

    @property
    def text(self) -> str:
        """The completion; empty if the file has no texts."""
        return text_of(mapping(self.conversation[-1]).get("content")) if self.conversation else ""

    @property
    def whole(self) -> str:
        """The completion after the tag with which its prompt opened the thinking."""
        return f"{self.opening}{self.text}"

    @property
    def question(self) -> str | None:
        users = [m for m in map(mapping, self.conversation[:-1]) if m.get("role") == "user"]
        return text_of(users[-1].get("content")) if users else None

    @property
    def cut(self) -> bool:
        return self.finish_reason == "length"


@dataclass(slots=True)
class SavedGroup:
    """One line: a group or, of an evaluation, one completion. None, or nothing: it does not say.

    Attributes:
        group: the id of the group, or of the problem within its evaluation.
        index: the index of the completion for a sample; else 0.
        time: seconds since 1970 at which it was saved.
        recipe: what makes the problem again.
        run: the id of the run that saved it.
        source: the hash of the library's source that made the problem.
        question: of a sample, as it is asked.
        failure: of a sample, why there is no completion; None: there is one.
    """

    kind: Kind
    group: str
    task: str
    rollouts: list[SavedRollout] = field(repr=False)
    index: int = 0
    category: str = ""
    level: float | None = None
    time: float | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)
    answer: Any = field(default=None, repr=False)
    run: str = ""
    source: str = ""
    question: Any = field(default=None, repr=False)
    failure: Any = None

    @property
    def reading(self) -> Reading:
        """How its completions were read, as far as the recipe says so in words that make sense."""
        try:
            return Reading.of_recipe(self.recipe)
        except (TypeError, ValueError):
            return READING


@dataclass(slots=True)
class MetricsRow:
    """One line of metrics.jsonl, with its numbers only."""

    run: str
    step: float
    time: float
    values: dict[str, float] = field(repr=False)


def read_line(content: bytes, place: str) -> SavedGroup | MetricsRow | None:
    """Return what a line says; None if it is neither a group nor metrics.

    Args:
        place: the id of a group that has none.
    """
    try:
        line = parse_json(content)
    except ValueError:
        return None
    if not isinstance(line, dict):
        return None
    for key, reader in _READERS.items():
        if key in line:
            return reader(line, place)
    return None


def _saved_group(line: dict[str, Any], place: str) -> SavedGroup | None:
    rollouts = [mapping(rollout) for rollout in listed(line["rollouts"])]
    if not 0 < len(rollouts) <= MAX_ROLLOUTS:
        return None
    about = mapping(line.get("metadata"))
    scores, verdicts = listed(about.get("raw_scores")), listed(about.get("verdicts"))
    reasons, tokens = listed(about.get("finish_reasons")), listed(about.get("completion_tokens"))
    return SavedGroup(
        "rollouts",
        name_of(about.get("group_id")) or place,
        name_of(about.get("task")) or name_of(line.get("item_id")) or "unknown",
        [
            SavedRollout(
                listed(rollout.get("conversation")),
                reward=number_of(rollout.get("score")),
                score=number_of(_at(scores, index)),
                verdict=name_of(_at(verdicts, index)),
                finish_reason=name_of(_at(reasons, index)),
                tokens=_whole(_at(tokens, index)),
                opening=name_of(about.get("opening")),
            )
            for index, rollout in enumerate(rollouts)
        ],
        level=number_of(about.get("level")),
        time=number_of(about.get("time")),
        recipe=mapping(about.get("recipe")),
        answer=about.get("answer"),
        run=name_of(about.get("run")),
        source=name_of(about.get("source")),
    )


def _trainer_group(line: dict[str, Any], place: str) -> SavedGroup | None:
    rewards = listed(line["scores"])
    if not 0 < len(rewards) <= MAX_ROLLOUTS or not isinstance(line.get("masks"), list):
        return None
    about = mapping(line.get("group_overrides"))
    conversations, masks = listed(line.get("messages")), listed(line["masks"])
    kinds, reasons = listed(about.get("kinds")), listed(about.get("finish_reasons"))
    return SavedGroup(
        "groups",
        name_of(about.get("group_id")) or place,
        name_of(about.get("task")) or "unknown",
        [
            SavedRollout(
                listed(_at(conversations, index)),
                reward=number_of(reward),
                verdict=name_of(_at(kinds, index)),
                finish_reason=name_of(_at(reasons, index)),
                tokens=_length(listed(_at(masks, index))),
                opening=name_of(about.get("opening")),
            )
            for index, reward in enumerate(rewards)
        ],
        level=number_of(about.get("level")),
        recipe={name: about[name] for name in OF_RECIPE if name in about},
    )


def _length(mask: list[Any]) -> int | None:
    return len(mask) - mask.count(-100) if mask else None


def _sample(line: dict[str, Any], place: str) -> SavedGroup | None:
    if not is_sample(line):
        return None
    failure = line.get("error")
    rollout = SavedRollout(
        line.get("messages", []),
        score=line.get("score"),
        verdict="failed" if failure is not None else line["verdict"],
        finish_reason=line.get("finish_reason", ""),
        tokens=line.get("completion_tokens"),
    )
    return SavedGroup(
        "samples",
        line["id"].rpartition("/")[0][:MAX_NAME] or place,
        name_of(line["task"]),
        [rollout],
        index=int(number_of(line.get("sample")) or 0),
        category=name_of(line["category"]),
        level=line["level"],
        recipe=mapping(line.get("recipe")),
        answer=line["gold_answer"],
        question=line["question"],
        failure=failure,
    )


def _metrics(line: dict[str, Any], place: str) -> MetricsRow | None:
    step, time = number_of(line["step"]), number_of(line.get("time"))
    if step is None or time is None:
        return None
    values = {
        name: number for name, value in line.items() if (number := number_of(value)) is not None
    }
    return MetricsRow(name_of(line.get("run")), step, time, values)


_READERS: dict[str, Callable[[dict[str, Any], str], SavedGroup | MetricsRow | None]] = {
    "rollouts": _saved_group,
    "scores": _trainer_group,
    "question": _sample,
    "step": _metrics,
}


# Samples of evaluations

Check = Callable[[Any], bool]


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1  # NaN is not


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value <= MOST_TOKENS


def _is_conversation(value: Any) -> bool:
    is_list = isinstance(value, list) and bool(value)
    return is_list and all(isinstance(one, dict) and "content" in one for one in value)


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _is(kind: type) -> Check:
    return lambda value: isinstance(value, kind)


_ALWAYS: dict[str, Check] = {
    **dict.fromkeys(("id", "task", "category", "question"), _is(str)),
    "seed": _is(int),
    "level": _or_none(_is_share),
    "gold_answer": _or_none(_is(str)),
}
_SCORED: dict[str, Check] = {
    "score": _is_share,
    "correct": _is(bool),
    "verdict": KINDS.__contains__,
    "finish_reason": _is(str),
    "completion_tokens": _or_none(_is_count),
    "model_parsed": _or_none(_is(str)),
    "messages": _is_conversation,
}
"""Key -> whether a value is one that it may have; evaluation/runner.py describes the keys."""


def is_sample(value: Any) -> bool:
    """Return whether a value has what all samples have, in their types.

    Other environments of Atropos save theirs under the same file name.
    """
    if not isinstance(value, dict) or not isinstance(value.get("family", 0), int):
        return False
    checks = _ALWAYS | (_SCORED if "score" in value else {"error": _is(str)})
    return all(key in value and check(value[key]) for key, check in checks.items())


# Values of any type


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a text; of anything else, its JSON, and nothing for None."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def name_of(value: Any) -> str:
    """Return the first characters of a text; an empty one for anything else."""
    return value[:MAX_NAME] if isinstance(value, str) else ""


def number_of(value: Any) -> float | None:
    """Return a finite number, also for a truth value; else None."""
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _whole(value: Any) -> int | None:
    number = number_of(value)
    return None if number is None else int(number)


def _at(values: Sequence[Any], index: int) -> Any:
    return values[index] if -len(values) <= index < len(values) else None


# Groups whose problem was asked again


class LastGroups:
    """Knows the last group of each problem of each run: the one with which the trainer went on.

    A run has a second group of a problem only if the process was killed before the first one was
    delivered, or the trainer went back to a step before it.
    """

    def __init__(self) -> None:
        self._last: dict[bytes, tuple[float, str]] = {}

    def add(self, saved: SavedGroup) -> str:
        """Return the id of the group that no longer counts, this one or another; "" for none."""
        if not saved.run:  # then nothing tells groups of different runs apart
            return ""
        problem = json.dumps([saved.run, saved.recipe], sort_keys=True)
        key = hashlib.blake2b(problem.encode(), digest_size=12).digest()
        new = saved.time or 0.0, saved.group
        old = self._last.setdefault(key, new)
        if old[1] == new[1]:
            return ""
        if old[0] > new[0]:
            return new[1]
        self._last[key] = new
        return old[1]
