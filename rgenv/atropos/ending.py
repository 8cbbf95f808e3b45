"""When `serve` ends, and the last line of the log, which says why and what was saved.

::

    check_steps({"num_steps": 1000}, total_steps=250)   # warns that the run ends before the trainer
    log_end(None, otherwise=finished("serve", 1000, set_by_user=False), saved=["...", "..."])
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rgenv.atropos.config import FROM_TRAINER
from rgenv.cli.messages import failed_call
from rgenv.errors import (
    BadUsage,
    InferenceUnavailable,
    PoolBroken,
    RolloutsLost,
    StartupError,
)
from rgenv.rollout_api.delivery import Delivery
from rgenv.runtime.shutdown import Signalled
from rgenv.secrets import hide
from rgenv.text import describe

log = logging.getLogger("ReasoningGymEnv")

LOGGED = "The last line of the log says what was saved."
"""A note on an exception that is in the log."""


def check_steps(registration: Mapping[str, Any], total_steps: int) -> None:
    """Check that the run has an end, and warn if it comes before the trainer's.

    Args:
        registration: the rollout API's reply to a request to register.
        total_steps: the option.

    Raises:
        StartupError: neither the trainer nor the option names a number of steps.
    """
    steps = int(registration.get("num_steps", FROM_TRAINER))
    if total_steps == FROM_TRAINER and steps < 1:
        raise StartupError(
            f"The trainer registered num_steps {steps}, so nothing says when this run ends: set "
            "--env.total_steps, or num_steps in the trainer."
        )
    if total_steps != FROM_TRAINER and steps > total_steps:
        log.warning(
            "This environment ends at step %d (--env.total_steps), before the %d steps of the "
            "trainer, which then waits for batches.",
            total_steps,
            steps,
        )


def served(delivery: Delivery, state: Path | None, dumps: Path | None) -> list[str]:
    """Return what a `serve` run has delivered and saved.

    Args:
        state: the file from which the same command goes on; None: the run did not begin.
        dumps: the folder of saved rollouts; None: they are not saved.
    """
    if state is None:
        return ["no problem was asked"]
    counts = f"{delivery.delivered} groups delivered, {delivery.refused} refused"
    if delivery.lost:
        counts += f", {delivery.lost} not delivered (their problems are asked again)"
    rollouts = [f"rollouts in {dumps}"] if dumps is not None else []
    return [counts, *rollouts, f"the same command goes on from {state}"]


def finished(mode: str, total_steps: int, *, set_by_user: bool) -> str:
    """Return why a run ends that nothing has interrupted.

    Args:
        mode: the command.
        total_steps: the option, or the trainer's num_steps.
    """
    if mode in ("evaluate", "profile"):
        return {"evaluate": "the evaluation is done", "profile": "the profile is done"}[mode]
    if mode == "process":
        return f"all {total_steps} groups are done (--env.total_steps)"
    who = "--env.total_steps" if set_by_user else "the trainer's num_steps"
    return f"there are groups for all {total_steps} steps ({who})"


def log_end(error: BaseException | None, *, otherwise: str, saved: Iterable[str]) -> None:
    """Log the last line of a run, and note on `error` that it is there; see `is_logged`.

    Args:
        error: why the run was interrupted; None: it was not.
        otherwise: why it ended if it was not interrupted.
        saved: what was saved, and where.
    """
    why = otherwise if error is None else _reason(error)
    expected = error is None or isinstance(error, Signalled)
    level = logging.INFO if expected else logging.ERROR
    log.log(level, "Ended: %s. Result: %s.", why.rstrip("."), "; ".join(saved))
    if error is not None:
        error.add_note(LOGGED)


def is_logged(error: BaseException) -> bool:
    """Return whether the last line of the log has the reason already."""
    return LOGGED in getattr(error, "__notes__", ())


def is_for_users(error: BaseException | None) -> bool:
    """Return whether the message of an error is a sentence for users."""
    return isinstance(
        error, StartupError | BadUsage | InferenceUnavailable | PoolBroken | RolloutsLost
    )


def _reason(error: BaseException) -> str:
    """Return a message that was written for users as it is, and any other with its type."""
    if isinstance(error, Signalled) or is_for_users(error):
        return hide(str(error))
    return hide(failed_call(error)) if isinstance(error, OSError) else describe(error)
