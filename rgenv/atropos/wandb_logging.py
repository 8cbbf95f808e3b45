"""wandb: offline mode, the table of rollouts, the curriculum's metrics, the end of a run."""

import contextlib
import logging
import netrc
import os
import random
import string
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlparse

import aiohttp
import wandb

from rgenv.atropos.patches import arguments_without_secrets
from rgenv.rollouts.recorder import TABLE_COLUMNS, TableRow
from rgenv.secrets import hide, without_secrets
from rgenv.text import describe

log = logging.getLogger(__name__)

ANSWER_SECONDS = 5.0
"""Seconds in which wandb's server must answer once, or else the run is logged offline."""

START_SECONDS = 15.0
"""Seconds that starting a run may take; wandb's own limit is 90."""

FORMER_HOSTS = {"api.forge.coreweave.com": "api.wandb.ai"}
"""A host of wandb -> the one that it had before, under which an account may be stored."""

OFFLINE = (
    "%s: logging offline to %s (`wandb sync` uploads it later, --env.use_wandb false turns it off)."
)


async def prefer_offline(use_wandb: bool) -> None:
    """Log offline if there is no account or no network, so that wandb neither asks nor waits."""
    if not use_wandb:
        return
    server = os.environ.get("WANDB_BASE_URL") or wandb.Settings().base_url
    if not _has_account(server):
        _log_offline("No wandb account found")
    elif os.environ.get("WANDB_MODE", "online") in ("", "online", "shared") and not (
        os.environ.get("WANDB_DISABLED") or await _answers(server)
    ):
        _log_offline(f"wandb's server {hide(server)} does not answer")


def _has_account(server: str) -> bool:
    """Return whether wandb starts without asking for a login: by a key, a mode or .netrc."""
    if any(os.environ.get(name) for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DISABLED")):
        return True
    with contextlib.suppress(OSError, netrc.NetrcParseError, ValueError):  # a wrong address
        host = urlparse(server).hostname or ""
        known = netrc.netrc(os.environ.get("NETRC"))
        return any(known.authenticators(name) for name in (host, FORMER_HOSTS.get(host, "")))
    return False


def _log_offline(why: str) -> None:
    os.environ["WANDB_MODE"] = "offline"
    log.warning(OFFLINE, why, os.path.join(os.environ.get("WANDB_DIR", "."), "wandb"))


async def _answers(url: str) -> bool:
    """Return whether a server sends any answer, through a proxy if one is set."""
    limit = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, trust_env=True) as session,
            session.get(url, allow_redirects=False),
        ):
            return True
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError):
        return False


def start(
    name: str | None,
    config: Mapping[str, Any],
    *,
    project: str | None = None,
    group: str | None = None,
) -> None:
    """Start a wandb run, named as Atropos names it, offline if that fails; wandb gets no secrets.

    Date and a random code follow the name; project and group are those of the trainer.
    """
    code = "".join(random.choices(string.ascii_lowercase, k=6))
    settings = {
        "name": f"{name}-{datetime.now():%Y-%m-%d}-{code}" if name else None,
        "project": project,
        "group": group,
        "config": without_secrets(config),
    }
    with arguments_without_secrets():  # wandb saves the command line with the run
        try:
            wandb.init(settings=wandb.Settings(init_timeout=START_SECONDS), **settings)
        except wandb.Error as error:
            _log_offline(f"wandb can't start ({describe(error)})")
            wandb.init(mode="offline", **settings)


def rollout_table(groups: Iterable[Iterable[TableRow]]) -> wandb.Table:
    table = wandb.Table(columns=list(TABLE_COLUMNS))
    for group in groups:
        for row in group:
            table.add_data(*row)
    return table


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


def finish() -> None:
    if wandb.run is not None:
        wandb.finish()
