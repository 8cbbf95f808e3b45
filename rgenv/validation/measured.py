"""What the package carries of a validation, for the command `tasks`.

::

    table = measured_table(reports, release="0.1.25")
    PATH.write_text(written(table))
"""

from __future__ import annotations

from collections.abc import Sequence

from rgenv.catalog.measured import Measured, PromptTokens, Table
from rgenv.validation.health import TaskReport
from rgenv.validation.known_faults import known_reason


def measured_table(reports: Sequence[TaskReport], *, release: str) -> Table:
    """Return what was measured of each task that makes problems.

    Args:
        release: of reasoning-gym.
    """
    return Table(release, {one.task: measured(one) for one in reports if one.problems})


def measured(report: TaskReport) -> Measured:
    """Return what was measured of a task that makes problems."""
    return Measured(
        report.reward_kind,
        PromptTokens.of(problem.prompt_tokens for problem in report.problems),
        {
            level.level: PromptTokens.of(problem.prompt_tokens for problem in level.problems)
            for level in report.levels
            if level.works
        },
        faults(report),
    )


def faults(report: TaskReport) -> dict[str, str | None]:
    """Return the rules that a task breaks, and why that is accepted; None: it is not."""
    return {rule: known_reason(report.task, rule) for rule in report.broken}
