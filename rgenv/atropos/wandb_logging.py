"""wandb: offline mode, the table of rollouts, the curriculum's metrics, the end of a run."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

import wandb

from rgenv.rollouts.recorder import TABLE_COLUMNS, TableRow
from rgenv.runtime.host import has_wandb_account

log = logging.getLogger(__name__)


def prefer_offline(use_wandb: bool) -> None:
    """Log offline if there is no account, so that wandb does not ask for one."""
    if use_wandb and not has_wandb_account():
        os.environ["WANDB_MODE"] = "offline"
        log.warning(
            "No wandb account found: logging offline to ./wandb (`wandb sync` uploads it later, "
            "--env.use_wandb false turns it off)."
        )


def rollout_table(groups: Iterable[Iterable[TableRow]]) -> wandb.Table:
    """Return the table of rollouts, with one row for each."""
    table = wandb.Table(columns=list(TABLE_COLUMNS))
    for group in groups:
        for row in group:
            table.add_data(*row)
    return table


def curriculum_metrics(levels: Mapping[str, float], target: float) -> dict[str, Any]:
    """Return the curriculum's metrics; none before the first group of any task."""
    if not levels:
        return {}
    values = list(levels.values())
    return {
        "curriculum/total_tasks_tracked": len(values),
        "curriculum/target_accuracy": target,
        "curriculum/avg_complexity": sum(values) / len(values),
        "curriculum/min_complexity": min(values),
        "curriculum/max_complexity": max(values),
    }


def finish() -> None:
    """End the wandb run, if there is one; may take seconds."""
    if wandb.run is not None:
        wandb.finish()
