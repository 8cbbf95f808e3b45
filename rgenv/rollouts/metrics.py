"""Training metrics: what is counted of a group, collected between two reports, and metrics.jsonl.

docs/metrics.md has the formula of each rate.
"""

import contextlib
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, get_args

from rgenv.rollouts.rewards import CORRECT, advantages
from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines
from rgenv.text import refusal
from rgenv.types import SOLVED

# What is counted of a group


Format = Literal["kept", "cut", "rejected", "broken"]
FORMATS: tuple[Format, ...] = get_args(Format)


def format_of(kind: str, *, truncated: bool) -> Format:
    """Return what became of the answer format of a completion.

    - kept: there is one answer in the required format, and the verifier read it;
    - cut: there is none, because the completion was cut at the token limit;
    - rejected: there is one, but it is too large or unsafe for the verifier;
    - broken: there is none in the required format, or it is empty; or no completion came.
    """
    if kind in ("too_large", "rejected"):
        return "rejected"
    if kind not in ("no_answer", "refused", "tool_call", "empty"):
        return "kept"
    return "cut" if truncated else "broken"


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of the completions of a group, as parallel columns (rgenv.types.Group)."""

    scores: Sequence[float]
    rewards: Sequence[float]
    kinds: Sequence[str]
    truncated: Sequence[bool]
    masked: Sequence[bool]
    tokens: Sequence[int]

    def __post_init__(self) -> None:
        if len({len(getattr(self, field.name)) for field in fields(self)}) > 1:
            raise ValueError(f"{', '.join(field.name for field in fields(self))} differ in length")

    @property
    def informative(self) -> bool:
        return len(set(self.rewards)) > 1

    @property
    def accuracy(self) -> float:
        return self.share_from(SOLVED)

    def share_from(self, least: float) -> float:
        return fmean(score >= least for score in self.scores)

    @property
    def gradient_tokens(self) -> int:
        """The tokens that carry a gradient: of completions that are not masked, if any."""
        pairs = zip(self.tokens, self.masked, strict=True)
        return sum(tokens for tokens, mask in pairs if not mask) if self.informative else 0

    @property
    def advantage(self) -> float:
        return sum(map(abs, advantages(self.rewards)))

    @property
    def length_advantage(self) -> float:
        """The part of `advantage` that comes from the length penalty: all of it, or nothing."""
        rows = zip(self.scores, self.rewards, self.masked, strict=True)
        counted = [(score, reward) for score, reward, mask in rows if not mask]
        solved = self.informative and all(score >= SOLVED for score, _ in counted)
        return self.advantage if solved and any(one != two for one, two in counted) else 0.0


def rates(groups: Sequence[Outcomes], *, sends_equal: bool = False) -> dict[str, float]:
    """Return the rates that are reported in total, for each task and for each category.

    Args:
        sends_equal: whether groups with equal rewards are sent to the trainer, too.
    """
    tokens = sum(sum(group.tokens) for group in groups)
    sent = [group.rewards for group in groups if group.informative or sends_equal]
    return {
        "score": fmean(fmean(group.scores) for group in groups),
        **({"reward": fmean(map(fmean, sent))} if sent else {}),
        "accuracy": fmean(group.accuracy for group in groups),
        "format_rate": _share(groups, "kept"),
        "truncation_rate": fmean(fmean(group.truncated) for group in groups),
        "informative_rate": fmean(group.informative for group in groups),
        "informative_tokens": _of(
            tokens, (sum(group.tokens) for group in groups if group.informative)
        ),
        "gradient_tokens": _of(tokens, (group.gradient_tokens for group in groups)),
    }


def total_rates(groups: Sequence[Outcomes]) -> dict[str, float]:
    advantage = sum(group.advantage for group in groups)
    return {
        "percent_correct": fmean(group.share_from(CORRECT) for group in groups),
        "format_cut_rate": _share(groups, "cut"),
        "format_rejected_rate": _share(groups, "rejected"),
        "format_broken_rate": _share(groups, "broken"),
        "length_advantage": _of(advantage, (group.length_advantage for group in groups)),
    }


def _share(groups: Iterable[Outcomes], wanted: Format) -> float:
    """Return the share of completions with this format, for each group first."""
    return fmean(
        fmean(
            format_of(kind, truncated=cut) == wanted
            for kind, cut in zip(group.kinds, group.truncated, strict=True)
        )
        for group in groups
    )


def _of(total: float, parts: Iterable[float]) -> float:
    return sum(parts) / total if total else 0.0


# Collected between two reports


class TrainMetrics:
    """Collects groups and counts between two calls of `take`.

    Args:
        categories: task -> category; tasks that are missing belong to "other".
        sends_equal: whether groups with equal rewards are sent to the trainer, too.
    """

    def __init__(
        self, categories: Mapping[str, str] | None = None, *, sends_equal: bool = False
    ) -> None:
        self.categories = dict(categories or {})
        self.sends_equal = sends_equal
        self._groups: dict[str, list[Outcomes]] = {}
        self._counts: Counter[str] = Counter()
        self.groups = 0
        self.tokens = 0

    def group(self, task: str, outcomes: Outcomes) -> None:
        self._groups.setdefault(task, []).append(outcomes)
        self.groups += 1
        self.tokens += sum(outcomes.tokens)

    def count(self, name: str, number: int = 1) -> None:
        """Add to the count that is reported as ``train/<name>``."""
        self._counts[name] += number

    def rates(self) -> dict[str, float]:
        """Return the rates since the last `take`, without their prefix; empty without a group."""
        groups = [group for groups in self._groups.values() for group in groups]
        return rates(groups, sends_equal=self.sends_equal) if groups else {}

    def take(self) -> dict[str, float]:
        by_task, counts = self._groups, self._counts
        self._groups, self._counts = {}, Counter()
        out: dict[str, float] = {f"train/{name}": number for name, number in counts.items()}
        if by_task:
            all_groups = [group for groups in by_task.values() for group in groups]
            out |= self._rates("train", all_groups)
            out |= {f"train/{name}": value for name, value in total_rates(all_groups).items()}
            out |= verdict_metrics(
                {task: [k for g in groups for k in g.kinds] for task, groups in by_task.items()}
            )
        for task, groups in by_task.items():
            out |= self._rates(f"train/{task}", groups)
            out[f"train/{task}/groups"] = len(groups)
        for category, groups in self._by_category(by_task).items():
            out |= self._rates(f"train/category/{category}", groups)
        return out

    def _rates(self, prefix: str, groups: Sequence[Outcomes]) -> dict[str, float]:
        found = rates(groups, sends_equal=self.sends_equal)
        return {f"{prefix}/{name}": value for name, value in found.items()}

    def _by_category(self, by_task: Mapping[str, list[Outcomes]]) -> dict[str, list[Outcomes]]:
        categories: dict[str, list[Outcomes]] = {}
        for task, groups in by_task.items():
            categories.setdefault(self.categories.get(task, "other"), []).extend(groups)
        return categories


def verdict_metrics(kinds: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Count verdicts: ``verdicts/<kind>``, and ``verdicts/<task>/<kind>`` except "scored"."""
    totals = Counter(kind for task_kinds in kinds.values() for kind in task_kinds)
    out: dict[str, float] = {f"verdicts/{kind}": number for kind, number in totals.items()}
    for task, task_kinds in kinds.items():
        unscored = Counter(kind for kind in task_kinds if kind != "scored")
        out |= {f"verdicts/{task}/{kind}": number for kind, number in unscored.items()}
    return out


# metrics.jsonl


log = logging.getLogger(__name__)

NAME = "metrics.jsonl"

DIGITS = 6
"""Significant digits of a number; more would double the size of the file. The time has all."""


class MetricsFile:
    """Appends objects to a file that is created with the first one, in a folder that may change."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._failing = False

    def append(self, row: Mapping[str, Any]) -> None:
        """Append the texts and finite numbers of one report.

        A disk that refuses is logged when it begins to, and the report is lost.
        """
        values = {k: _short(v) for k, v in row.items() if _belongs(v)}
        if isinstance(row.get("time"), Real):
            values["time"] = round(float(row["time"]), 3)
        path = Path(NAME)
        try:
            path = self._folder() / NAME
            make_folder(path.parent)
            with contextlib.closing(JsonLines(path)) as file:
                file.append(values)
        except OSError as error:
            if not self._failing:
                name = path if path.name != str(path) else error.filename  # of the folder
                log.error("Metrics can't be written to %s (%s).", name, refusal(error))
            self._failing = True
            return
        if path != self._path or self._failing:
            log.info("Metrics are written to %s.", path)
        self._path, self._failing = path, False


def _belongs(value: Any) -> bool:
    """Return whether a value is a text or a finite number; tables and pictures are neither."""
    return isinstance(value, str) or (isinstance(value, Real) and math.isfinite(value))


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = float(f"{float(value):.{DIGITS}g}")
    return int(value) if float(value).is_integer() else number
