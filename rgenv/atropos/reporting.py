"""What a run reports of itself: its configuration, its metrics, and a snapshot for its lines.

::

    reporter = Reporter(metrics, ledger)
    reporter.begin("serve", folder=lambda: folder, look=lambda: snapshot(env, api, ledger), ...)
    metrics = reporter.take([])        # for wandb; writes a line, too
    reporter.save(metrics, step=3)     # to metrics.jsonl
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from atroposlib.envs.base import EvalHandlingEnum
from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.delivery import Delivery
from rgenv.atropos.rollout_api import RolloutApi
from rgenv.atropos.session import Session
from rgenv.atropos.startup import Mode
from rgenv.rollouts.ledger import Ledger
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.metrics_file import MetricsFile
from rgenv.rollouts.status import Snapshot, Status
from rgenv.secrets import remember, without_secrets

log = logging.getLogger("ReasoningGymEnv")

PROCESS_SECONDS = 10.0
"""Seconds between two reports of `process`."""


def log_configuration(
    config: ReasoningGymEnvConfig, servers: ServerBaseline | Iterable[ServerBaseline]
) -> None:
    """Log the configuration without its secrets, for debugging, and hide them from now on."""
    settings = [servers] if isinstance(servers, ServerBaseline) else servers
    shown = {"env": config.model_dump(), "openai": [server.model_dump() for server in settings]}
    remember(shown)
    log.debug("Configuration: %s", without_secrets(shown))


class Reporter:
    """Takes the metrics of a run, and writes lines and metrics.jsonl.

    Args:
        metrics: collects groups and counts.
        ledger: counts tokens.

    Attributes:
        status: writes the lines.
    """

    def __init__(self, metrics: TrainMetrics, ledger: Ledger) -> None:
        self.status = Status()
        self._metrics = metrics
        self._ledger = ledger
        self._tokens_reported: dict[str, int] = {}
        self._mode: Mode = "embedded"

    def begin(
        self,
        mode: Mode,
        *,
        folder: Callable[[], Path],
        run_id: Callable[[], str],
        current: Callable[[], Mapping[str, Any]],
        delivery: Delivery,
        look: Callable[[], Snapshot],
    ) -> None:
        """Report a run from now on.

        Args:
            folder: returns the folder of metrics.jsonl.
            run_id: returns the id of the run, which a checkpoint may change.
            current: returns the metrics that are current values.
            look: returns the run as it is now.
        """
        self._mode, self._run_id, self._current = mode, run_id, current
        self._delivery = delivery
        self._file = MetricsFile(folder)
        if mode in ("serve", "process"):
            self.status.watch(look)
        if mode == "process":
            self.status.between = PROCESS_SECONDS

    @property
    def is_due(self) -> bool:
        """Whether to report now: always, but in `process`, which could after each group."""
        return self._mode != "process" or self.status.due

    def take(self, others: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        """Write a line, and return all metrics since the last call with the others."""
        speed = self.status.report()  # before the rates of its line are taken
        self._tokens_reported = self._ledger.state()
        return {
            **dict(others),
            **self._metrics.take(),
            **self._current(),
            "train/groups_refused": self._delivery.refused,
            "train/groups_not_delivered": self._delivery.lost,
            **self._ledger.metrics(),
            **speed,
        }

    def save(self, metrics: Mapping[str, Any], step: int) -> None:
        """Append metrics to metrics.jsonl, in `serve` and `process`."""
        if self._mode in ("serve", "process"):
            run = self._run_id()
            self._file.append({"run": run, "step": step, "time": round(time.time(), 1), **metrics})

    def finish(self, others: Iterable[tuple[str, Any]], step: int) -> bool:
        """Report groups and tokens since the last report of `serve`.

        wandb may have the step already.

        Returns:
            Whether there are groups that `process` has still to report.
        """
        self.status.between = 0.0
        if not self._metrics.rates() and self._ledger.state() == self._tokens_reported:
            return False
        if self._mode == "serve":
            self.save(self.take(others), step)
        return self._mode == "process"


def snapshot(env: Any, api: RolloutApi, ledger: Ledger) -> Snapshot:
    """Return what Atropos' loop of `serve` or `process` is doing now.

    Args:
        env: the environment, after its `setup`.
    """
    if env.mode == "process":
        return Snapshot(
            unit="Group",
            step=env.curr_step,
            total=getattr(env, "n_groups_to_process", None),
            sent=env.curr_step,
            trained=ledger.trained_share,
            **_generation(env.session, env.server.servers),
        )
    config, status = env.config, getattr(env, "status_dict", {})
    evaluates = env.eval_runner is not None and not env.eval_runner.done()
    return Snapshot(
        step=env.curr_step,
        total=config.total_steps if config.total_steps > 0 else None,
        sent=api.delivery.delivered,
        trained=ledger.trained_share,
        most_under_way=env.max_num_workers,
        queue=status.get("queue_size"),
        queue_limit=config.max_batches_offpolicy * config.batch_size // config.group_size,
        api_silent=api.silent_for,
        sending=api.delivery.sending_for,
        paused_for="the evaluation"
        if evaluates and config.eval_handling == EvalHandlingEnum.STOP_TRAIN
        else "",
        never_fills=_never_fills(config.batch_size, config.group_size),
        **_generation(env.session, env.server.servers),
    )


def _never_fills(batch_size: int, group_size: int) -> str:
    if batch_size % group_size == 0:
        return ""
    return (
        f"its batch_size {batch_size} is not a multiple of group_size {group_size}, so a batch may "
        "never fill"
    )


def _generation(session: Session, servers: Iterable[Any]) -> dict[str, Any]:
    """Return the part of a snapshot that is about making groups."""
    metrics, collector = session.recorder.metrics, session.collector
    return {
        "groups": metrics.groups,
        "tokens": metrics.tokens,
        "rates": metrics.rates(),
        "under_way": max(0, len(collector.collecting) - collector.scoring),
        "scoring": collector.scoring,
        "inference_away": not any(getattr(server, "server_healthy", True) for server in servers),
    }
