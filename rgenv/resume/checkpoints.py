"""Checkpoints: finds the state that one replica goes on from, and saves one for each step.

::

    checkpoints = Checkpoints(replica_id=1, num_replicas=4, name="run", settings={"seed": 42})
    await checkpoints.claim("checkpoints", 60)  # in the trainer's folder; no other process may
    found = checkpoints.find(step=43)           # None: there is nothing to go on from
    checkpoints.save(40, run_id="1f3a", source_state=source.state_dict([]))

The folder of a replica holds two kinds of files:

- ``progress.jsonl`` has the latest state; progress.py writes it with each event. A run goes on from
  there, whatever the trainer's step is, because problems that were asked are not asked again.
- ``step-N.json`` has the state at step N. It is read if the trainer itself goes back to its
  checkpoint of step N, far before the latest state: what came later never reached its model.
"""

import asyncio
import contextlib
import json
import logging
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rgenv.errors import StartupError
from rgenv.runtime.files import (
    make_folder,
    parse_json,
    read_file,
    set_aside,
    write_atomic,
)
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.storage.state_log import SCHEMA, Event, StateLog, require_schema
from rgenv.text import describe, refusal

PROGRESS = "progress.jsonl"

OF_STEP = re.compile(r"step-(0|[1-9][0-9]{0,17})\.json")
"""The file of a step, as Atropos names it."""

KEY = "reasoning_gym"
"""The key of such a file that holds our state; Atropos and subclasses write the other keys."""

BEHIND = 10
"""A trainer that registers again with a restarted rollout API may be this many steps behind what
the old one counted: the API counts a batch once it is full, pulled or not."""

POLL_SECONDS = 0.2

DAMAGED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""What reading a state raises if its values are not those that were written."""

REMEDY = "move it away to go on from an older checkpoint, or start over with --force."

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
"""The id of a run, which becomes a part of the names of files."""

log = logging.getLogger("ReasoningGymEnv")


@dataclass(frozen=True)
class Found:
    """A state to go on from: the file, its content, and the events after that."""

    path: Path
    state: Mapping[str, Any]
    events: list[Event]

    @property
    def run(self) -> str:
        """The id of the run; raises ValueError if it is none."""
        run = self.state["run"]
        if not isinstance(run, str) or RUN_ID.fullmatch(run) is None:
            raise ValueError(f"its run is {run!r:.80}, which is no id")
        return run

    @property
    def step(self) -> int:
        """The trainer's step at the last event; 0 in the file of a step."""
        steps = [event[1] for event in self.events if event[0] == "step"]
        return int(steps[-1] if steps else self.state.get("step", 0))


class Checkpoints:
    """The checkpoints of one replica.

    Args:
        settings: the options that determine which problems are asked, with ``seed``; JSON-able.

    Attributes:
        root: the trainer's checkpoint folder. Nothing in it but ``env_checkpoints`` is used.
        sources: task -> the hash of its source in the library, for the tasks of this run.
    """

    def __init__(
        self, *, replica_id: int, num_replicas: int, name: str | None, settings: Mapping[str, Any]
    ) -> None:
        self.root = ""
        self.sources: Mapping[str, str] = {}
        self._replica = f"replica{replica_id}of{num_replicas}"
        self._name = f"{name}_{self._replica}"
        self._settings = dict(settings)
        self._lock: OwnedLock | None = None

    @property
    def folder(self) -> Path:
        """The folder of this replica. It does not depend on the order of registration."""
        return Path(self.root, "env_checkpoints", self._name)

    @property
    def about(self) -> dict[str, Any]:
        """What a state says about the run that wrote it."""
        seed = self._settings.get("seed")
        return {
            "seed": seed,
            "replica": self._replica,
            "settings": self._settings,
            "sources": dict(self.sources),
        }

    @property
    def progress(self) -> Path:
        return self.folder / PROGRESS

    async def claim(self, root: str, seconds: float) -> None:
        """Wait until no other process uses the folder in `root`; until `release`, no other can.

        A disk that refuses is logged, not raised.

        Raises:
            StartupError: another process uses the folder for `seconds`.
        """
        self.root = root
        self._lock = OwnedLock(self.folder.with_name(f"{self.folder.name}.lock"))
        deadline = None
        try:
            make_folder(Path(root), mode=0o777)  # the trainer's, who may be another user
            while not self._lock.acquire():
                if deadline is None:
                    deadline = time.monotonic() + seconds
                    log.warning(
                        "%s uses %s; waiting up to %g s for it to end.",
                        self._lock.owner,
                        self.folder,
                        seconds,
                    )
                elif time.monotonic() > deadline:
                    raise StartupError(
                        f"{self._lock.owner} uses {self.folder}: end it, or give each environment "
                        "its own --env.replica_id and all the same --env.num_replicas, or another "
                        "--env.wandb_name."
                    )
                await asyncio.sleep(POLL_SECONDS)
        except OSError as error:
            log.error(
                "%s can't be written (%s), so a run that is started again begins anew: give this "
                "machine the trainer's checkpoint folder.",
                self.folder,
                refusal(error),
            )

    def release(self) -> None:
        """Let other processes use the folder; idempotent."""
        if self._lock is not None:
            self._lock.release()

    def _set_aside(self) -> None:
        if not self.folder.exists():
            return
        try:
            aside = set_aside(self.folder)
        except OSError as error:
            raise StartupError(f"{self.folder} can't be set aside: {error}.") from None
        log.info("Starting over (--force): the earlier checkpoints are in %s now.", aside)

    def find(self, *, step: int, start_over: bool = False) -> Found | None:
        """Return the state to go on from, or None if there is none; the log says which.

        Args:
            step: the step at which the trainer starts.
            start_over: rename the folder, if there is one, and return None.

        Raises:
            StartupError: a file is damaged or of another program, or the folder can't be renamed;
                the message names it.
        """
        if start_over:
            self._set_aside()
        found = self._progress(step) or self._checkpoint(step)
        if found is None:
            log.info("No checkpoint in %s: the stream starts at its beginning.", self.folder)
            return None
        with reading(found.path):
            self._log_differences(found)
        return found

    def _progress(self, step: int) -> Found | None:
        """Return the latest state, unless the trainer went back to a step that was saved."""
        with reading(self.progress):
            state, events = StateLog(self.progress).read()
            if state is None:
                return None
            found = Found(self.progress, state, events)
            reached = found.step
        if step < reached:
            is_saved = self._of_step(step).exists()
            if 0 < step < reached - BEHIND and is_saved:
                log.warning(
                    "The trainer went back from step %d to %d, and this environment with it.",
                    reached,
                    step,
                )
                return None
            log.warning(
                "The trainer starts at step %d, and this environment goes on after step %d: it "
                "asks no problem again. To start over, add --force.",
                step,
                reached,
            )
        return found

    def _checkpoint(self, step: int) -> Found | None:
        """Return the state of the highest step that was saved, up to this one."""
        names = [OF_STEP.fullmatch(path.name) for path in self.folder.glob("step-*.json")]
        steps = [saved for match in names if match and (saved := int(match[1])) <= step]
        if not steps:
            return None
        path = self._of_step(max(steps))
        with reading(path):
            state = parse_json(read_file(path))[KEY]
            require_schema(state)
            return Found(path, dict(state), [])

    def _of_step(self, step: int) -> Path:
        return self.folder / f"step-{step}.json"

    def _log_differences(self, found: Found) -> None:
        before = {"seed": found.state["seed"], **found.state.get("settings", {})}
        changes = [
            f"{name} {before[name]!r:.80} instead of {now!r:.80}"
            for name, now in self._settings.items()
            if name in before and before[name] != now
        ]
        if found.state["replica"] != self._replica:
            changes.append(f"{found.state['replica']!r:.80} instead of {self._replica}")
        if changes:
            log.warning(
                "%s was written with %s: this run goes on at the same place with its own settings; "
                "to start over, add --force.",
                found.path,
                ", ".join(changes),
            )

        sources = found.state.get("sources", {})
        if others := [t for t, now in self.sources.items() if sources.get(t, now) != now]:
            log.warning(
                "%s was written with another source of the tasks %s: problems of these tasks "
                "that are asked again are other ones now.",
                found.path,
                ", ".join(others),
            )

    def save(
        self,
        step: int,
        *,
        run_id: str,
        source_state: Mapping[str, Any],
        others: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the checkpoint of a step; if the disk refuses, log an error and go on.

        Args:
            others: further keys of the file, for subclasses.
        """
        try:
            state = {"schema": SCHEMA, **self.about, "run": run_id, **source_state}
            text = json.dumps({**(others or {}), KEY: state})
            write_atomic(self._of_step(step), text.encode())
        except OSError as error:
            log.error("No checkpoint at step %d: %s.", step, error)
        else:
            log.info("Checkpoint of step %d: %s.", step, self._of_step(step))


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Read a state in the body of this context: what fails becomes StartupError, with the path."""
    try:
        yield
    except OSError as error:
        raise StartupError(f"{path} can't be read ({refusal(error)}): {REMEDY}") from None
    except DAMAGED as error:
        raise StartupError(f"{path} is damaged ({describe(error)}): {REMEDY}") from None
