"""What the trainer received, as a table for the terminal and a plot for the eye.

print(table(report))
plot(report.tasks, known={"gcd"}, subtitle="12 batches", path=Path("demo_output/scores.png"))
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from rgenv.evaluation import plots

from .trainer import TaskStats, TrainerReport

COLUMNS = ("task", "groups", "mean score", "format failures", "truncated")


def line(name: str, stats: TaskStats) -> tuple[str, ...]:
    counts = (stats.format_failures, stats.truncations)
    return (name, str(stats.groups), f"{stats.mean_score:.3f}", *map(str, counts))


def table(report: TrainerReport) -> str:
    """One line per task, best first, equals by name, and a line for all of them."""
    ordered = sorted(report.tasks.items(), key=lambda entry: (-entry[1].mean_score, entry[0]))
    rows = [line(name, stats) for name, stats in ordered]
    return plots.table(COLUMNS, rows, last=line("all", report.total))


def plot(
    tasks: Mapping[str, TaskStats], *, known: Collection[str], subtitle: str, path: Path
) -> None:
    """A bar per task, best on top; its colour says whether the policy has a rule for it."""
    plots.score_plot(
        {name: (stats.mean_score, stats.rollouts) for name, stats in tasks.items()},
        title="Mean score of the stand-in policy per task",
        subtitle=subtitle,
        path=path,
        marked=known,
        legend=("has a rule", "guesses"),
    )
