"""The numbers of an evaluation, computed from its samples.

docs/metrics.md lists all of them. Unless it says otherwise, a number is the mean over problems of
the mean over each problem's completions. A sample without a score counts in ``pass@k``, as a
completion that does not solve its problem, and in no other mean; K, the largest k, is the number of
samples of a problem, with a score or without. ``_low`` and ``_high`` are the ends of 95 % intervals
(estimates.py). If the tasks are a sample, the intervals of the whole, the categories and the levels
hold for all tasks.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean

from rgenv.evaluation.chance import MIN_PROBLEMS, detectable, detectable_in_a_task
from rgenv.evaluation.estimates import Estimate, accuracy, estimate, mean_score
from rgenv.evaluation.results import (
    ProblemResult,
    failures_as_unsolved,
    grouped,
    problem_id_of,
    problem_results,
    with_few_families,
)
from rgenv.rollouts.metrics import Format, verdict_metrics
from rgenv.types import Sample


def metrics(
    samples: Sequence[Sample], all_tasks: Mapping[str, int] | None = None
) -> dict[str, float]:
    """Return all numbers; `all_tasks`: category -> its number of tasks, if these are a sample."""
    sizes = dict(all_tasks or {})
    whole = sum(sizes.values())
    results = problem_results(samples)
    out: dict[str, float] = {
        "eval/errors": sum("score" not in sample for sample in samples),
        "eval/items": len({problem_id_of(sample) for sample in samples}),
        "eval/completions": len(samples),
        **_overall(results, whole),
        **_mean_tokens(samples),
    }
    if results:
        out |= _passes(problem_results(failures_as_unsolved(samples)), whole)
    for category, members in grouped(results, "category").items():
        out |= _part(f"eval/category/{category}", members, sizes.get(category, 0))
    for level, members in grouped(results, "level_name").items():
        out |= _part(f"eval/level/{level}", members, whole)
    for task, members in grouped(results, "task").items():
        out |= _part(f"eval/{task}", members, 0)
    if few := with_few_families(results):
        out |= _part("eval/few_families", few, 0)
    verdicts = verdict_metrics(_verdict_kinds(samples))
    out |= {f"eval/{name}": number for name, number in verdicts.items()}
    return {name: float(value) for name, value in out.items()}


def _overall(results: Sequence[ProblemResult], all_tasks: int) -> dict[str, float]:
    if not results:
        return {}
    macro = estimate(results, accuracy, macro=True, all_tasks=all_tasks)
    macro_score = estimate(results, mean_score, macro=True, all_tasks=all_tasks)
    fixed = estimate(results, accuracy)
    return {
        "eval/percent_correct": fmean(result.percent_correct for result in results),
        "eval/format_rate": _format_share(results, "kept"),
        "eval/format_cut_rate": _format_share(results, "cut"),
        "eval/format_rejected_rate": _format_share(results, "rejected"),
        "eval/format_broken_rate": _format_share(results, "broken"),
        "eval/truncation_rate": fmean(result.truncation_rate for result in results),
        "eval/detectable_change": detectable((fixed.high - fixed.low) / 2),
        **_part("eval", results, all_tasks),
        **_ends("eval/macro_accuracy", macro),
        **_ends("eval/macro_mean_score", macro_score),
    }


def _format_share(results: Sequence[ProblemResult], wanted: Format) -> float:
    return fmean(result.formats[wanted] for result in results)


def _part(prefix: str, results: Sequence[ProblemResult], all_tasks: int) -> dict[str, float]:
    return {
        **_ends(f"{prefix}/accuracy", estimate(results, accuracy, all_tasks=all_tasks)),
        **_ends(f"{prefix}/mean_score", estimate(results, mean_score, all_tasks=all_tasks)),
        f"{prefix}/blind_share": fmean(result.blind for result in results),
    }


def _passes(tries: Sequence[ProblemResult], all_tasks: int) -> dict[str, float]:
    most = max(len(result.scores) for result in tries)
    out: dict[str, float] = {}
    for k in sorted({most, *(2**n for n in range(most.bit_length()))}):
        passing = estimate(
            tries,
            partial(ProblemResult.pass_at, k=k),
            all_tasks=all_tasks,
            draws=fmean(max(1.0, len(result.scores) / k) for result in tries),
        )
        out |= _ends(f"eval/pass@{k}", passing)
    return out


def _ends(name: str, found: Estimate) -> dict[str, float]:
    return {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}


def _mean_tokens(samples: Iterable[Sample]) -> dict[str, float]:
    counts = [s["completion_tokens"] for s in samples if s.get("completion_tokens") is not None]
    return {"eval/mean_tokens": sum(counts) / len(counts)} if counts else {}


def _verdict_kinds(samples: Iterable[Sample]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for sample in samples:
        if "score" in sample:
            kinds.setdefault(sample["task"], []).append(sample["verdict"])
    return dict(sorted(kinds.items()))


def size_note(results: Sequence[ProblemResult]) -> str:
    found = estimate(results, accuracy)
    tasks = grouped(results, "task")
    size = round(fmean(map(len, tasks.values())))
    least = detectable_in_a_task(size, tests=2 * len(tasks)) if size >= MIN_PROBLEMS else None
    single = (
        f"in a single task, with {size} problems, one of up to {100 * least:.0f} points"
        if least is not None
        else f"in a single task, sets of {size} are too small to show any"
    )
    return (
        "Between two runs of this size, a change of accuracy is found in 80 % of cases if it is at "
        f"least {100 * detectable((found.high - found.low) / 2):.1f} points; {single}."
    )
