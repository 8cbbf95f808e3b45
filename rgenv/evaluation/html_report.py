"""An evaluation as one file to read: what the model can do, where it breaks, what changed.

    write(folder, samples, evaluation.metrics(samples), {"model": "qwen", "date": "2025-03-01"},
          earlier=("last week", old_samples))    # -> folder/report.html

Completions are hostile: they hold markup, control characters and megabytes. All text is cut, made
printable and escaped, and the page's own policy forbids scripts and every request. It needs
neither.

Not here: any counting (evaluation.py), pictures as files of their own (report.py).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rgenv.evaluation import metrics as metrics_of
from rgenv.evaluation.compare import paired
from rgenv.evaluation.metrics import Estimate, Item, grouped
from rgenv.rollouts.rewards import SOLVED
from rgenv.text import level_name
from rgenv.types import Sample

TEMPLATE = "html_report.html.j2"
PER_CATEGORY = 10
VERDICTS = {
    "scored": "the verifier read the answer",
    "no_answer": "the completion did not hold one answer in the format asked for",
    "too_large": "the answer is longer than a verifier is handed",
    "rejected": "the answer holds what no verifier is handed",
    "error": "the verifier failed on the answer",
    "timeout": "the verifier did not end in time",
    "crashed": "the verifier's process died",
    "failed": "nothing to score: the request or the item failed",
}


def write(
    folder: Path,
    samples: Sequence[Sample],
    metrics: Mapping[str, float],
    about: Mapping[str, Any],
    earlier: tuple[str, Sequence[Sample]] | None = None,
) -> Path:
    """Write `report.html` into a folder that is there, and say where it is.

    Args:
        metrics: of the same samples, from `evaluation.metrics`.
        about: what was run, shown as a table; `model` and `date` stand in the title too.
        earlier: name and samples of a run to compare with.
    """
    found = metrics_of.items(samples)
    page = _environment().get_template(TEMPLATE)
    text = page.render(
        about=flattened(about),
        model=about.get("model", ""),
        date=about.get("date", ""),
        metrics=metrics,
        passes=_passes(metrics),
        categories=_estimates(metrics, "category", grouped(found, lambda i: i.category)),
        levels=_estimates(metrics, "level", grouped(found, lambda i: level_name(i.level))),
        heat=heat(found),
        level_names=metrics_of.level_names(found),
        lengths=metrics_of.by_length(samples),
        verdicts=_verdicts(metrics),
        failures=failures(samples),
        against=None if earlier is None else (earlier[0], paired(earlier[1], samples)),
    )
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": lambda share: f"{100 * share:.1f}\u00a0%",
        "bare": lambda share: f"{100 * share:.1f}",
        "points": lambda change: signed(100 * change, 1),
        "signed": lambda change: signed(change, 3),
        "count": lambda number: f"{number:,.0f}",
        # Names break after an underscore, and nowhere else.
        "name": lambda name: Markup("_<wbr>").join(printable(name).split("_")),
        "level": lambda name: "defaults" if name == "none" else name,
    }
    return environment


# Text


def signed(number: float, digits: int) -> str:
    """A number with its sign, which 0 has not got: +1.5, −0.2, 0.0."""
    rounded = round(number, digits)
    return f"{rounded:+.{digits}f}".replace("-", "−") if rounded else f"{0:.{digits}f}"


_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufdd0-\ufdef\ufeff\ufffe\uffff]"
)


def printable(value: Any) -> Any:
    """Text without what a page can't hold or what turns the text around it.

    Control characters become their pictures (NUL is ␀), lone surrogates and the like �.
    """
    if isinstance(value, Markup | int | float):
        return value
    return _UNPRINTABLE.sub(_picture, str(value))


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def cut(text: str, *, head: int = 0, tail: int = 0) -> str:
    """The beginning and the end of a text, and between them how much is missing."""
    missing = len(text) - head - tail
    if missing <= 0:
        return text
    parts = [text[:head], f"[… {missing:,} characters cut …]", text[len(text) - tail :]]
    return "\n".join(filter(None, parts))


def flattened(about: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested mappings as rows: ``{"env": {"seed": 1}}`` becomes ``{"env.seed": "1"}``."""
    rows: dict[str, str] = {}
    for name, value in about.items():
        if isinstance(value, Mapping) and value:
            rows |= flattened(value, f"{prefix}{name}.")
        else:
            plain = value if isinstance(value, str) else json.dumps(value, default=str)
            rows[f"{prefix}{name}"] = cut(plain, head=2000)
    return rows


# Numbers


def _passes(metrics: Mapping[str, float]) -> dict[int, float]:
    """k -> pass@k for k from 2 on; the first is the accuracy."""
    found = {
        int(name.removeprefix("eval/pass@")): value
        for name, value in metrics.items()
        if re.fullmatch(r"eval/pass@\d+", name)
    }
    return {k: found[k] for k in sorted(found) if k > 1}


@dataclass(frozen=True)
class Bar:
    """A row of a table with bars."""

    accuracy: Estimate
    score: float


def _estimates(
    metrics: Mapping[str, float], kind: str, groups: Mapping[str, Sequence[Item]]
) -> dict[str, Bar]:
    """What the metrics say of each category or level."""
    rows = {}
    for name, members in groups.items():
        prefix = f"eval/{kind}/{name}"
        mean, low, high = (metrics[f"{prefix}/accuracy{end}"] for end in ("", "_low", "_high"))
        accuracy = Estimate(mean, low, high, items=len(members))
        rows[name] = Bar(accuracy, metrics[f"{prefix}/mean_score"])
    return rows


def _verdicts(metrics: Mapping[str, float]) -> dict[str, tuple[str, int, float]]:
    """Kind -> what it means, how many, which share; those that failed are the last."""
    total = metrics["eval/completions"]
    found = {
        name.removeprefix("eval/verdicts/"): int(count)
        for name, count in metrics.items()
        if re.fullmatch("eval/verdicts/[^/]+", name)
    }
    kinds = {kind: found[kind] for kind in sorted(found, key=lambda kind: (-found[kind], kind))}
    if metrics["eval/errors"]:
        kinds["failed"] = int(metrics["eval/errors"])
    return {kind: (VERDICTS.get(kind, ""), n, n / total) for kind, n in kinds.items()}


# The heat map


@dataclass(frozen=True)
class Cell:
    """Accuracy of a task at a level, and the colours that show it."""

    accuracy: Estimate
    score: float
    paper: str
    ink: str


@dataclass(frozen=True)
class HeatRow:
    """A task: its cells by level, and the one of all levels."""

    task: str
    cells: Mapping[str, Cell]
    all: Cell


CIVIDIS = ((0, 34, 78), (67, 78, 108), (125, 124, 120), (188, 174, 108), (254, 232, 56))
"""Dark blue to yellow: the same to eyes that can't tell red from green."""


def heat(found: Sequence[Item]) -> dict[str, list[HeatRow]]:
    """Category -> its tasks, best first."""
    return {
        category: [_heat_row(task, members) for task, members in tasks.items()]
        for category, tasks in metrics_of.ranked(found).items()
    }


def _heat_row(task: str, members: Sequence[Item]) -> HeatRow:
    levels = grouped(members, lambda item: level_name(item.level))
    cells = {name: _cell(some) for name, some in levels.items()}
    return HeatRow(task, cells, all=_cell(members))


def _cell(members: Sequence[Item]) -> Cell:
    accuracy = metrics_of.estimate([item.accuracy for item in members])
    paper, ink = colours(accuracy.mean)
    return Cell(accuracy, sum(item.score for item in members) / len(members), paper, ink)


def colours(value: float) -> tuple[str, str]:
    """A colour for a number in [0, 1], and black or white, whichever reads better on it."""
    place = min(max(value, 0.0), 1.0) * (len(CIVIDIS) - 1)
    low = min(int(place), len(CIVIDIS) - 2)
    pairs = zip(CIVIDIS[low], CIVIDIS[low + 1], strict=True)
    mixed = [round(a + (b - a) * (place - low)) for a, b in pairs]
    light = luminance(mixed)
    # Contrast as WCAG defines it.
    ink = "#fff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000"
    return "#" + "".join(f"{part:02x}" for part in mixed), ink


def luminance(rgb: Sequence[int]) -> float:
    """Relative luminance of a colour, as WCAG 2 defines it."""
    parts = [part / 255 for part in rgb]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Failures


@dataclass(frozen=True)
class Failure:
    """A completion that is worth reading, its texts cut."""

    task: str
    level: str
    seed: str
    verdict: str
    score: str
    ended: str
    prompt: str
    answer: str
    expected: str
    completion: str


@dataclass(frozen=True)
class Failures:
    """Of a category: how many there are, and some of them."""

    total: int
    chosen: list[Failure]


def failures(samples: Iterable[Sample], *, each: int = PER_CATEGORY) -> dict[str, Failures]:
    """Category -> failures worth reading: over many tasks, first those that were nearly answers."""
    by_category: dict[str, list[Sample]] = {}
    for sample in samples:
        if "score" not in sample or sample["score"] < SOLVED:
            by_category.setdefault(sample.get("category") or "other", []).append(sample)
    return {
        category: Failures(len(failed), [_failure(s) for s in _spread(failed)[:each]])
        for category, failed in sorted(by_category.items())
    }


def _spread(failed: Iterable[Sample]) -> list[Sample]:
    """One of each task, then a second of each, and so on; one completion for each item.

    Within a round what is wrong but readable comes first, and tasks are not in the order of the
    alphabet, which would hide its end.
    """
    tasks: dict[str, dict[str, Sample]] = {}
    for sample in sorted(failed, key=lambda s: (_rank(s), _digest(s))):
        tasks.setdefault(sample["task"], {}).setdefault(metrics_of.item_key(sample), sample)
    rounds = [
        (number, _rank(sample), _digest(sample), sample)
        for some in tasks.values()
        for number, sample in enumerate(some.values())
    ]
    return [sample for *_, sample in sorted(rounds, key=lambda row: row[:3])]


def _rank(sample: Sample) -> int:
    if "score" not in sample:
        return 3
    return {"scored": 0, "no_answer": 1}.get(sample["verdict"], 2)


def _digest(sample: Sample) -> str:
    name = json.dumps([sample.get("id"), _completion(sample)])
    return hashlib.sha256(name.encode()).hexdigest()


def _completion(sample: Sample) -> str:
    texts = [m["content"] for m in sample.get("messages", ()) if m["role"] == "assistant"]
    return texts[-1] if texts else ""


def _failure(sample: Sample) -> Failure:
    return Failure(
        task=sample["task"],
        level=level_name(sample.get("level")),
        seed=str(sample.get("seed", "")),
        verdict=str(sample.get("verdict", "failed")),
        score=f"{sample['score']:.2f}" if "score" in sample else "–",
        ended=_ending(sample),
        prompt=cut(sample.get("question") or "", head=900, tail=500),
        answer=_answer(sample),
        expected=cut(
            sample.get("gold_answer") or "(none kept: the verifier judges any answer)", head=500
        ),
        completion=cut(_completion(sample), tail=1200),
    )


def _ending(sample: Sample) -> str:
    tokens, reason = sample.get("completion_tokens"), sample.get("finish_reason")
    known = (
        None if tokens is None else f"{tokens:,} tokens",
        None if reason is None else f"ended by {reason}",
    )
    return ", ".join(filter(None, known))


def _answer(sample: Sample) -> str:
    if "error" in sample:
        return cut(f"(failed: {sample['error']})", head=500)
    answer = sample.get("model_parsed")
    return "(none found)" if answer is None else cut(answer, head=500)
