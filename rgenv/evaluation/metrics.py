"""The numbers of an evaluation, computed from its samples.

::

    metrics([{"id": "gcd/7/none/0", "task": "gcd", "score": 1.0, ...}, ...])
    # {"eval/accuracy": 0.61, "eval/accuracy_low": 0.55, "eval/accuracy_high": 0.67, ...}

=============================  ====================================================================
``eval/accuracy``              share of solved completions (score >= 0.99)
``eval/mean_score``            mean score
``eval/percent_correct``       share of completions with a score of at least 0.5
``eval/mean@K``                accuracy over all K completions of each problem
``eval/pass@k``                chance that at least one of k completions solves the problem;
                               k: powers of two up to K, and K
``eval/format_rate``           share of completions with an answer in the required format
``eval/truncation_rate``       share of completions cut at the token limit
``eval/mean_tokens``           mean completion length in tokens
``eval/items``                 number of problems
``eval/completions``           number of samples
``eval/errors``                number of samples without a score; no mean includes them
``eval/verdicts/KIND``         number of verdicts of each kind, over all tasks
``eval/verdicts/TASK/KIND``    the same for one task, without the kind "scored"
``eval/category/NAME/...``     accuracy and mean score of a category
``eval/level/NAME/...``        accuracy and mean score of a level
``eval/TASK/mean_score``       mean score of a task; ``eval/TASK/accuracy`` likewise
=============================  ====================================================================

Rates and scores are means over problems of the mean over each problem's completions, so that each
problem has the same weight; mean_tokens is a mean over completions. ``_low`` and ``_high`` are the
ends of 95 % percentile intervals, bootstrapped over problems, because completions of one problem
are correlated. An interval says nothing about the variety of a task: if all problems agree, it has
no width.
"""

from __future__ import annotations

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
"""Bounds the memory of the bootstrap; it does not change the result."""


@dataclass(frozen=True)
class Estimate:
    """A mean over problems, and its 95 % interval."""

    mean: float
    low: float
    high: float
    problems: int


@dataclass(frozen=True)
class ProblemResult:
    """The scored completions of one problem; there is at least one.

    Attributes:
        scores: in ascending order.
        format_rate: share of completions with an answer in the required format.
        truncation_rate: share of completions cut at the token limit.
    """

    problem_id: str
    task: str
    category: str
    level: float | None
    question: str
    scores: tuple[float, ...]
    format_rate: float
    truncation_rate: float

    @property
    def mean_score(self) -> float:
        """Mean over the completions."""
        return sum(self.scores) / len(self.scores)

    @property
    def accuracy(self) -> float:
        """Share of solved completions."""
        return self._share_from(SOLVED)

    @property
    def percent_correct(self) -> float:
        """Share of completions with a score of at least `CORRECT`."""
        return self._share_from(CORRECT)

    def _share_from(self, threshold: float) -> float:
        return sum(score >= threshold for score in self.scores) / len(self.scores)

    def pass_at(self, k: int) -> float:
        """Return the chance that at least one of k completions solves the problem.

        The unbiased estimator of Chen et al. 2021. If fewer than k completions were scored, all
        of them are drawn.
        """
        count = len(self.scores)
        unsolved = sum(score < SOLVED for score in self.scores)
        k = min(k, count)
        return 1.0 - comb(unsolved, k) / comb(count, k)


def metrics(samples: Sequence[Sample]) -> dict[str, float]:
    """Return all numbers of an evaluation, as the module's docstring lists them."""
    results = problem_results(samples)
    out: dict[str, float] = {
        "eval/errors": sum("score" not in sample for sample in samples),
        "eval/items": len({problem_id_of(sample) for sample in samples}),
        "eval/completions": len(samples),
        **_overall(results),
        **_mean_tokens(samples),
    }
    for category, members in grouped(results, by_category).items():
        out |= _accuracy_and_score(f"eval/category/{category}", members)
    for level, members in grouped(results, by_level).items():
        out |= _accuracy_and_score(f"eval/level/{level}", members)
    for task, members in grouped(results, by_task).items():
        out[f"eval/{task}/mean_score"] = _mean([result.mean_score for result in members])
        out |= _with_interval(f"eval/{task}/accuracy", [result.accuracy for result in members])
    verdicts = verdict_metrics(_verdict_kinds(samples))
    out |= {f"eval/{name}": number for name, number in verdicts.items()}
    return {name: float(value) for name, value in out.items()}


def _overall(results: Sequence[ProblemResult]) -> dict[str, float]:
    if not results:
        return {}
    most = max(len(result.scores) for result in results)
    out = {
        "eval/percent_correct": _mean([result.percent_correct for result in results]),
        "eval/format_rate": _mean([result.format_rate for result in results]),
        "eval/truncation_rate": _mean([result.truncation_rate for result in results]),
        **_accuracy_and_score("eval", results),
    }
    out[f"eval/mean@{most}"] = out["eval/accuracy"]
    for k in [2**n for n in range(most.bit_length())]:
        out[f"eval/pass@{k}"] = _mean([result.pass_at(k) for result in results])
    return out | _with_interval(f"eval/pass@{most}", [result.pass_at(most) for result in results])


def _accuracy_and_score(prefix: str, results: Sequence[ProblemResult]) -> dict[str, float]:
    return {
        **_with_interval(f"{prefix}/accuracy", [result.accuracy for result in results]),
        **_with_interval(f"{prefix}/mean_score", [result.mean_score for result in results]),
    }


def _with_interval(name: str, values: Sequence[float]) -> dict[str, float]:
    found = estimate(values)
    return {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}


def _mean_tokens(samples: Iterable[Sample]) -> dict[str, float]:
    counts = [s["completion_tokens"] for s in samples if s.get("completion_tokens") is not None]
    return {"eval/mean_tokens": sum(counts) / len(counts)} if counts else {}


def _verdict_kinds(samples: Iterable[Sample]) -> dict[str, list[str]]:
    """Task -> kinds of its verdicts, tasks in alphabetical order."""
    kinds: dict[str, list[str]] = {}
    for sample in samples:
        if "score" in sample:
            kinds.setdefault(sample["task"], []).append(sample["verdict"])
    return dict(sorted(kinds.items()))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


# Problems


def problem_id_of(sample: Sample) -> str:
    """Return the id of the problem that a sample belongs to."""
    return str(sample["id"]).rpartition("/")[0]


def problem_results(samples: Iterable[Sample]) -> list[ProblemResult]:
    """Collect scored samples by problem, problems in the order of their ids."""
    by_problem: dict[str, list[Sample]] = {}
    for sample in samples:
        if "score" in sample:
            by_problem.setdefault(problem_id_of(sample), []).append(sample)
    return [_problem_result(name, members) for name, members in sorted(by_problem.items())]


def _problem_result(name: str, members: Sequence[Sample]) -> ProblemResult:
    first, count = members[0], len(members)
    return ProblemResult(
        problem_id=name,
        task=first["task"],
        category=first["category"],
        level=first["level"],
        question=first["question"],
        scores=tuple(sorted(float(s["score"]) for s in members)),
        format_rate=sum(s["verdict"] != "no_answer" for s in members) / count,
        truncation_rate=sum(s["finish_reason"] == "length" for s in members) / count,
    )


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of one value for each problem, with its 95 % interval.

    Deterministic: the same values in the same order have the same interval.

    Args:
        values: at least one.
    """
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


def mean_accuracy(results: Sequence[ProblemResult]) -> float:
    """Return the accuracy over problems; 0 if there are none."""
    return _mean([result.accuracy for result in results]) if results else 0.0


def accuracies(groups: Mapping[str, Sequence[ProblemResult]]) -> dict[str, Estimate]:
    """Return the accuracy of each group, with its interval."""
    return {
        name: estimate([result.accuracy for result in members]) for name, members in groups.items()
    }


# Groups of problems


def by_category(result: ProblemResult) -> str:
    """Return the category; a key for `grouped`."""
    return result.category


def by_task(result: ProblemResult) -> str:
    """Return the task; a key for `grouped`."""
    return result.task


def by_level(result: ProblemResult) -> str:
    """Return the name of the level; a key for `grouped`."""
    return level_name(result.level)


def grouped(
    results: Iterable[ProblemResult], key: Callable[[ProblemResult], str]
) -> dict[str, list[ProblemResult]]:
    """Group results by `key`, groups in alphabetical order."""
    groups: dict[str, list[ProblemResult]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return dict(sorted(groups.items()))


def level_names(results: Iterable[ProblemResult]) -> list[str]:
    """Return the names of all levels: the tasks' defaults first, then from easy to hard."""
    levels = {result.level for result in results}
    return [level_name(x) for x in sorted(levels, key=lambda x: -1.0 if x is None else x)]


def ranked(results: Iterable[ProblemResult]) -> dict[str, dict[str, list[ProblemResult]]]:
    """Group results as category -> task -> results.

    Categories are in alphabetical order; tasks are ordered by accuracy, best first, then by name.
    """

    def best_first(row: tuple[str, list[ProblemResult]]) -> tuple[float, str]:
        return -mean_accuracy(row[1]), row[0]

    return {
        category: dict(sorted(grouped(members, by_task).items(), key=best_first))
        for category, members in grouped(results, by_category).items()
    }


# Completion length


@dataclass(frozen=True)
class LengthBin:
    """Completions of `shortest` to `longest` tokens, and their accuracy.

    Attributes:
        completions: how many there are.
        truncated: how many of them were cut at the token limit.
    """

    shortest: int
    longest: int
    completions: int
    truncated: int
    accuracy: Estimate

    @property
    def label(self) -> str:
        """The range of lengths, such as ``1,494–2,046``."""
        ends = sorted({self.shortest, self.longest})
        return "–".join(f"{end:,}" for end in ends)


def by_length(samples: Iterable[Sample], *, bins: int = BINS) -> list[LengthBin]:
    """Sort scored completions into at most `bins` bins of length, of about equal size.

    Completions of equal length share a bin, so those cut at the token limit have one of their own.
    """
    known = [s for s in samples if "score" in s and s["completion_tokens"] is not None]
    if not known:
        return []
    lengths = sorted(int(s["completion_tokens"]) for s in known)
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
        truncated=sum(s["finish_reason"] == "length" for s in members),
        accuracy=estimate([result.accuracy for result in problem_results(members)]),
    )


# Terminal


def score_table(samples: Sequence[Sample]) -> str:
    """Return a table for the terminal: one line for each category, and one for all problems."""
    results = problem_results(samples)
    rows = [_row(name, members) for name, members in grouped(results, by_category).items()]
    columns = ("category", "problems", "accuracy", "95 % interval", "mean score")
    return table(columns, rows, last=_row("all", results))


def _row(name: str, results: Sequence[ProblemResult]) -> tuple[str, ...]:
    if not results:
        return (name, "0", "-", "-", "-")
    accuracy = estimate([result.accuracy for result in results])
    return (
        name,
        str(len(results)),
        f"{accuracy.mean:.3f}",
        f"{accuracy.low:.3f} to {accuracy.high:.3f}",
        f"{_mean([result.mean_score for result in results]):.3f}",
    )
