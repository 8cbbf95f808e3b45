"""Snapshot: one file with what a replica goes on from, written every few seconds.

What was asked after the last snapshot is asked again, so the trainer may get two groups of a
problem; each has its own id.
"""

import asyncio
import contextlib
import logging
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from rgenv.errors import StartupError
from rgenv.runtime.files import make_folder, read_file, set_aside, write_atomic
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.stream.source import StreamState
from rgenv.text import describe, refusal

SECONDS = 10.0
"""Seconds between two snapshots."""

NAME = "snapshot.json"

KEY = "reasoning_gym"
"""The key of the file that holds our state; subclasses write the other keys."""

REMEDY = "move it away, or start over with --force."

log = logging.getLogger("ReasoningGymEnv")


class State(msgspec.Struct):
    """A run at one moment; `run` is the id in the names of saved rollouts."""

    replica: str
    settings: dict[str, Any]
    run: str
    step: int
    tokens: dict[str, int]
    stream: StreamState


class _File(msgspec.Struct):
    reasoning_gym: State


class Snapshot:
    """The snapshot of one replica.

    Attributes:
        root: the trainer's checkpoint folder, or the one of the file of `process`.
        place: the folder of this replica in `root`, in whatever order replicas register.
    """

    def __init__(
        self, *, replica_id: int, num_replicas: int, name: str | None, settings: Mapping[str, Any]
    ) -> None:
        self.root = ""
        self._replica = f"replica{replica_id}of{num_replicas}"
        self.place = Path("env_checkpoints", f"{name}_{self._replica}")
        self._settings = dict(settings)
        self._others: Mapping[str, Any] = {}
        self._lock: OwnedLock | None = None
        self._look: Callable[[], Mapping[str, Any]] = dict
        self._saving: asyncio.Task[None] | None = None
        self._due = asyncio.Event()
        self._closing = self._failing = False

    @property
    def folder(self) -> Path:
        return Path(self.root) / self.place

    @property
    def path(self) -> Path:
        return self.folder / NAME

    async def claim(self, root: str, seconds: float) -> None:
        """Wait until no other process uses the folder in `root`; until `release`, no other can.

        StartupError: another one uses it for `seconds`. A disk that refuses is logged, not raised.
        """
        self.root = root
        self._lock = OwnedLock(self.folder.with_name(f"{self.folder.name}.lock"))
        began = time.monotonic()
        try:
            make_folder(Path(root), mode=0o777)  # the trainer's, who may be another user
            if not self._lock.acquire():
                owner, text = self._lock.owner, "%s uses %s; waiting up to %g s for it to end."
                log.warning(text, owner, self.folder, seconds)
            while not self._lock.acquire():
                if time.monotonic() > began + seconds:
                    raise StartupError(
                        f"{self._lock.owner} uses {self.folder}: end it, or give each environment "
                        "its own --env.replica_id and all the same --env.num_replicas, or another "
                        "--env.wandb_name."
                    )
                await asyncio.sleep(0.2)
        except OSError as error:
            log.error(
                "%s can't be written (%s), so a run that is started again begins anew: give this "
                "machine the trainer's checkpoint folder.",
                *(self.folder, refusal(error)),
            )

    def release(self) -> None:
        """Let other processes use the folder; idempotent."""
        if self._lock is not None:
            self._lock.release()

    def find(self, *, step: int, start_over: bool = False) -> State | None:
        """Return the state to go on from, or None if there is none; the log says which.

        Args:
            step: the step at which the trainer starts.
            start_over: rename the folder, if there is one, and return None.

        Raises:
            StartupError: the file is damaged, or the folder can't be renamed.
        """
        if start_over and self.folder.exists():
            try:
                aside = set_aside(self.folder)
            except OSError as error:
                raise StartupError(f"{self.folder} can't be set aside: {error}.") from None
            log.info("Starting over (--force): the earlier checkpoints are in %s now.", aside)
        with self.reading():
            try:
                content = read_file(self.path)
            except (FileNotFoundError, NotADirectoryError):
                log.info("No checkpoint in %s: the stream starts at its beginning.", self.folder)
                return None
            state = msgspec.json.decode(content, type=_File).reasoning_gym
        if step < state.step:
            log.warning(
                "The trainer starts at step %d, and this environment goes on after step %d. To "
                "start over, add --force.",
                *(step, state.step),
            )
        before = {**state.settings, "replica": state.replica}
        changes = [
            f"{name} {before[name]!r:.80} instead of {value!r:.80}"
            for name, value in {"replica": self._replica, **self._settings}.items()
            if before.get(name, value) != value
        ]
        if changes:
            log.warning(
                "%s was written with %s: this run goes on at the same place with its own settings; "
                "to start over, add --force.",
                *(self.path, ", ".join(changes)),
            )
        return state

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Read the file in this context: what fails becomes StartupError, with its path."""
        try:
            yield
        except OSError as error:
            raise StartupError(f"{self.path} can't be read ({refusal(error)}): {REMEDY}") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise StartupError(f"{self.path} is damaged ({describe(error)}): {REMEDY}") from None

    def begin(self, look: Callable[[], Mapping[str, Any]]) -> None:
        """Save every `SECONDS` what `look` returns: run, step, tokens and stream of a `State`."""
        self._look = look
        self._saving = asyncio.create_task(self._save_again_and_again())

    def save_soon(self, others: Mapping[str, Any] | None = None) -> None:
        """Save as soon as the last snapshot is written; `others` are keys of subclasses."""
        self._others = self._others if others is None else dict(others)
        self._due.set()

    async def close(self) -> None:
        """Save a last time; idempotent."""
        self._closing = True
        self._due.set()
        if self._saving is not None:
            await self._saving

    async def clear(self) -> None:
        """Remove what was saved: the run has all that it was to make; idempotent."""
        await self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _save_again_and_again(self) -> None:
        while True:
            is_last = self._closing
            self._due.clear()
            await asyncio.to_thread(self.save, self._look())
            if is_last:
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), SECONDS)

    def save(self, now: Mapping[str, Any]) -> None:
        """Replace the file; a disk that refuses is logged when it begins to."""
        about = {"replica": self._replica, "settings": self._settings}
        try:
            write_atomic(self.path, msgspec.json.encode({**self._others, KEY: {**about, **now}}))
        except OSError as error:
            if not self._failing:
                log.error(
                    "%s can't be written (%s): if this process is killed meanwhile, the next one "
                    "asks again what is asked from now on. Free disk space or make the folder "
                    "writable.",
                    *(self.path, error),
                )
            self._failing = True
            return
        if self._failing:
            log.info("%s is written again.", self.path)
        self._failing = False
