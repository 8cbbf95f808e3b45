"""What one line of a file says: a group, a sample, or the metrics of a step.

::

    found = read_line(b'{"item_id": "gcd", "rollouts": [...], "metadata": {...}}', "a.jsonl:1")
    found.task, found.recipe, found.rollouts[0].text    # SavedGroup, MetricsRow, or None: foreign

A line may hold anything, so nothing of it is trusted: what has another type than it should have is
missing. docs/formats.md describes the lines.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

from rgenv.storage.files import parse_json

MAX_NAME = 200
"""Characters of a name or an id."""

MAX_ROLLOUTS = 4096
"""Rollouts of a group, as many as `group_size` may be; a longer list is no group of ours."""

Kind = Literal["rollouts", "groups", "samples"]
"""A saved group, a group as the trainer gets it, or a sample of an evaluation."""


@dataclass(slots=True)
class SavedRollout:
    """A completion; None: the file does not say.

    Attributes:
        conversation: all messages, the completion as the last one; empty if the file has no texts.
        verdict: kind of the verdict; empty if unknown.
        finish_reason: empty if unknown.
        tokens: length of the completion.
        extracted: the answer as it was saved.
    """

    conversation: list[Any] = field(repr=False)
    reward: float | None
    score: float | None
    verdict: str
    finish_reason: str
    tokens: int | None = None
    extracted: Any = None

    @property
    def text(self) -> str:
        """The completion; empty if the file has no texts."""
        return text_of(mapping(self.conversation[-1]).get("content")) if self.conversation else ""

    @property
    def cut(self) -> bool:
        """Whether it was cut at the token limit."""
        return self.finish_reason == "length"


@dataclass(slots=True)
class SavedGroup:
    """One line: a group or, of an evaluation, one completion.

    Attributes:
        group: the id of the group, or of the problem within its evaluation.
        index: the index of the completion for a sample; else 0.
        category: empty if the line does not name it.
        time: seconds since 1970 at which it was saved, if known.
        recipe: what makes the problem again; empty if the line does not say.
        answer: the reference answer; None if the line does not say.
        question: of a sample, as it is asked.
        failure: of a sample, why there is no completion; None: there is one.
    """

    kind: Kind
    group: str
    index: int
    task: str
    category: str
    level: float | None
    time: float | None
    recipe: Mapping[str, Any]
    answer: Any = field(repr=False)
    rollouts: list[SavedRollout] = field(repr=False)
    question: Any = field(default=None, repr=False)
    failure: Any = None


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
    names = ("raw_scores", "verdicts", "finish_reasons", "completion_tokens", "extracted")
    rows = list(zip_longest(*(listed(about.get(name)) for name in names)))[: len(rollouts)]
    rows += [(None,) * len(names)] * (len(rollouts) - len(rows))
    return SavedGroup(
        "rollouts",
        name_of(about.get("group_id")) or place,
        0,
        name_of(about.get("task")) or name_of(line.get("item_id")) or "unknown",
        "",
        number_of(about.get("level")),
        number_of(about.get("time")),
        mapping(about.get("recipe")) or _some(about, "task", "config", "seed"),
        about.get("answer"),
        [
            SavedRollout(
                listed(rollout.get("conversation")),
                number_of(rollout.get("score")),
                number_of(score),
                name_of(verdict),
                name_of(reason),
                _whole(tokens),
                extracted,
            )
            for rollout, (score, verdict, reason, tokens, extracted) in zip(
                rollouts, rows, strict=True
            )
        ],
    )


def _trainer_group(line: dict[str, Any], place: str) -> SavedGroup | None:
    rewards = listed(line["scores"])
    if not 0 < len(rewards) <= MAX_ROLLOUTS or not isinstance(line.get("masks"), list):
        return None
    about = mapping(line.get("group_overrides"))
    conversations, masks = listed(line.get("messages")), listed(line["masks"])
    kinds, reasons = listed(about.get("kinds")), listed(about.get("finish_reasons"))
    rollouts = []
    for index, reward in enumerate(rewards):
        mask = listed(_at(masks, index))
        rollouts.append(
            SavedRollout(
                listed(_at(conversations, index)),
                number_of(reward),
                None,
                name_of(_at(kinds, index)),
                name_of(_at(reasons, index)),
                len(mask) - mask.count(-100) if mask else None,
            )
        )
    return SavedGroup(
        "groups",
        name_of(about.get("group_id")) or place,
        0,
        name_of(about.get("task")) or "unknown",
        "",
        number_of(about.get("level")),
        None,
        _some(about, "task", "config", "seed"),
        None,
        rollouts,
    )


def _sample(line: dict[str, Any], place: str) -> SavedGroup | None:
    name = line.get("id")
    if not isinstance(name, str) or "task" not in line:
        return None
    failure = line.get("error")
    rollout = SavedRollout(
        listed(line.get("messages")),
        None,
        number_of(line.get("score")),
        "failed" if failure is not None else name_of(line.get("verdict")),
        name_of(line.get("finish_reason")),
        _whole(line.get("completion_tokens")),
        line.get("model_parsed") or "",
    )
    return SavedGroup(
        "samples",
        name.rpartition("/")[0][:MAX_NAME] or place,
        int(number_of(line.get("sample")) or 0),
        name_of(line["task"]) or "unknown",
        name_of(line.get("category")),
        number_of(line.get("level")),
        None,
        mapping(line.get("recipe")),
        line.get("gold_answer"),
        [rollout],
        line["question"],
        failure,
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


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    """Return a list; an empty one for anything else."""
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


def _some(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}
