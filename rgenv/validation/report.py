"""The results of a validation as a table for the terminal and as JSON.

Not here: the page (page.py), and the numbers themselves, which health.py computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from rgenv.text import table
from rgenv.validation.health import LevelReport, TaskReport
from rgenv.validation.page import health_of, levels_text, summary_line
from rgenv.validation.same_answers import level_in_words

MAX_LISTED = 20
"""The terminal lists all tasks up to this number; of more tasks, only those with faults."""

COLUMNS = ("task", "levels", "reward", "top", "beyond", "tokens", "make s", "score s", "health")
"""The columns of the table in the terminal. ``top`` is the share of the most frequent answer, and
``beyond`` what a cheap program solves beyond it, at the worst level; seconds are medians."""


def terminal_table(reports: Sequence[TaskReport]) -> str:
    """Return a table of the tasks, the best cheap program of each, its faults, and the summary."""
    shown = [report for report in reports if len(reports) <= MAX_LISTED or report.faults]
    parts = [table(COLUMNS, [_terminal_row(report) for report in shown])] if shown else []
    parts += [line for report in shown for line in [*_program_lines(report), *_fault_lines(report)]]
    return "\n".join([*parts, summary_line([health_of(report) for report in reports])])


def _terminal_row(report: TaskReport) -> list[str]:
    made = [problem.make_seconds for problem in report.problems]
    scored = [p.score_seconds for p in report.problems if p.score_seconds is not None]
    return [
        report.task,
        levels_text(report.working_levels),
        report.reward_kind,
        f"{max((one.top_share for one in report.levels), default=0):.2f}",
        f"{max((one.beyond for one in report.levels), default=0):+.2f}",
        str(report.prompt_tokens),
        *(f"{median(seconds or [0]):.3f}" for seconds in (made, scored)),
        str(health_of(report)),
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
    for rule in report.broken:
        first, *others = [fault for fault in report.faults if fault.rule == rule]
        also = ", ".join(level_in_words(fault.level) for fault in others)
        reason = report.accepted.get(rule)
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
    return f"{report.task}{source}: {health_of(report)}" + (f" ({fault})" if fault else "")


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


def as_json(reports: Sequence[TaskReport], **run: Any) -> dict[str, Any]:
    """Return all measurements and faults, JSON-able.

    Args:
        run: how they were measured; becomes part of the result.
    """
    healthy = not any(report.unexplained for report in reports)
    return {**run, "healthy": healthy, "tasks": {one.task: _task_json(one) for one in reports}}


def _task_json(report: TaskReport) -> dict[str, Any]:
    return {
        "category": report.category,
        "coverage": report.coverage,
        "healthy": not report.unexplained,
        "faults": [
            {**asdict(fault), "known": report.accepted.get(fault.rule)} for fault in report.faults
        ],
        "working_levels": report.working_levels,
        "reward": report.reward_kind,
        "prompt_tokens": asdict(report.prompt_tokens),
        "levels": [_level_json(level) for level in report.levels],
    }


def _level_json(level: LevelReport) -> dict[str, Any]:
    """Return what was measured, of wrong answers and junk only those that earned something."""
    content = asdict(level)
    for problem in content["problems"]:
        for kind in ("wrong", "junk"):
            problem[kind] = [attempt for attempt in problem[kind] if attempt["score"]]
    for one, program in zip(content["programs"], level.programs, strict=True):
        one["interval"] = program.solved.interval
    return content
