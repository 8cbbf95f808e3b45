"""What a run reports of itself: its configuration and its metrics.

::

    reporter = Reporter(metrics, ledger)
    reporter.begin("serve", folder=lambda: folder, look=look, ...)
    metrics = reporter.take([])        # for wandb; writes a line, too
    reporter.save(metrics, step=3)     # to metrics.jsonl
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos.config import ReasoningGymEnvConfig
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
