"""What one line of a file says: a group, a sample, or the metrics of a step.

::

    row = read_line(b'{"item_id": "gcd", "rollouts": [...], "metadata": {...}}', "dumps_0.jsonl:1")
    row.group, row.task, row.rollouts[0].reward     # Row, MetricsRow, or None for a foreign line

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

from rgenv.rollouts.answer_format import extract_answer, format_violation, parts
from rgenv.storage.files import parse_json

MAX_TEXT, HEAD = 20_000, 8_000
"""Characters of a completion or a prompt that are kept; of a longer one the first `HEAD`, and the
rest from its end."""

MAX_NAME = 200
"""Characters of a name or an id."""

Kind = Literal["rollouts", "groups", "samples"]
"""A saved group, a group as the trainer gets it, or a sample of an evaluation."""


@dataclass(slots=True)
class Outcome:
    """The numbers of one rollout; None: the file does not say.

    Attributes:
        verdict: kind of the verdict; empty if unknown.
        tokens: length of the completion.
        characters: likewise; 0 if the text is not there.
        cut: whether it was cut at the token limit.
    """

    reward: float | None
    score: float | None
    verdict: str
    tokens: int | None
    characters: int
    cut: bool


@dataclass(slots=True)
class Row:
    """One line: a group or, of an evaluation, one completion.

    Attributes:
        group: the id of the group, or of the problem within its evaluation.
        index: the index of the completion for a sample; else 0.
        category: empty if the line does not name it.
        time: seconds since 1970 at which it was saved, if known.
        texts: everything that is shown when the group is opened; JSON-able. None if the file
            has no texts.
    """

    kind: Kind
    group: str
    index: int
    task: str
    category: str
    level: float | None
    time: float | None
    rollouts: list[Outcome] = field(repr=False)
    texts: dict[str, Any] | None = field(repr=False)


@dataclass(slots=True)
class MetricsRow:
    """One line of metrics.jsonl, with its numbers only."""

    run: str
    step: float
    time: float
    values: dict[str, float] = field(repr=False)


def read_line(content: bytes, place: str) -> Row | MetricsRow | None:
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
    readers: tuple[tuple[str, Callable[[dict[str, Any], str], Row | MetricsRow | None]], ...] = (
        ("rollouts", _saved_group),
        ("scores", _trainer_group),
        ("question", _sample),
        ("step", _metrics),
    )
    for key, reader in readers:
        if key in line:
            return reader(line, place)
    return None


def _saved_group(line: dict[str, Any], place: str) -> Row | None:
    rollouts = [_mapping(rollout) for rollout in _list(line["rollouts"])]
    if not rollouts:
        return None
    about = _mapping(line.get("metadata"))
    columns = zip_longest(
        *(_list(about.get(name)) for name in ("raw_scores", "verdicts", "finish_reasons")),
        _list(about.get("extracted")),
    )
    rows = list(columns)[: len(rollouts)]
    rows += [(None,) * 4] * (len(rollouts) - len(rows))
    outcomes, completions = [], []
    for rollout, (score, verdict, reason, extracted) in zip(rollouts, rows, strict=True):
        text = _completion(rollout.get("conversation"))
        score = _number(score)
        reward, cut = _number(rollout.get("score")), reason == "length"
        outcomes.append(Outcome(reward, score, _name(verdict), None, len(text), cut))
        completions.append(_shown(text, _name(verdict), extracted))
    first = rollouts[0].get("conversation")
    recipe = about.get("recipe") or _some(about, "task", "config", "seed")
    texts = {
        "prompt": _prompt(first),
        "answer": _optional_text(about.get("answer")),
        "recipe": _recipe(recipe),
        "completions": completions,
    }
    return Row(
        "rollouts",
        _name(about.get("group_id")) or place,
        0,
        _name(about.get("task")) or _name(line.get("item_id")) or "unknown",
        "",
        _number(about.get("level")),
        _number(about.get("time")),
        outcomes,
        texts,
    )


def _trainer_group(line: dict[str, Any], place: str) -> Row | None:
    rewards = _list(line["scores"])
    if not rewards or not isinstance(line.get("masks"), list):
        return None
    about = _mapping(line.get("group_overrides"))
    conversations, masks = _list(line.get("messages")), _list(line["masks"])
    kinds, reasons = _list(about.get("kinds")), _list(about.get("finish_reasons"))
    outcomes, completions = [], []
    for index, reward in enumerate(rewards):
        text = _completion(_at(conversations, index))
        mask, verdict = _list(_at(masks, index)), _name(_at(kinds, index))
        tokens = len(mask) - mask.count(-100) if mask else None
        cut = _at(reasons, index) == "length"
        outcomes.append(Outcome(_number(reward), None, verdict, tokens, len(text), cut))
        completions.append(_shown(text, verdict, None))
    texts = None
    if conversations:
        recipe = _some(about, "task", "config", "seed")
        texts = {
            "prompt": _prompt(conversations[0]),
            "answer": None,
            "recipe": _recipe(recipe),
            "completions": completions,
        }
    return Row(
        "groups",
        _name(about.get("group_id")) or place,
        0,
        _name(about.get("task")) or "unknown",
        "",
        _number(about.get("level")),
        None,
        outcomes,
        texts,
    )


def _sample(line: dict[str, Any], place: str) -> Row | None:
    name = line.get("id")
    if not isinstance(name, str) or "task" not in line:
        return None
    messages, tokens = line.get("messages"), _number(line.get("completion_tokens"))
    text, failure = _completion(messages), _optional_text(line.get("error"))
    score = _number(line.get("score"))
    verdict = "failed" if failure is not None else _name(line.get("verdict"))
    outcome = Outcome(
        None,
        score,
        verdict,
        None if tokens is None else int(tokens),
        len(text),
        line.get("finish_reason") == "length",
    )
    shown = _shown(text, verdict, line.get("model_parsed") or "")
    if failure is not None:
        shown["failure"] = shortened(failure)
    if reasoning := _optional_text(_mapping(_at(_list(messages), -1)).get("reasoning_content")):
        shown["reasoning"] = shortened(reasoning)
    prompt = _prompt(messages) if messages else [["user", shortened(_text(line["question"]))]]
    texts = {
        "prompt": prompt,
        "answer": _optional_text(line.get("gold_answer")),
        "recipe": _recipe(_mapping(line.get("recipe"))),
        "completions": [shown],
    }
    index = _number(line.get("sample"))
    return Row(
        "samples",
        name.rpartition("/")[0][:MAX_NAME] or place,
        int(index or 0),
        _name(line["task"]) or "unknown",
        _name(line.get("category")),
        _number(line.get("level")),
        None,
        [outcome],
        texts,
    )


def _metrics(line: dict[str, Any], place: str) -> MetricsRow | None:
    step, time = _number(line["step"]), _number(line.get("time"))
    if step is None or time is None:
        return None
    values = {
        name: number for name, value in line.items() if (number := _number(value)) is not None
    }
    return MetricsRow(_name(line.get("run")), step, time, values)


def _shown(text: str, verdict: str, extracted: Any) -> dict[str, Any]:
    """Return what is shown of one completion: its parts, and why it has no answer.

    Where the prompt opened ``<think>``, the saved text begins inside thinking. If its answer was
    not extracted although there is one, that was so, and the thinking was never closed.
    """
    read = text
    if extracted == "" and extract_answer(text):
        read = f"<think>{text}"
    pieces = parts(read)
    if read != text:
        pieces[0] = (pieces[0][0], pieces[0][1].removeprefix("<think>"))
    shown: dict[str, Any] = {"parts": _shortened_parts(pieces)}
    if verdict == "no_answer" and (why := format_violation(read) or "the answer is empty"):
        shown["violation"] = why
    return shown


def _shortened_parts(pieces: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Shorten each part so that together they have about `MAX_TEXT` characters."""
    total = sum(len(text) for _, text in pieces)
    if total <= MAX_TEXT:
        return [[kind, text] for kind, text in pieces]
    return [
        [kind, shortened(text, max(200, MAX_TEXT * len(text) // total))]
        for kind, text in pieces[:200]
    ]


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    """Return at most about `limit` characters, and say how many are missing."""
    missing = len(text) - limit
    if missing <= 0:
        return text
    head = limit * HEAD // MAX_TEXT
    note = f"[… {missing:,} characters are not in this page …]"
    return f"{text[:head]}\n{note}\n{text[missing + head :]}"


def _prompt(conversation: Any) -> list[list[str]]:
    """Return role and text of each message before the completion."""
    messages = [_mapping(message) for message in _list(conversation)[:-1][:50]]
    return [[_name(m.get("role")), shortened(_text(m.get("content")))] for m in messages]


def _completion(conversation: Any) -> str:
    messages = _list(conversation)
    return _text(_mapping(messages[-1]).get("content")) if messages else ""


def _recipe(recipe: Any) -> str | None:
    """Return a recipe as JSON text, because JavaScript would round its seed."""
    if not isinstance(recipe, Mapping) or not recipe:
        return None
    return shortened(json.dumps(recipe, ensure_ascii=False))


def _some(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _at(values: Sequence[Any], index: int) -> Any:
    return values[index] if -len(values) <= index < len(values) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _optional_text(value: Any) -> str | None:
    return None if value is None else shortened(_text(value))


def _name(value: Any) -> str:
    return value[:MAX_NAME] if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    """Return a finite number, also for a truth value; else None."""
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
