"""wandb: offline mode, the start of a run, the curriculum's metrics."""

import asyncio
import logging
import os
import random
import string
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from unittest import mock

import wandb

from rgenv.secrets import hide, without_secrets
from rgenv.text import one_line

log = logging.getLogger(__name__)


async def start(name: str | None, config: Mapping[str, Any], **of_trainer: Any) -> None:
    """Start a wandb run, named as Atropos names it; wandb gets no secrets.

    It is offline if there is no account or no network, so that wandb neither asks nor waits. Date
    and a random code follow the name; `of_trainer` has its project and group.
    """
    why = ""
    is_online = os.environ.get("WANDB_MODE", "online") in ("", "online", "shared")
    if is_online and not os.environ.get("WANDB_DISABLED"):
        try:
            if not await asyncio.to_thread(wandb.login, prompt=False):
                why = "No wandb account found"
        except wandb.Error as error:
            why = f"wandb can't be used ({one_line(error)})"
    if why:
        log.warning(
            "%s: logging offline to %s (`wandb sync` uploads it later, --env.use_wandb false turns "
            "it off).",
            *(why, os.path.join(os.environ.get("WANDB_DIR", "."), "wandb")),
        )
    code = "".join(random.choices(string.ascii_lowercase, k=6))
    shown = [hide(word) for word in sys.argv]  # wandb saves the command line with the run
    with mock.patch.object(sys, "argv", shown):
        wandb.init(
            name=f"{name}-{datetime.now():%Y-%m-%d}-{code}" if name else None,
            config=without_secrets(config),
            mode="offline" if why else None,
            **of_trainer,
        )


def curriculum_metrics(levels: Mapping[str, float], target: float) -> dict[str, Any]:
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
