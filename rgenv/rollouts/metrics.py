"""Training metrics: rates of groups between two reports, fates of tokens, and metrics.jsonl.

docs/metrics.md has the formula of each rate.
"""

import contextlib
import itertools
import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, get_args

from rgenv.rollouts.rewards import CORRECT, advantages
from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines
from rgenv.text import refusal
from rgenv.types import SOLVED, Group, ProblemKey

log = logging.getLogger(__name__)

Format = Literal["kept", "cut", "rejected", "broken"]
FORMATS: tuple[Format, ...] = get_args(Format)

MEANS = ("score", "accuracy", "format_rate", "truncation_rate", "informative_rate")
TOTAL_MEANS = ("percent_correct", "format_cut_rate", "format_rejected_rate", "format_broken_rate")
"""Rates that are means over groups; the latter are reported in total alone."""

Measures = Mapping[str, float]
"""What is measured of one group, by name."""


def format_of(kind: str, *, truncated: bool) -> Format:
    """Return what became of the answer format of a completion.

    - kept: there is one answer in the required format, and the verifier read it;
    - cut: there is none, because the completion was cut at the token limit;
    - rejected: there is one, but it is too large or unsafe for the verifier;
    - broken: there is none, or it is empty; or no completion came, which is the kind ``empty``.
    """
    if kind in ("too_large", "rejected"):
        return "rejected"
    if kind not in ("no_answer", "refused", "tool_call", "empty"):
        return "kept"
    return "cut" if truncated else "broken"


def measures(group: Group) -> Measures:
    """Return what is measured of a group."""
    scores, rewards, truncated = group.scores, group.rewards, group.truncated
    pairs = zip(group.kinds, truncated, strict=True)
    formats = [format_of(kind, truncated=cut) for kind, cut in pairs]
    tokens = [rollout.length for rollout in group.rollouts]
    informative = len(set(rewards)) > 1
    rows = zip(scores, rewards, tokens, group.masked, strict=True)
    counted = [(score, reward, length) for score, reward, length, mask in rows if not mask]
    advantage = sum(map(abs, advantages(rewards)))
    # All of the advantage comes from the length penalty, or nothing.
    is_penalty = all(score >= SOLVED for score, *_ in counted) and any(
        score != reward for score, reward, _ in counted
    )
    return {
        "score": fmean(scores),
        "reward": fmean(rewards),
        "accuracy": fmean(score >= SOLVED for score in scores),
        "percent_correct": fmean(score >= CORRECT for score in scores),
        "format_rate": formats.count("kept") / len(formats),
        **{f"format_{name}_rate": formats.count(name) / len(formats) for name in FORMATS[1:]},
        "truncation_rate": fmean(truncated),
        "informative_rate": informative,
        "tokens": sum(tokens),
        "informative_tokens": sum(tokens) * informative,
        "gradient_tokens": sum(length for *_, length in counted) * informative,
        "advantage": advantage,
        "length_advantage": advantage * (informative and is_penalty),
    }


def _part(groups: Sequence[Measures], name: str, of: str) -> float:
    total = sum(group[of] for group in groups)
    return sum(group[name] for group in groups) / total if total else 0.0


class TrainMetrics:
    """Collects groups and counts between two calls of `take`.

    Attributes:
        categories: task -> category; tasks that are missing belong to "other".
        sends_equal: whether groups with equal rewards are sent to the trainer, too.
        groups, tokens: scored since the start.
        totals: the counts since the start.
    """

    def __init__(self, categories: Mapping[str, str] | None = None) -> None:
        self.categories, self.sends_equal = dict(categories or {}), False
        self._groups: dict[str, list[Measures]] = {}
        self._kinds: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()
        self.totals: Counter[str] = Counter()
        self.groups = self.tokens = 0

    def group(self, group: Group) -> None:
        """Add a scored group."""
        task, measured = group.problem.task, measures(group)
        self._groups.setdefault(task, []).append(measured)
        self._kinds.setdefault(task, []).extend(group.kinds)
        verdicts = group.verdicts
        errors = sum(bool(v.detail) and v.kind in ("scored", "error") for v in verdicts)
        self.count("verifier_errors", errors)
        self.groups += 1
        self.tokens += int(measured["tokens"])

    def count(self, name: str, number: int = 1) -> None:
        """Add to the count that is reported as ``train/<name>``."""
        self._counts[name] += number
        self.totals[name] += number

    def rates(self) -> dict[str, float]:
        """Return the rates since the last `take`, without their prefix; empty without a group."""
        every = list(itertools.chain.from_iterable(self._groups.values()))
        return self._rates("", every) if every else {}

    def take(self) -> dict[str, float]:
        """Return all metrics since the last call."""
        out: dict[str, float] = {f"train/{name}": n for name, n in self._counts.items()}
        by_category: dict[str, list[Measures]] = {}
        for task, groups in self._groups.items():
            by_category.setdefault(self.categories.get(task, "other"), []).extend(groups)
            out |= self._rates(f"train/{task}/", groups)
            out[f"train/{task}/groups"] = len(groups)
        for category, groups in by_category.items():
            out |= self._rates(f"train/category/{category}/", groups)
        if every := list(itertools.chain.from_iterable(self._groups.values())):
            out |= self._rates("train/", every)
            out |= {f"train/{name}": fmean(one[name] for one in every) for name in TOTAL_MEANS}
            out["train/length_advantage"] = _part(every, "length_advantage", "advantage")
            out |= verdict_metrics(self._kinds)
        self._groups, self._kinds, self._counts = {}, {}, Counter()
        return out

    def _rates(self, prefix: str, groups: Sequence[Measures]) -> dict[str, float]:
        """Return the rates that are reported in total, for each task and for each category."""
        out = {name: fmean(group[name] for group in groups) for name in MEANS}
        sent = [one["reward"] for one in groups if one["informative_rate"] or self.sends_equal]
        if sent:
            out["reward"] = fmean(sent)
        for name in ("informative_tokens", "gradient_tokens"):
            out[name] = _part(groups, name, "tokens")
        return {f"{prefix}{name}": value for name, value in out.items()}


def verdict_metrics(kinds: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Count verdicts: ``verdicts/<kind>``, and ``verdicts/<task>/<kind>`` except "scored"."""
    totals = Counter(kind for task_kinds in kinds.values() for kind in task_kinds)
    out: dict[str, float] = {f"verdicts/{kind}": number for kind, number in totals.items()}
    for task, task_kinds in kinds.items():
        unscored = Counter(kind for kind in task_kinds if kind != "scored")
        out |= {f"verdicts/{task}/{kind}": number for kind, number in unscored.items()}
    return out


Fate = Literal["trained", "equal_rewards", "too_long", "refused"]
FATES: tuple[Fate, ...] = get_args(Fate)
"""What became of a group; docs/metrics.md says what each means."""


class Fates:
    """Counts `tokens` by fate since the start of a run, in all of its processes.

    `done` receives the problem of each group whose fate is known.
    """

    def __init__(self, done: Callable[[ProblemKey], object]) -> None:
        self._done = done
        self.tokens: Counter[str] = Counter()
        self._scored: dict[str, tuple[ProblemKey, int]] = {}

    def scored(self, group: Group) -> None:
        """Note a group whose fate is not known yet."""
        tokens = sum(rollout.length for rollout in group.rollouts)
        self._scored[group.group_id] = group.problem.key, tokens

    def settle(self, group_id: str, fate: Fate) -> None:
        """Note what became of a group: the rollout API has settled it, or it is not sent."""
        if group_id in self._scored:
            key, tokens = self._scored.pop(group_id)
            self.tokens[fate] += tokens
            self._done(key)

    @property
    def trained_share(self) -> float | None:
        """The share of tokens that the trainer got; None: of none."""
        total = self.tokens.total()
        return self.tokens["trained"] / total if total else None

    def metrics(self) -> dict[str, float]:
        """Return the tokens by what became of them; empty without any."""
        if (share := self.trained_share) is None:
            return {}
        return {f"tokens/{fate}": self.tokens[fate] for fate in FATES} | {
            "tokens/trained_share": share
        }


NAME = "metrics.jsonl"


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
        values = {
            name: value if name == "time" or isinstance(value, str) else _short(float(value))
            for name, value in row.items()
            if isinstance(value, str) or (isinstance(value, Real) and math.isfinite(value))
        }
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


def _short(number: float) -> float:
    """Keep six digits: more would double the size of the file."""
    return int(number) if number.is_integer() else float(f"{number:.6g}")
