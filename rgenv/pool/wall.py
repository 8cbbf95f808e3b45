"""Say which layers of its sandbox a worker has, and refuse a worker that lacks one.

A worker's handshake names the layers that hold, and under ``missing`` the others, each with a state
and words: ``missing`` and the remedy, or ``absent`` and why this machine can't have it.
"""

import logging
from collections.abc import Mapping
from typing import Any

from rgenv.pool.process import WorkerDied

log = logging.getLogger(__name__)


class WallIncomplete(WorkerDied):
    """A worker lacks a layer that its machine could have; the message has the remedy."""


def say(handshake: Mapping[str, Any]) -> None:
    """Log one line: the layers of a worker; a warning, with the remedies, if some are missing."""
    held = ", ".join(map(str, handshake.get("layers", ())))
    missing, absent = (_without(handshake, state) for state in ("missing", "absent"))
    if missing:
        log.warning("Workers are confined by %s only, without %s.", held, missing)
    else:
        log.info("Workers are confined by %s%s.", held, absent and f", without {absent}")


def require(handshake: Mapping[str, Any]) -> None:
    """Raise WallIncomplete unless a worker has every layer that its machine could have."""
    if missing := _without(handshake, "missing"):
        raise WallIncomplete(
            f"--env.require_wall demands all layers around the workers, and they run without "
            f"{missing}."
        )


def _without(handshake: Mapping[str, Any], state: str) -> str:
    """Return the layers of a state, each with its words."""
    others = handshake.get("missing", {}).items()
    return ", ".join(f"{name} ({words})" for name, (found, words) in others if found == state)
