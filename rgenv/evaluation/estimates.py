"""Means over the problems of an evaluation, with their 95 % intervals.

The problems of a task at a level are a random sample; tasks and levels are fixed unless `all_tasks`
says that there are more tasks. Problems of one family, which only symmetries tell apart, count as
one in the width of an interval. intervals.py has the method.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import fmean

from rgenv.evaluation.intervals import Interval, Sampled, Stratum, difference, interval
from rgenv.evaluation.results import ProblemResult, problem_results
from rgenv.types import Sample

Value = Callable[[ProblemResult], float]
"""A number in [0, 1] of a problem."""


@dataclass(frozen=True)
class Estimate:
    mean: float
    low: float
    high: float
    problems: int


accuracy: Value = attrgetter("accuracy")
mean_score: Value = attrgetter("mean_score")


def estimate(
    results: Sequence[ProblemResult],
    value: Value,
    *,
    macro: bool = False,
    all_tasks: int = 0,
    draws: float | None = None,
) -> Estimate:
    """Return the mean of a value over results, at least one, with its interval.

    Args:
        macro: give the same weight to each task instead of each problem.
        all_tasks: number of tasks of which those of the results are a random sample; the interval
            then holds for the mean over all of them.
        draws: independent results behind each value, on average; None: the number of completions.
    """
    tasks = _strata(results, value, macro=macro)
    found = interval(
        [stratum for task in tasks for stratum in task],
        completions=fmean(len(r.scores) for r in results) if draws is None else draws,
        sampled=Sampled(tasks, of=all_tasks) if all_tasks > len(tasks) else None,
    )
    return Estimate(*found, problems=len(results))


def change(pairs: Sequence[tuple[ProblemResult, ProblemResult]], value: Value) -> Estimate:
    """Return the mean change of a value over problems that two runs share, at least one."""
    differences = {new.problem_id: value(new) - value(old) for old, new in pairs}
    results = [new for _, new in pairs]

    def gain(result: ProblemResult) -> float:
        return max(0.0, differences[result.problem_id])

    def loss(result: ProblemResult) -> float:
        return max(0.0, -differences[result.problem_id])

    found = difference(_interval(results, gain), _interval(results, loss))
    return Estimate(*found, problems=len(pairs))


def _interval(results: Sequence[ProblemResult], value: Value) -> Interval:
    strata = [stratum for task in _strata(results, value) for stratum in task]
    return interval(strata, completions=fmean(len(r.scores) for r in results))


def _strata(
    results: Iterable[ProblemResult], value: Value, *, macro: bool = False
) -> list[list[Stratum]]:
    groups: dict[str, dict[float | None, list[ProblemResult]]] = {}
    for result in results:
        groups.setdefault(result.task, {}).setdefault(result.level, []).append(result)
    sizes = {
        task: sum(map(len, levels.values())) if macro else 1 for task, levels in groups.items()
    }
    return [
        [
            Stratum([value(r) for r in some], len(some) / sizes[task], _families(some))
            for some in levels.values()
        ]
        for task, levels in groups.items()
    ]


def _families(results: Iterable[ProblemResult]) -> list[int]:
    """Return how many problems each family has; one whose family is unknown has its own."""
    return list(Counter(result.family or result.problem_id for result in results).values())


# Accuracy by the length of completions


BINS = 8


@dataclass(frozen=True)
class LengthBin:
    """Completions of `shortest` to `longest` tokens, and their accuracy."""

    shortest: int
    longest: int
    completions: int
    truncated: int
    accuracy: Estimate

    @property
    def label(self) -> str:
        ends = sorted({self.shortest, self.longest})
        return "–".join(f"{end:,}" for end in ends)


def by_length(samples: Iterable[Sample]) -> list[LengthBin]:
    """Sort scored completions into at most `BINS` bins of length, of about equal size.

    Completions of equal length share a bin, so those cut at the token limit have one of their own.
    """
    known = [s for s in samples if "score" in s and s["completion_tokens"] is not None]
    if not known:
        return []
    lengths = sorted(int(s["completion_tokens"]) for s in known)
    starts = sorted({lengths[n * len(lengths) // BINS] for n in range(BINS)})
    members: list[list[Sample]] = [[] for _ in starts]
    for sample in known:
        members[bisect_right(starts, int(sample["completion_tokens"])) - 1].append(sample)
    return [_length_bin(some) for some in members]


def _length_bin(members: Sequence[Sample]) -> LengthBin:
    lengths = [int(s["completion_tokens"]) for s in members]
    results = problem_results(members)
    # Which tasks fall into a bin is chance, too, so all of them are one stratum.
    found = interval(
        [Stratum([result.accuracy for result in results])],
        completions=fmean(len(result.scores) for result in results),
    )
    return LengthBin(
        shortest=min(lengths),
        longest=max(lengths),
        completions=len(members),
        truncated=sum(s["finish_reason"] == "length" for s in members),
        accuracy=Estimate(*found, problems=len(results)),
    )
