"""The results of a validation as a table for the terminal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from rgenv.measured import health_in_words
from rgenv.text import level_name, table
from rgenv.validation.health import TaskReport, level_in_words

MAX_LISTED = 20
"""The terminal lists all tasks up to this number; of more tasks, only those with faults."""

COLUMNS = ("task", "levels", "reward", "top", "beyond", "tokens", "make s", "score s", "health")
"""The columns of the table in the terminal. ``top`` is the share of the most frequent answer, and
``beyond`` what a cheap program solves beyond it, at the worst level; seconds are medians."""


def terminal_table(reports: Sequence[TaskReport]) -> str:
    """Return a table of the tasks, the best cheap program of each, its faults, and the summary."""
    shown = [report for report in reports if len(reports) <= MAX_LISTED or report.faults]
    parts = [table(COLUMNS, [_row(report) for report in shown])] if shown else []
    parts += [line for report in shown for line in [*_program_lines(report), *_fault_lines(report)]]
    kinds = Counter(report.reward_kind for report in reports)
    problems = sum(len(report.problems) for report in reports)
    return "\n".join([*parts, summary([one.broken for one in reports], kinds, problems)])


def summary(faults: Sequence[Mapping[str, str | None]], kinds: Counter[str], problems: int) -> str:
    """Return the numbers of tasks, problems, healthy tasks and kinds of rewards.

    Args:
        faults: of each task the rules that it breaks, and why that is accepted; None: it is not.
    """
    unhealthy = sum(None in one.values() for one in faults)
    known = sum(bool(one) for one in faults) - unhealthy
    rewards = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    return (
        f"{len(faults)} tasks, {problems} problems: {len(faults) - unhealthy} healthy "
        f"({known} of them with known faults), {unhealthy} unhealthy; rewards: {rewards}"
    )


def levels_text(levels: Iterable[float | None]) -> str:
    """Return the names of levels, or ``none``."""
    return ", ".join("default" if at is None else level_name(at) for at in levels) or "none"


def _row(report: TaskReport) -> list[str]:
    made = [problem.make_seconds for problem in report.problems]
    scored = [p.score_seconds for p in report.problems if p.score_seconds is not None]
    return [
        report.task,
        levels_text(report.working_levels),
        report.reward_kind,
        f"{max((one.top_share for one in report.levels), default=0):.2f}",
        f"{max((one.beyond for one in report.levels), default=0):+.2f}",
        str(report.prompt_tokens),
        f"{median(made or [0]):.3f}",
        f"{median(scored or [0]):.4f}",
        health_in_words(report.broken),
    ]


def _program_lines(report: TaskReport) -> list[str]:
    """Return a line on the cheap program that solves the most beyond the most frequent answer."""
    worst = max(report.levels, key=lambda one: one.beyond, default=None)
    if worst is None or (best := worst.shortcut) is None:
        return []
    low, high = best.solved.interval
    return [
        f"{report.task}: {best} solves {best.solved.value:.2f} of {best.solved.total} problems "
        f"({low:.2f} to {high:.2f}), the most frequent answer {worst.top_share:.2f}, at "
        f"{level_in_words(worst.level)}"
    ]


def _fault_lines(report: TaskReport) -> list[str]:
    """Return a line for each broken rule: its fault at the first level, and the other levels."""
    lines = []
    for rule, reason in report.broken.items():
        first, *others = [fault for fault in report.faults if fault.rule == rule]
        also = ", ".join(level_in_words(fault.level) for fault in others)
        lines.append(
            f"{report.task}: {first}"
            + (f" (also at {also})" if also else "")
            + (f" [known: {reason}]" if reason else "")
        )
    return lines


def task_line(report: TaskReport) -> str:
    """Return the name of a task, its health, and its first fault that is not a known one.

    If our corrections do not apply to the task, the line says so.
    """
    fault = next((str(fault) for fault in report.unexplained), "")
    source = "" if report.coverage == "covered" else f" [{report.coverage}]"
    health = health_in_words(report.broken)
    return f"{report.task}{source}: {health}" + (f" ({fault})" if fault else "")


def coverage_line(reports: Sequence[TaskReport], gone: Sequence[str]) -> str:
    """Return how many tasks our corrections apply to, and the names of the others.

    Args:
        gone: the tasks that the library has no more.
    """
    states: dict[str, list[str]] = {}
    for report in reports:
        states.setdefault(report.coverage, []).append(report.task)
    names = {
        "with another source": states.get("changed"),
        "new": states.get("new"),
        "gone from the library": gone,
    }
    others = [f"; {fact}: {', '.join(tasks)}" for fact, tasks in names.items() if tasks]
    return f"Covered: {len(states.get('covered', ()))} of {len(reports)} tasks{''.join(others)}."
