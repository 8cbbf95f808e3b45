"""Show the groups that the trainer received: a table for the terminal and a plot.

print(report_table(report))
report_plot(report.tasks, known={"gcd"}, subtitle="12 batches", path=Path("demo_output/scores.png"))
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from rgenv.evaluation.plots import score_plot
from rgenv.text import table

from .trainer import TaskStats, TrainerReport

COLUMNS = ("task", "groups", "mean score", "format failures", "truncated")


def report_table(report: TrainerReport) -> str:
    """Return a table with a line for each task, best first, and a line for all tasks."""
    by_score = sorted(report.tasks.items(), key=lambda entry: (-entry[1].mean_score, entry[0]))
    rows = [_row(name, stats) for name, stats in by_score]
    return table(COLUMNS, rows, last=_row("all", report.total))


def _row(name: str, stats: TaskStats) -> tuple[str, ...]:
    counts = (stats.format_failures, stats.truncations)
    return (name, str(stats.groups), f"{stats.mean_score:.3f}", *map(str, counts))


def report_plot(
    tasks: Mapping[str, TaskStats], *, known: Collection[str], subtitle: str, path: Path
) -> None:
    """Write a PNG with a bar for each task; the colour tells whether the policy has a rule."""
    score_plot(
        {name: (stats.mean_score, stats.rollouts) for name, stats in tasks.items()},
        title="Mean score of the stand-in policy per task",
        subtitle=subtitle,
        path=path,
        marked=known,
        legend=("has a rule", "guesses"),
    )
