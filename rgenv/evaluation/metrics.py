"""What a model can do, in numbers: from the samples of an evaluation.

    metrics([{"id": "gcd/7/none/0", "task": "gcd", "score": 1.0, ...}, ...])
    -> {"eval/accuracy": 0.61, "eval/accuracy_low": 0.55, "eval/accuracy_high": 0.67, ...}

A sample is one completion of an item; its id is that of the item, a slash, and its index. In every
mean each item weighs the same, however many completions it has. Intervals are 95 % percentile
intervals of a bootstrap over items, since completions of one item are alike. A sample without a
score failed: it is counted, not averaged.

Not here: whether a task measures what it should. Intervals know nothing of items that were not
drawn: where all items agree there is no width.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from rgenv.rollouts.metrics import verdict_metrics
from rgenv.rollouts.rewards import CORRECT, SOLVED
from rgenv.text import level_name, table
from rgenv.types import Sample

RESAMPLES = 2000
SEED = 123
BINS = 8
DRAWS_AT_ONCE = 2_000_000
"""Bounds memory, not the result: a large evaluation is resampled in parts."""


@dataclass(frozen=True)
class Estimate:
    """A mean over items and its 95 % interval."""

    mean: float
    low: float
    high: float
    items: int


@dataclass(frozen=True)
class Item:
    """One item and its completions that were scored, at least one."""

    key: str
    task: str
    category: str
    level: float | None
    question: str
    scores: tuple[float, ...]
    formatted: float
    truncated: float

    @property
    def score(self) -> float:
        """Mean over its completions."""
        return sum(self.scores) / len(self.scores)

    @property
    def solved(self) -> int:
        """How many of its completions are right."""
        return sum(score >= SOLVED for score in self.scores)

    @property
    def accuracy(self) -> float:
        """Share of its completions that are right."""
        return self.solved / len(self.scores)

    def pass_at(self, k: int) -> float:
        """Chance that one of k completions is right: the unbiased estimator of Chen et al. 2021.

        Completions that failed are missing here; of fewer than k, all are taken.
        """
        have = len(self.scores)
        k = min(k, have)
        return 1.0 - comb(have - self.solved, k) / comb(have, k)


def item_key(sample: Sample) -> str:
    """What completions of one item have in common."""
    if "id" in sample:
        return str(sample["id"]).rpartition("/")[0]
    # Samples saved before there were ids.
    same = [sample.get(name) for name in ("task", "recipe", "question")]
    return json.dumps(same, sort_keys=True, default=str)


def items(samples: Iterable[Sample]) -> list[Item]:
    """Items with a score, in an order that does not depend on that of the samples."""
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        if "score" in sample:
            found.setdefault(item_key(sample), []).append(sample)
    return [_item(key, members) for key, members in sorted(found.items())]


def _item(key: str, members: Sequence[Sample]) -> Item:
    first, count = members[0], len(members)
    level = first.get("level")
    return Item(
        key=key,
        task=first["task"],
        category=first.get("category") or "other",
        level=None if level is None else float(level),
        question=first.get("question", ""),
        scores=tuple(sorted(float(s["score"]) for s in members)),
        formatted=sum(s.get("verdict") != "no_answer" for s in members) / count,
        truncated=sum(s.get("finish_reason") == "length" for s in members) / count,
    )


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of one value an item, with its interval; the same values, the same interval."""
    data = np.asarray(values, dtype=np.float64)
    if data.min() == data.max():
        return Estimate(float(data[0]), float(data[0]), float(data[0]), data.size)
    rng = np.random.default_rng(SEED)
    part = max(1, DRAWS_AT_ONCE // data.size)
    means = np.concatenate(
        [
            data[rng.integers(data.size, size=(min(part, RESAMPLES - done), data.size))].mean(1)
            for done in range(0, RESAMPLES, part)
        ]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(float(data.mean()), float(low), float(high), data.size)


def accuracies(groups: Mapping[str, Sequence[Item]]) -> dict[str, Estimate]:
    """The accuracy of each group."""
    return {name: estimate([item.accuracy for item in some]) for name, some in groups.items()}


def grouped(found: Iterable[Item], by: Callable[[Item], str]) -> dict[str, list[Item]]:
    """Items by a name of theirs, names in order."""
    out: dict[str, list[Item]] = {}
    for item in found:
        out.setdefault(by(item), []).append(item)
    return dict(sorted(out.items()))


def level_names(found: Iterable[Item]) -> list[str]:
    """Levels from easy to hard; a task's own parameters come first."""
    levels = {item.level for item in found}
    return [level_name(x) for x in sorted(levels, key=lambda x: -1.0 if x is None else x)]


def ranked(found: Iterable[Item]) -> dict[str, dict[str, list[Item]]]:
    """Category -> task -> its items; categories by name, tasks best first."""

    def best_first(row: tuple[str, list[Item]]) -> tuple[float, str]:
        return -_mean([item.accuracy for item in row[1]]), row[0]

    return {
        category: dict(sorted(grouped(members, lambda i: i.task).items(), key=best_first))
        for category, members in grouped(found, lambda i: i.category).items()
    }


def metrics(samples: Sequence[Sample]) -> dict[str, float]:
    """Flat numbers: overall, by category, by level, by task, and what became of the answers."""
    found = items(samples)
    out: dict[str, float] = {
        "eval/errors": sum("score" not in sample for sample in samples),
        "eval/items": len({item_key(sample) for sample in samples}),
        "eval/completions": len(samples),
        **_overall(found),
        **_tokens(samples),
    }
    for category, members in grouped(found, lambda item: item.category).items():
        out |= _both(f"eval/category/{category}", members)
    for level, members in grouped(found, lambda item: level_name(item.level)).items():
        out |= _both(f"eval/level/{level}", members)
    for task, members in grouped(found, lambda item: item.task).items():
        out[f"eval/{task}/score"] = _mean([item.score for item in members])
        out |= _interval(f"eval/{task}/accuracy", [item.accuracy for item in members])
    out |= {f"eval/{name}": number for name, number in verdict_metrics(_kinds(samples)).items()}
    return {name: float(value) for name, value in out.items()}


def _overall(found: Sequence[Item]) -> dict[str, float]:
    if not found:
        return {}
    most = max(len(item.scores) for item in found)
    powers = [2**n for n in range(most.bit_length())]
    out = {
        "eval/percent_correct": _mean(
            [sum(score >= CORRECT for score in i.scores) / len(i.scores) for i in found]
        ),
        "eval/format_rate": _mean([item.formatted for item in found]),
        "eval/truncation_rate": _mean([item.truncated for item in found]),
        **_both("eval", found),
    }
    out[f"eval/mean@{most}"] = out["eval/accuracy"]
    for k in powers:
        out[f"eval/pass@{k}"] = _mean([item.pass_at(k) for item in found])
    return out | _interval(f"eval/pass@{most}", [item.pass_at(most) for item in found])


def _both(prefix: str, found: Sequence[Item]) -> dict[str, float]:
    return {
        **_interval(f"{prefix}/accuracy", [item.accuracy for item in found]),
        **_interval(f"{prefix}/mean_score", [item.score for item in found]),
    }


def _interval(name: str, values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    of = estimate(values)
    return {name: of.mean, f"{name}_low": of.low, f"{name}_high": of.high}


def _tokens(samples: Iterable[Sample]) -> dict[str, float]:
    counts = [s["completion_tokens"] for s in samples if s.get("completion_tokens") is not None]
    return {"eval/mean_tokens": sum(counts) / len(counts)} if counts else {}


def _kinds(samples: Iterable[Sample]) -> dict[str, list[str]]:
    """Task -> verdicts, tasks in order."""
    kinds: dict[str, list[str]] = {}
    for sample in samples:
        if "score" in sample:
            kinds.setdefault(sample["task"], []).append(sample["verdict"])
    return dict(sorted(kinds.items()))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


# Length


@dataclass(frozen=True)
class LengthBin:
    """Completions of `shortest` to `longest` tokens, of which `truncated` were cut."""

    shortest: int
    longest: int
    completions: int
    truncated: int
    accuracy: Estimate

    @property
    def label(self) -> str:
        """Its lengths, as ``1,494–2,046``."""
        ends = sorted({self.shortest, self.longest})
        return "–".join(f"{end:,}" for end in ends)


def by_length(samples: Iterable[Sample], *, bins: int = BINS) -> list[LengthBin]:
    """Scored completions from short to long, in bins of about equal number."""
    known = [s for s in samples if "score" in s and s.get("completion_tokens") is not None]
    if not known:
        return []
    lengths = sorted(int(s["completion_tokens"]) for s in known)
    # Equal lengths stay together: what was cut at the budget is one bin.
    starts = sorted({lengths[n * len(lengths) // bins] for n in range(bins)})
    members: list[list[Sample]] = [[] for _ in starts]
    for sample in known:
        members[bisect_right(starts, int(sample["completion_tokens"])) - 1].append(sample)
    return [_length_bin(some) for some in members]


def _length_bin(members: Sequence[Sample]) -> LengthBin:
    lengths = [int(s["completion_tokens"]) for s in members]
    return LengthBin(
        shortest=min(lengths),
        longest=max(lengths),
        completions=len(members),
        truncated=sum(s.get("finish_reason") == "length" for s in members),
        accuracy=estimate([item.accuracy for item in items(members)]),
    )


# Better than last week's?


# For the terminal


def score_table(samples: Sequence[Sample]) -> str:
    """Lines for the terminal: each category, then all."""
    found = items(samples)
    rows = [_row(name, some) for name, some in grouped(found, lambda i: i.category).items()]
    columns = ("category", "items", "accuracy", "95 % interval", "mean score")
    return table(columns, rows, last=_row("all", found))


def _row(name: str, found: Sequence[Item]) -> tuple[str, ...]:
    if not found:
        return (name, "0", "-", "-", "-")
    of = estimate([item.accuracy for item in found])
    score = _mean([item.score for item in found])
    return (
        name,
        str(len(found)),
        f"{of.mean:.3f}",
        f"{of.low:.3f} to {of.high:.3f}",
        f"{score:.3f}",
    )
