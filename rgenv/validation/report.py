"""The results of a validation as a table for the terminal and as JSON.

::

    print(terminal_table(reports))

Not here: the page (page.py), and the numbers themselves, which health.py computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from statistics import median
from typing import Any

from rgenv.text import table
from rgenv.validation.health import LevelReport, ProblemReport, TaskReport
from rgenv.validation.measures import Policy, Share
from rgenv.validation.page import health_of, levels_text, summary_line
from rgenv.validation.rules import CHECK_IDS, REMEDIES
from rgenv.validation.same_answers import level_in_words

MAX_LISTED = 20
"""The terminal lists all tasks up to this number; of more tasks, only those with faults."""

COLUMNS = (
    "task",
    "levels",
    "reward",
    "blind",
    "share",
    "excess",
    "tokens",
    "make s",
    "max",
    "score s",
    "max",
    "health",
)
"""The columns of the table in the terminal; seconds are the median and the maximum."""


def terminal_table(reports: Sequence[TaskReport]) -> str:
    """Return a table of the tasks, a line for each fault, and the summary."""
    shown = [report for report in reports if len(reports) <= MAX_LISTED or report.faults]
    parts = [table(COLUMNS, [_terminal_row(report) for report in shown])] if shown else []
    parts += [line for report in shown for line in _fault_lines(report)]
    return "\n".join([*parts, summary_line([health_of(report) for report in reports])])


def _terminal_row(report: TaskReport) -> list[str]:
    made = [problem.make_seconds for problem in report.problems] or [0.0]
    scored = [p.score_seconds for p in report.problems if p.score_seconds is not None] or [0.0]
    constant = report.constant
    blind = (
        ["-", "-", "-"]
        if constant is None
        else [f"{constant.mean:.2f}", f"{constant.share:.2f}", f"{constant.excess:+.2f}"]
    )
    times = [median(made), max(made), median(scored), max(scored)]
    return [
        report.task,
        levels_text(report.working_levels),
        report.reward_kind,
        *blind,
        str(report.prompt_tokens),
        *(f"{seconds:.3f}" for seconds in times),
        str(health_of(report)),
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
    healthy = all(report.healthy for report in reports)
    return {
        **run,
        "report_schema_version": "1",
        "verdict": "pass" if healthy else "fail",
        "healthy": healthy,
        "results": [result for report in reports for result in _check_results(report)],
        "tasks": {report.task: _task_json(report) for report in reports},
    }


def _check_results(report: TaskReport) -> list[dict[str, Any]]:
    """Return one result for each check, in the layout of OpenEnv's RFC 008."""
    results, faults = [], report.faults
    for rule, check_id in CHECK_IDS.items():
        found = [fault for fault in faults if fault.rule == rule]
        known = report.accepted.get(rule)
        results.append(
            {
                "check_id": check_id,
                "target": report.task,
                "status": "pass" if not found or known else "fail",
                "evidence": [str(fault) for fault in found],
                "remediation": (known or REMEDIES[rule]) if found else "",
            }
        )
    return results


def _task_json(report: TaskReport) -> dict[str, Any]:
    constant = report.constant
    return {
        "category": report.category,
        "coverage": report.coverage,
        "healthy": report.healthy,
        "faults": [
            {**asdict(fault), "known": report.accepted.get(fault.rule)} for fault in report.faults
        ],
        "working_levels": report.working_levels,
        "reward": report.reward_kind,
        "prompt_tokens": asdict(report.prompt_tokens),
        "blind": constant and {**asdict(constant), "excess": constant.excess},
        "levels": [_level_json(level) for level in report.levels],
    }


def _level_json(level: LevelReport) -> dict[str, Any]:
    return {
        "level": level.level,
        "items": [_problem_json(problem) for problem in level.problems],
        "failed": level.failed,
        "constant": level.constant and asdict(level.constant),
        "between": level.partial_constant,
        "forms": {name: _share_json(share) for name, share in level.forms.items()},
        "refused": dict(level.refused),
        "shortcut": _policy_json(level.shortcut),
        "top_answer": _policy_json(level.top_answer),
        "tell": level.tell,
        "tell_error": level.tell_error,
        "work": level.work and asdict(level.work),
    }


def _policy_json(policy: Policy | None) -> dict[str, Any] | None:
    if policy is None:
        return None
    return {"name": policy.name, "solved": _share_json(policy.solved)}


def _share_json(share: Share) -> dict[str, Any]:
    return {**asdict(share), "value": share.value, "interval": share.interval}


def _problem_json(problem: ProblemReport) -> dict[str, Any]:
    """Return what was measured, of wrong answers and junk only those that earned something."""
    names = {"reference": "oracle", "reference_score": "oracle_score"}
    shown = replace(
        problem,
        wrong=tuple(attempt for attempt in problem.wrong if attempt.score),
        junk=tuple(attempt for attempt in problem.junk if attempt.score),
    )
    return {names.get(name, name): value for name, value in asdict(shown).items()}
