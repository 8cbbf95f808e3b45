"""What a run reports of itself: its configuration, its metrics, and the last line of its log."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.delivery import Delivery
from rgenv.atropos.startup import Mode
from rgenv.errors import (
    BadUsage,
    InferenceUnavailable,
    PoolBroken,
    RolloutsLost,
    StartupError,
)
from rgenv.rollouts.fates import Fates
from rgenv.rollouts.metrics import MetricsFile, TrainMetrics
from rgenv.rollouts.status import Moment, Status
from rgenv.runtime.shutdown import Signalled
from rgenv.secrets import hide, remember, without_secrets
from rgenv.text import describe, failed_call

log = logging.getLogger("ReasoningGymEnv")

PROCESS_SECONDS = 10.0
"""Seconds between two reports of `process`."""


FOR_USERS = (BadUsage, StartupError, InferenceUnavailable, PoolBroken, RolloutsLost)
"""Errors whose message is a sentence for users."""

LOGGED = "The last line of the log says what was saved."
"""A note on an exception that is in the log."""


def log_configuration(
    config: ReasoningGymEnvConfig, servers: ServerBaseline | Iterable[ServerBaseline]
) -> None:
    """Log the configuration without its secrets, for debugging, and hide them from now on."""
    settings = [servers] if isinstance(servers, ServerBaseline) else servers
    shown = {"env": config.model_dump(), "openai": [server.model_dump() for server in settings]}
    remember(shown)
    log.debug("Configuration: %s", without_secrets(shown))


class Reporter:
    def __init__(self, metrics: TrainMetrics, fates: Fates) -> None:
        self.status = Status()
        self._metrics = metrics
        self._fates = fates
        self._tokens_reported = 0
        self._mode: Mode = "embedded"

    def begin(
        self,
        mode: Mode,
        *,
        folder: Callable[[], Path],
        run_id: Callable[[], str],
        current: Callable[[], Mapping[str, Any]],
        look: Callable[[], Moment],
    ) -> None:
        """Report a run from now on; a checkpoint may change its folder and its id."""
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
        self._tokens_reported = self._fates.tokens.total()
        return {
            **dict(others),
            **self._metrics.take(),
            **self._current(),
            **self._fates.metrics(),
            **speed,
        }

    def save(self, metrics: Mapping[str, Any], step: int) -> None:
        if self._mode in ("serve", "process"):
            run = self._run_id()
            self._file.append({"run": run, "step": step, "time": round(time.time(), 1), **metrics})

    def finish(self, others: Iterable[tuple[str, Any]], step: int) -> bool:
        """Report groups and tokens since the last report of `serve`, whose step wandb may have.

        Returns whether there are groups that `process` has still to report.
        """
        self.status.between = 0.0
        if not self._metrics.rates() and self._fates.tokens.total() == self._tokens_reported:
            return False
        if self._mode == "serve":
            rest = self.take(others).items()  # while the run ends, its speed means nothing
            self.save({name: x for name, x in rest if not name.endswith("_per_second")}, step)
        return self._mode == "process"


# The last line


def served(
    delivery: Delivery, state: Path | None, dumps: Path | None, *, is_done: bool
) -> list[str]:
    if state is None:
        return ["no problem was asked"]
    counts = f"{delivery.delivered} groups delivered, {delivery.refused} refused"
    if delivery.lost:
        counts += f", {delivery.lost} not delivered (their problems are asked again)"
    rollouts = [f"rollouts in {dumps}"] if dumps is not None else []
    more = f"its state in {state}" if is_done else f"the same command goes on from {state}"
    return [counts, *rollouts, more]


def finished(mode: str, total_steps: int, *, set_by_user: bool) -> str:
    if mode in ("evaluate", "profile"):
        return {"evaluate": "the evaluation is done", "profile": "the profile is done"}[mode]
    if mode == "process":
        return f"all {total_steps} groups are done (--env.total_steps)"
    who = "--env.total_steps" if set_by_user else "the trainer's num_steps"
    return f"there are groups for all {total_steps} steps ({who})"


def log_end(error: BaseException | None, *, otherwise: str, saved: Iterable[str]) -> None:
    """Log the last line of a run, and note on `error` that it is there; see `is_logged`."""
    why = otherwise if error is None else _reason(error)
    expected = error is None or isinstance(error, Signalled)
    level = logging.INFO if expected else logging.ERROR
    log.log(level, "Ended: %s. Result: %s.", why.rstrip("."), "; ".join(saved))
    if error is not None:
        error.add_note(LOGGED)


def is_logged(error: BaseException) -> bool:
    """Return whether the last line of the log has the reason already."""
    return LOGGED in getattr(error, "__notes__", ())


def _reason(error: BaseException) -> str:
    if isinstance(error, (Signalled, *FOR_USERS)):
        return hide(str(error))
    return hide(failed_call(error)) if isinstance(error, OSError) else describe(error)
