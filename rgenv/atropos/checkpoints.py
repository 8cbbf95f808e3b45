"""Checkpoints: saves and loads the state of one replica's stream, curriculum, sampler and dumps.

::

    checkpoints = Checkpoints(seed=42, replica_id=1, num_replicas=4, name="run")
    checkpoints.save(folder, step=40, run_id="1f3a", source_state=source.state_dict([]))
    state = checkpoints.newest(folder, at_most=43)

Not here: writing and finding files (storage/checkpoint.py), the source's state (dataset/source.py).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rgenv.errors import BadCheckpoint, StartupError
from rgenv.storage import checkpoint

log = logging.getLogger("ReasoningGymEnv")


class Checkpoints:
    """Saves and loads the checkpoints of one replica.

    Args:
        seed: the seed of the run.
        replica_id, num_replicas: the index of this replica and the number of replicas.
        name: the name of the run.
    """

    def __init__(self, *, seed: int, replica_id: int, num_replicas: int, name: str | None) -> None:
        self._seed = seed
        self._replica = f"replica{replica_id}of{num_replicas}"
        self._name = None if num_replicas == 1 else f"{name}_{self._replica}"

    def folder(self, root: str, registered_name: str | None) -> Path:
        """Return the folder of this replica's checkpoints.

        Args:
            root: the trainer's checkpoint folder.
            registered_name: the name that the rollout API gave this environment. It depends on the
                order of registration, so with several replicas it is not used.
        """
        return Path(root, "env_checkpoints", str(self._name or registered_name))

    def save(
        self,
        folder: Path,
        step: int,
        *,
        run_id: str,
        source_state: Mapping[str, Any],
        others: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a checkpoint; if the disk refuses, log an error and go on.

        Args:
            others: further keys of the file, for subclasses.
        """
        state = {"seed": self._seed, "replica": self._replica, "run": run_id, **source_state}
        path = folder / checkpoint.step_name(step)
        try:
            checkpoint.write(path, state, others)
        except OSError as error:
            log.error("No checkpoint at step %d: %s.", step, error)
        else:
            log.info("Checkpoint of step %d: %s.", step, path)

    def newest(self, folder: Path, *, at_most: int) -> tuple[Path, dict[str, Any]] | None:
        """Return path and state of the newest checkpoint up to step `at_most`, or None.

        Raises:
            StartupError: that file is damaged or of another program; the message names it.
        """
        path = checkpoint.newest(folder, at_most=at_most)
        if path is None:
            log.warning("No checkpoint in %s: the stream starts at its beginning.", folder)
            return None
        try:
            state = checkpoint.read(path)
            if (state["seed"], state["replica"]) != (self._seed, self._replica):
                log.warning(
                    "%s was written with seed %s by %s: this run asks other problems.",
                    path,
                    state["seed"],
                    state["replica"],
                )
        except BadCheckpoint as error:
            raise StartupError(str(error)) from None
        except KeyError as error:
            raise damaged_error(path, error) from None
        return path, state


def damaged_error(path: Path, error: Exception) -> StartupError:
    """Return the error for a checkpoint whose state is damaged."""
    why = f"{type(error).__name__}: {error}"
    return StartupError(f"{path} is damaged ({why}): move it away.")
