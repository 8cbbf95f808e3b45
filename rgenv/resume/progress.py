"""Progress: records what happens to each problem of `serve`, so that kill -9 loses nothing.

::

    progress = Progress()
    progress.begin(folder / "progress.jsonl", source, {"seed": 42}, step=0)
    problem = await source.next()      # from here on, it is asked again if this process is killed
    progress.scored(group)
    progress.settled(group.group_id)   # the rollout API has the group: it is not asked again
    progress.tidy(step=1)              # from time to time
    progress.close()

Each event is in the file before it takes effect outside. Between the moment at which the API takes
a group and `settled`, a killed process can't know; `arrived` tells the next one.
"""

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rgenv.dataset.source import ItemSource
from rgenv.resume.checkpoints import Found, reading
from rgenv.storage.state_log import Event, StateLog
from rgenv.types import Group, ProblemKey, read_count, read_key

log = logging.getLogger("ReasoningGymEnv")

TOKENS_SECONDS = 1.0
"""Seconds between two notes of what became of the tokens."""

RETRY_SECONDS = 1.0
"""The least pause between two attempts to write to a disk that refuses."""


class Progress:
    """Records the events of one run in one file, from `begin` to `close`.

    Args:
        tokens: returns what became of the tokens so far; JSON-able.

    Attributes:
        path: the file; None before `begin`.
        unsettled: group id -> problem, for the groups whose delivery a killed process did not see.
        tokens_before: what had become of the tokens of this run before this process.
    """

    def __init__(self, tokens: Callable[[], dict[str, int]] = dict) -> None:
        self.path: Path | None = None
        self.unsettled: dict[str, ProblemKey] = {}
        self.tokens_before: dict[str, int] = {}
        self._tokens = tokens
        self._tokens_at = float("-inf")
        self._tokens_noted: dict[str, int] = {}
        self._groups: dict[str, ProblemKey] = {}
        self._step = 0
        self._failing = False
        self._retry_at = 0.0

    def went_on_from(self, found: Found) -> None:
        """Read `unsettled` and `tokens_before` from the state that this run goes on from.

        Raises:
            StartupError: the state is damaged; the message names the file.
        """
        with reading(found.path):
            self.unsettled = _unsettled_groups(found)
            counted = [event[1] for event in found.events if event[0] == "tokens"]
            tokens = (counted or [found.state.get("tokens", {})])[-1]
            self.tokens_before = {str(fate): read_count(number) for fate, number in tokens.items()}

    def arrived(self, group_id: str, source: ItemSource) -> None:
        """Note that the rollout API has a group; if it is unsettled, its problem is done."""
        if group_id in self.unsettled:
            log.info("The rollout API has the last group of the killed run: it is not asked again.")
            source.replay(["done", *self.unsettled[group_id]])

    def begin(self, path: Path, source: ItemSource, about: Mapping[str, Any], *, step: int) -> None:
        """Record the events of `source` from now on, in a new file.

        Args:
            about: what the state says about the run; JSON-able.
            step: the trainer's step.
        """
        self.path, self._log = path, StateLog(path)
        self._source, self._about, self._step = source, dict(about), step
        source.record_to(self._append)
        self.tidy(step=step)

    def scored(self, group: Group) -> None:
        """Note the group of a problem, before it is sent."""
        if self.path is not None:
            self._groups[group.group_id] = group.problem.key
            self._append(["scored", group.group_id, *group.problem.key])

    def settled(self, group_id: str) -> None:
        """Note that a group was accepted or refused, or will not be sent."""
        key = self._groups.pop(group_id, None)
        if key is not None:
            self._source.done(key)

    def tidy(self, *, step: int) -> None:
        """Note the trainer's step; start the file anew if it has become long, or has a gap."""
        if self.path is None:
            return
        if step != self._step:
            self._step = step
            self._append(["step", step])
        if time.monotonic() - self._tokens_at >= TOKENS_SECONDS:
            self._note_tokens()
        if self._log.needs_restart and time.monotonic() >= self._retry_at:
            self._restart()

    def _note_tokens(self) -> None:
        self._tokens_at = time.monotonic()
        if (tokens := self._tokens()) != self._tokens_noted:
            self._append(["tokens", tokens])
            self._tokens_noted = tokens

    def _restart(self) -> None:
        state = {**self._about, "step": self._step, "groups": self._groups}
        state["tokens"] = self._tokens()
        try:
            self._log.restart({**state, **self._source.state_dict([])})
        except OSError as error:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            self._log_failure(error)
            return
        if self._failing:
            log.info("%s is written again.", self.path)
        self._failing = False

    def close(self) -> None:
        """Stop recording; idempotent."""
        if self.path is not None:
            self._note_tokens()
            self._log.close()
            self._retry_at = float("inf")

    def _append(self, event: Event) -> None:
        try:
            self._log.append(event)
        except OSError as error:
            self._log_failure(error)

    def _log_failure(self, error: OSError) -> None:
        if not self._failing:
            log.error(
                "%s can't be written (%s): if this process is killed meanwhile, the next one asks "
                "again what is asked from now on. Free disk space or make the folder writable.",
                self.path,
                error,
            )
        self._failing = True


def _unsettled_groups(found: Found) -> dict[str, ProblemKey]:
    """Return group id -> problem for the groups whose delivery the killed process did not see."""
    groups: dict[str, ProblemKey] = {}
    names: dict[ProblemKey, list[str]] = {}

    def scored(name: str, key: ProblemKey) -> None:
        groups[name] = key
        names.setdefault(key, []).append(name)

    for name, key in found.state.get("groups", {}).items():
        scored(name, read_key(key))
    for kind, *values in found.events:
        if kind == "scored":
            scored(values[0], read_key(values[1:]))
        elif kind == "done":
            key = read_key(values)
            for name in names.pop(key, []):
                if groups.get(name) == key:
                    del groups[name]
    return groups


def replay(source: ItemSource, found: Found) -> None:
    """Load the state that was found, and apply the events after it.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: the state is damaged.
    """
    source.load_state_dict(found.state)
    for event in found.events:
        if event[0] not in ("scored", "step", "tokens"):
            source.replay(event)
