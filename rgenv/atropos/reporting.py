"""The last line of a run's log, and the configuration that is logged for debugging."""

import logging
from collections.abc import Iterable

from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.errors import (
    BadUsage,
    InferenceUnavailable,
    PoolBroken,
    RolloutsLost,
    StartupError,
)
from rgenv.runtime.shutdown import Signalled
from rgenv.secrets import hide, remember, without_secrets
from rgenv.text import describe, failed_call

log = logging.getLogger("ReasoningGymEnv")

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


def done(mode: str, total_steps: int, *, set_by_user: bool) -> str:
    """Return why a run ended that did all that it was to do."""
    who = "--env.total_steps" if set_by_user else "the trainer's num_steps"
    return {
        "evaluate": "the evaluation is done",
        "profile": "the profile is done",
        "process": f"all {total_steps} groups are done (--env.total_steps)",
    }.get(mode, f"there are groups for all {total_steps} steps ({who})")


def log_end(error: BaseException | None, *, otherwise: str, saved: Iterable[str]) -> None:
    """Log the last line of a run, and note on `error` that it is there; see `is_logged`."""
    level = logging.INFO if error is None or isinstance(error, Signalled) else logging.ERROR
    if error is None:
        why = otherwise
    elif isinstance(error, (Signalled, *FOR_USERS)):
        why = hide(str(error))
    else:
        why = hide(failed_call(error)) if isinstance(error, OSError) else describe(error)
    log.log(level, "Ended: %s. Result: %s.", why.rstrip("."), "; ".join(saved))
    if error is not None:
        error.add_note(LOGGED)


def is_logged(error: BaseException) -> bool:
    """Return whether the last line of the log has the reason already."""
    return LOGGED in getattr(error, "__notes__", ())
