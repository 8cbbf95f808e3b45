"""What one line of a saved file says: a group, a sample, or the metrics of a step.

docs/files.md describes the lines. One with values of other types is damaged or foreign.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from typing import Annotated, Any, Literal

import msgspec

from rgenv.dialogue.reading import READING, Reading
from rgenv.runtime.files import parse_json
from rgenv.types import Kind as VerdictKind

OF_RECIPE = ("task", "config", "seed", "problems", "answer_format", "think_tags")

Kind = Literal["rollouts", "groups", "samples"]
"""A saved group, a group as the trainer gets it, or a sample of an evaluation."""

Message = dict[str, Any]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class SavedRollout(msgspec.Struct):
    """A completion, the last message of its conversation; None: the file does not say.

    `opening` is ``<think>``, and the space behind it, where the prompt ended with it.
    """

    conversation: list[Message] = []
    reward: float | None = None
    score: float | None = None
    verdict: str = ""
    finish_reason: str = ""
    tokens: Count | None = None
    opening: str = ""

    @property
    def text(self) -> str:
        """The completion; empty if the file has no texts."""
        return text_of(self.conversation[-1].get("content")) if self.conversation else ""

    @property
    def whole(self) -> str:
        """The completion after the tag with which its prompt opened the thinking."""
        return f"{self.opening}{self.text}"

    @property
    def question(self) -> str | None:
        users = [one for one in self.conversation[:-1] if one.get("role") == "user"]
        return text_of(users[-1].get("content")) if users else None

    @property
    def cut(self) -> bool:
        return self.finish_reason == "length"


class SavedGroup(msgspec.Struct, rename={"group": "group_id"}):
    """One line: a group or, of an evaluation, one completion. None, or nothing: it does not say.

    Attributes:
        group: the id of the group, or of the problem within its evaluation.
        index: of the completion of a sample.
        failure: of a sample, why there is no completion; None: there is one.
    """

    kind: Kind
    rollouts: Annotated[list[SavedRollout], msgspec.Meta(min_length=1)]
    group: str = ""
    task: str = "unknown"
    index: Count = 0
    category: str = ""
    level: float | None = None
    time: float | None = None
    recipe: dict[str, Any] = {}
    answer: str | None = None
    run: str = ""
    source: str = ""
    question: str | None = None
    failure: str | None = None

    @property
    def reading(self) -> Reading:
        """How its completions were read; as by default if its recipe makes no sense."""
        try:
            return Reading.of_recipe(self.recipe)
        except (TypeError, ValueError):
            return READING


class MetricsRow(msgspec.Struct):
    """One line of metrics.jsonl, with its numbers only."""

    step: float
    time: float
    run: str = ""
    values: dict[str, float] = {}


def read_line(content: bytes, place: str) -> SavedGroup | MetricsRow | None:
    """Return what a line says; None if it is damaged, or something else than a group or metrics.

    Args:
        place: the id of a group that has none.
    """
    try:
        line = parse_json(content)
        found = next((reader(line) for key, reader in _READERS.items() if key in line), None)
    except (ValueError, TypeError, LookupError, AttributeError):
        return None
    if isinstance(found, SavedGroup):
        found.group = found.group or place
    return found


def _saved_group(line: dict[str, Any]) -> SavedGroup:
    about = {"task": line.get("item_id")} | line.get("metadata", {})
    return _group(
        "rollouts",
        about,
        conversation=[one.get("conversation") for one in line["rollouts"]],
        reward=[one.get("score") for one in line["rollouts"]],
        score=about.get("raw_scores"),
        verdict=about.get("verdicts"),
        finish_reason=about.get("finish_reasons"),
        tokens=about.get("completion_tokens"),
    )


def _trainer_group(line: dict[str, Any]) -> SavedGroup:
    about = line.get("group_overrides") or {}
    recipe = {name: about[name] for name in OF_RECIPE if name in about}
    return _group(
        "groups",
        {**about, "recipe": recipe},
        conversation=line.get("messages"),
        reward=line["scores"],
        verdict=about.get("kinds"),
        finish_reason=about.get("finish_reasons"),
        tokens=[len(mask) - mask.count(-100) if mask else None for mask in line["masks"]],
    )


def _group(kind: Kind, about: Mapping[str, Any], **columns: Iterable[Any] | None) -> SavedGroup:
    """Return a group whose rollouts have their values in columns; None is what a file lacks."""
    size = len(columns["reward"])  # type: ignore[arg-type]  # a list, or the line is damaged
    rows = zip(*(column or repeat(None, size) for column in columns.values()), strict=True)
    known = {name: value for name, value in about.items() if value is not None}
    opening = {"opening": known.get("opening", "")}
    rollouts = [
        opening | {name: x for name, x in zip(columns, row, strict=True) if x is not None}
        for row in rows
    ]
    return msgspec.convert({**known, "kind": kind, "rollouts": rollouts}, SavedGroup)


def _metrics(line: dict[str, Any]) -> MetricsRow:
    numbers = {name: value for name, value in line.items() if isinstance(value, int | float)}
    return msgspec.convert({**line, "values": numbers}, MetricsRow)


class _Sample(msgspec.Struct, kw_only=True):
    """A sample of an evaluation; evaluation/runner.py describes the keys."""

    id: str
    task: str
    category: str
    question: str
    seed: int
    level: Share | None
    gold_answer: str | None
    sample: Count = 0
    recipe: dict[str, Any] = {}
    error: str | None = None
    score: Share | None = None
    correct: bool | None = None
    verdict: VerdictKind | None = None
    finish_reason: str = ""
    completion_tokens: Count | None = None
    messages: list[Message] = []

    def __post_init__(self) -> None:
        judged = self.score is not None and self.correct is not None and self.verdict is not None
        if self.error is None and not (judged and self.messages):
            raise ValueError("it has neither an error nor a score")


def is_sample(value: Any) -> bool:
    """Return whether a value is a sample of ours; other environments use the same file name."""
    try:
        msgspec.convert(value, _Sample)
    except msgspec.ValidationError:
        return False
    return True


def _sample(line: dict[str, Any]) -> SavedGroup:
    one = msgspec.convert(line, _Sample)
    rollout = SavedRollout(
        one.messages,
        score=one.score,
        verdict="failed" if one.error is not None else str(one.verdict),
        finish_reason=one.finish_reason,
        tokens=one.completion_tokens,
    )
    return SavedGroup(
        "samples",
        [rollout],
        group=one.id.rpartition("/")[0],
        task=one.task,
        index=one.sample,
        category=one.category,
        level=one.level,
        recipe=one.recipe,
        answer=one.gold_answer,
        question=one.question,
        failure=one.error,
    )


_READERS: dict[str, Callable[[dict[str, Any]], SavedGroup | MetricsRow]] = {
    "rollouts": _saved_group,
    "scores": _trainer_group,
    "question": _sample,
    "step": _metrics,
}
"""The key by which a line is known -> what reads it."""


def text_of(value: Any) -> str:
    """Return a text; of anything else, its JSON, and nothing for None."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


class LastGroups:
    """Knows the last group of each problem of each run: the one with which the trainer went on.

    There are several if the process was killed, or the trainer went back to an earlier step.
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
