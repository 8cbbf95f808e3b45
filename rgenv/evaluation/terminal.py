"""An evaluation as text for the terminal: a table, what changed, and the result in a line."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from statistics import fmean
from typing import Any

from rgenv.evaluation.compare import Comparison
from rgenv.evaluation.evaluate import Evaluation
from rgenv.evaluation.results import (
    ProblemResult,
    failures_as_unsolved,
    grouped,
    notes,
    problem_results,
    with_few_families,
)
from rgenv.text import counted, table
from rgenv.types import Sample

COLUMNS = ("", "problems", "accuracy", "95 % interval", "blind", "format", "truncated")
OUTCOMES = {"better": "better", "worse": "worse", "": "no clear difference by a sign test"}


def report(done: Evaluation) -> str:
    parts = ["\n".join([score_table(done.samples, done.metrics), *notes(done.samples)])]
    if done.comparison is not None:
        parts.append(comparison_text(done.comparison, str(done.about["model"])))
    return "\n\n".join([*parts, done.summary])


def signed(number: float, digits: int) -> str:
    """Format a number with its sign, which zero has not: +1.5, −0.2, 0.0."""
    rounded = round(number, digits)
    return f"{rounded:+.{digits}f}".replace("-", "−") if rounded else f"{0:.{digits}f}"


def in_words(value: Any) -> str:
    """Return a setting as text, those of a mapping in a row."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {in_words(one)}" for name, one in value.items())
    return "none" if value is None else str(value)


def comparison_text(found: Comparison, model: str) -> str:
    lines = [f"Compared with {found.name} (model {found.model}; now {model}):"]
    overall = found.overall
    if overall is None:
        why = found.cautions or ["The two runs have no scored problem in common."]
        return " ".join([*lines, *why])
    outcome = "not judged" if found.scored_differently else OUTCOMES[overall.verdict]
    change, low, high = (
        signed(100 * number, 1) for number in (overall.change, overall.low, overall.high)
    )
    lines[0] += (
        f" accuracy {change} points (95 % interval {low} to {high}) on "
        f"{counted(overall.problems, 'common problem')}: {outcome}."
    )
    lines += found.cautions
    settings = found.settings.items()
    differing = [f"{name} {in_words(old)}, now {in_words(new)}" for name, (old, new) in settings]
    if differing:
        lines.append(f"Settings that differ: {'; '.join(differing)}.")
    for verdict in ("better", "worse"):
        if tasks := found.changed_tasks(verdict):
            lines.append(f"Tasks that got {verdict}: {', '.join(tasks)}.")
    return "\n".join(lines)


def score_table(samples: Sequence[Sample], metrics: Mapping[str, float]) -> str:
    """Return a table with a line for each category and its tasks, and two for the whole.

    A further line has the tasks with few families, if there are any. With several completions of a
    problem, the last column is pass@k.
    """
    results = problem_results(samples)
    tries = {r.problem_id: r for r in problem_results(failures_as_unsolved(samples))}
    most = max((len(result.scores) for result in tries.values()), default=1)
    columns = (*COLUMNS, f"pass@{most}") if most > 1 else COLUMNS
    if not results:
        return table(columns, [], last=("all problems (micro)", "0", *["-"] * (len(columns) - 2)))

    def row(
        name: str, members: Sequence[ProblemResult], metric: str, *, macro: bool = False
    ) -> tuple[str, ...]:
        def mean(value: Callable[[ProblemResult], float]) -> str:
            return f"{_mean(members, value, macro=macro):.3f}"

        cells = [
            name,
            str(len(members)),
            f"{metrics[metric]:.3f}",
            f"{metrics[f'{metric}_low']:.3f} to {metrics[f'{metric}_high']:.3f}",
            mean(lambda result: result.blind),
            mean(lambda result: result.formats["kept"]),
            mean(lambda result: result.truncation_rate),
        ]
        if most > 1:
            cells.append(mean(lambda result: tries[result.problem_id].pass_at(most)))
        return tuple(cells)

    rows = []
    for category, members in grouped(results, attrgetter("category")).items():
        rows.append(row(category, members, f"eval/category/{category}/accuracy"))
        for task, some in grouped(members, attrgetter("task")).items():
            rows.append(row(f"  {task}", some, f"eval/{task}/accuracy"))
    if few := with_few_families(results):
        rows.append(row("of these, few families", few, "eval/few_families/accuracy"))
    rows.append(row("all tasks (macro)", results, "eval/macro_accuracy", macro=True))
    return table(columns, rows, last=row("all problems (micro)", results, "eval/accuracy"))


def _mean(
    results: Sequence[ProblemResult], value: Callable[[ProblemResult], float], *, macro: bool
) -> float:
    if macro:
        tasks = grouped(results, attrgetter("task")).values()
        return fmean(_mean(some, value, macro=False) for some in tasks)
    return fmean(map(value, results))
