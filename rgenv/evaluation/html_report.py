"""An evaluation as one HTML page: accuracy, comparison with an earlier run, failures."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rgenv.evaluation.chance import MIN_PROBLEMS
from rgenv.evaluation.compare import Comparison, EarlierRun
from rgenv.evaluation.estimates import Estimate, accuracy, by_length, estimate
from rgenv.evaluation.examples import failures, successes
from rgenv.evaluation.html_page import flattened, render
from rgenv.evaluation.metrics import size_note
from rgenv.evaluation.results import (
    ProblemResult,
    families_of_few,
    format_notes,
    grouped,
    level_names,
    problem_results,
    ranked,
)
from rgenv.runtime.files import write_atomic
from rgenv.types import Sample
from rgenv.viewing.folder import link
from rgenv.viewing.verdicts import VERDICTS

TEMPLATE = Path(__file__).with_name("html_report.html.j2")

CIVIDIS = ((0, 34, 78), (67, 78, 108), (125, 124, 120), (188, 174, 108), (254, 232, 56))
"""Dark blue to yellow, a colour map that colour-blind readers see alike."""


def write(
    folder: Path,
    samples: Sequence[Sample],
    metrics: Mapping[str, float],
    about: Mapping[str, Any],
    *,
    earlier: EarlierRun | None = None,
    comparison: Comparison | None = None,
    samples_page: str | None = None,
) -> Path:
    """Write `report.html` into an existing folder, and return its path.

    Args:
        about: the configuration of the evaluation, shown as a table; `model` and `date` are also
            shown at the top.
    """
    results = problem_results(samples)
    levels = _bars(metrics, "level", grouped(results, "level_name"))
    model = about.get("model", "")
    page = render(
        TEMPLATE,
        f"Evaluation of {model}" if model else "Evaluation",
        about=flattened(about),
        model=model,
        date=about.get("date", ""),
        metrics=metrics,
        passes=_passes(metrics),
        categories=_bars(metrics, "category", grouped(results, "category")),
        levels={name: levels[name] for name in level_names(results)},
        heat_map=heat_map(results),
        level_names=level_names(results),
        lengths=by_length(samples),
        verdicts=_verdicts(metrics),
        format_notes=format_notes(samples),
        examples={"Failures": failures(samples), "Successes": successes(samples)},
        samples_page=samples_page,
        link=lambda problem: f"{samples_page}{link(folder, problem)}",
        name=folder.resolve().name,
        table=task_table(results),
        size_note=size_note(results) if results else "",
        few_families=dict(sorted(families_of_few(results).items(), key=_task_and_level)),
        tasks=len({result.task for result in results}),
        all_tasks=sum((about.get("all_tasks") or {}).values()),
        min_problems=MIN_PROBLEMS,
        limit=about.get("limit"),
        earlier=earlier,
        comparison=comparison,
    )
    path = folder / "report.html"
    write_atomic(path, page)
    return path


def _task_and_level(row: tuple[tuple[str, float | None], int]) -> tuple[str, float]:
    (task, level), _ = row
    return task, -1.0 if level is None else level


def _passes(metrics: Mapping[str, float]) -> dict[int, float]:
    """k -> pass@k for k >= 2; pass@1 is the accuracy."""
    found = {
        int(name.removeprefix("eval/pass@")): value
        for name, value in metrics.items()
        if re.fullmatch(r"eval/pass@\d+", name)
    }
    return {k: found[k] for k in sorted(found) if k > 1}


class Bar(NamedTuple):
    accuracy: Estimate
    blind_share: float
    mean_score: float


def _bars(
    metrics: Mapping[str, float], kind: str, groups: Mapping[str, Sequence[ProblemResult]]
) -> dict[str, Bar]:
    """Category or level -> its numbers, taken from the metrics."""
    rows = {}
    for name, members in groups.items():
        prefix = f"eval/{kind}/{name}"
        mean, low, high = (metrics[f"{prefix}/accuracy{end}"] for end in ("", "_low", "_high"))
        found = Estimate(mean, low, high, problems=len(members))
        rows[name] = Bar(found, metrics[f"{prefix}/blind_share"], metrics[f"{prefix}/mean_score"])
    return rows


class VerdictCount(NamedTuple):
    meaning: str
    completions: int
    share: float


def _verdicts(metrics: Mapping[str, float]) -> dict[str, VerdictCount]:
    """Kind -> its count, most frequent first; failed samples last."""
    counts = {
        name.removeprefix("eval/verdicts/"): int(count)
        for name, count in metrics.items()
        if re.fullmatch("eval/verdicts/[^/]+", name)
    }
    ordered = dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))
    if metrics["eval/errors"]:
        ordered["failed"] = int(metrics["eval/errors"])
    total = metrics["eval/completions"]
    return {kind: VerdictCount(VERDICTS[kind], n, n / total) for kind, n in ordered.items()}


# Heat map


class Cell(NamedTuple):
    """A task at one level or at all, and the cell's two colours."""

    accuracy: Estimate
    blind_share: float
    mean_score: float
    background: str
    ink: str


@dataclass(frozen=True)
class HeatMapRow:
    """A task; a level without problems has no cell."""

    task: str
    cells: Mapping[str, Cell]
    all_levels: Cell


def heat_map(results: Sequence[ProblemResult]) -> dict[str, list[HeatMapRow]]:
    return {
        category: [_heat_map_row(task, members) for task, members in tasks.items()]
        for category, tasks in ranked(results).items()
    }


def _heat_map_row(task: str, members: Sequence[ProblemResult]) -> HeatMapRow:
    cells = {name: _cell(some) for name, some in grouped(members, "level_name").items()}
    return HeatMapRow(task, cells, all_levels=_cell(members))


def _cell(members: Sequence[ProblemResult]) -> Cell:
    found = estimate(members, accuracy)
    blind = fmean(result.blind for result in members)
    mean_score = fmean(result.mean_score for result in members)
    return Cell(found, blind, mean_score, *colours(found.mean))


def colours(share: float) -> tuple[str, str]:
    """Return a background for a number in [0, 1], and black or white, whichever contrasts more."""
    place = min(max(share, 0.0), 1.0) * (len(CIVIDIS) - 1)
    low = min(int(place), len(CIVIDIS) - 2)
    ends = zip(CIVIDIS[low], CIVIDIS[low + 1], strict=True)
    mixed = [round(a + (b - a) * (place - low)) for a, b in ends]
    light = luminance(mixed)
    ink = "#fff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000"  # WCAG 2 contrast
    return "#" + "".join(f"{part:02x}" for part in mixed), ink


def luminance(rgb: Sequence[int]) -> float:
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    parts = [part / 255 for part in rgb]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def task_table(results: Sequence[ProblemResult]) -> str:
    """Return a line for each task, with tabs between its values, for a spreadsheet.

    Shares are in percent. The last columns are the accuracies at each level.
    """
    levels = level_names(results)
    heads = "category task problems accuracy low high blind_share mean_score".split()
    lines = [[*heads, *(f"level {'defaults' if name == 'none' else name}" for name in levels)]]
    for category, rows in heat_map(results).items():
        for row in sorted(rows, key=lambda row: row.task):
            found, shown = row.all_levels, row.cells
            shares = [found.accuracy.mean, found.accuracy.low, found.accuracy.high]
            shares += [found.blind_share, found.mean_score]
            at = [f"{100 * shown[x].accuracy.mean:.1f}" if x in shown else "" for x in levels]
            numbers = [f"{100 * share:.1f}" for share in shares]
            lines.append([category, row.task, str(found.accuracy.problems), *numbers, *at])
    return "\n".join("\t".join(line) for line in lines)
