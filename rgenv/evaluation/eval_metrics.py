"""The numbers of an evaluation, computed from its samples.

docs/metrics.md lists all of them. Unless it says otherwise, a number is the mean over problems of
the mean over each problem's completions. A sample without a score counts in ``pass@k``, as a
completion that does not solve its problem, and in no other mean; K, the largest k, is the number of
samples of a problem, with a score or without. ``_low`` and ``_high`` are the ends of 95 % intervals
(estimates.py).
"""

from collections.abc import Iterable, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from statistics import fmean

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

SHARES: dict[str, Format] = {
    "eval/format_rate": "kept",
    "eval/format_cut_rate": "cut",
    "eval/format_rejected_rate": "rejected",
    "eval/format_broken_rate": "broken",
}


def metrics(samples: Sequence[Sample]) -> dict[str, float]:
    """Return all numbers."""
    results = problem_results(samples)
    out: dict[str, float] = {
        "eval/errors": sum("score" not in sample for sample in samples),
        "eval/items": len({problem_id_of(sample) for sample in samples}),
        "eval/completions": len(samples),
        **_mean_tokens(samples),
    }
    if results:
        failed = out["eval/errors"] > 0
        tries = problem_results(failures_as_unsolved(samples)) if failed else results
        out |= _overall(results) | _passes(tries)
    for prefix, key in (("category/", "category"), ("level/", "level_name"), ("", "task")):
        for name, members in grouped(results, attrgetter(key)).items():
            out |= _part(f"eval/{prefix}{name}", members)
    if few := with_few_families(results):
        out |= _part("eval/few_families", few)
    scored = grouped((sample for sample in samples if "score" in sample), itemgetter("task"))
    kinds = {task: [sample["verdict"] for sample in members] for task, members in scored.items()}
    verdicts = verdict_metrics(kinds)
    out |= {f"eval/{name}": number for name, number in verdicts.items()}
    return {name: float(value) for name, value in out.items()}


def _overall(results: Sequence[ProblemResult]) -> dict[str, float]:
    return {
        "eval/percent_correct": fmean(result.percent_correct for result in results),
        **{name: fmean(r.formats[one] for r in results) for name, one in SHARES.items()},
        "eval/truncation_rate": fmean(result.truncation_rate for result in results),
        **_part("eval", results),
        **_ends("eval/macro_accuracy", estimate(results, accuracy, macro=True)),
        **_ends("eval/macro_mean_score", estimate(results, mean_score, macro=True)),
    }


def _part(prefix: str, results: Sequence[ProblemResult]) -> dict[str, float]:
    return {
        **_ends(f"{prefix}/accuracy", estimate(results, accuracy)),
        **_ends(f"{prefix}/mean_score", estimate(results, mean_score)),
        f"{prefix}/blind_share": fmean(result.blind for result in results),
    }


def _passes(tries: Sequence[ProblemResult]) -> dict[str, float]:
    most = max(len(result.scores) for result in tries)
    out: dict[str, float] = {}
    for k in sorted({most, *(2**n for n in range(most.bit_length()))}):
        out |= _ends(f"eval/pass@{k}", estimate(tries, partial(ProblemResult.pass_at, k=k)))
    return out


def _ends(name: str, found: Estimate) -> dict[str, float]:
    return {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}


def _mean_tokens(samples: Iterable[Sample]) -> dict[str, float]:
    counts = [s["completion_tokens"] for s in samples if s.get("completion_tokens") is not None]
    return {"eval/mean_tokens": fmean(counts)} if counts else {}
