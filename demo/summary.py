"""Show the groups that the trainer received, as a table for the terminal."""

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
