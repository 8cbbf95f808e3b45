"""The file of `process`: one group a line, in the order of the stream.

A run that was ended before it had all groups leaves its snapshot beside the file. The same command
then goes on in the file; otherwise the file stays, and a new one has a number.
"""

import contextlib
import itertools
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from rgenv.rollouts.group import group_id
from rgenv.rollouts.snapshot import NAME
from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines, cut_torn_lines, read_lines
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.text import counted
from rgenv.types import SOLVED, Group, Problem

log = logging.getLogger(__name__)

Key = tuple[str, int, float | None]
"""Task, seed and level of a problem's recipe."""


def state_folder(path: Path) -> Path:
    """Return the folder of the snapshot of a run that writes this file."""
    return path.with_name(f"{path.name}.state")


class GroupsFile:
    """Appends each group at once, so that kill -9 loses none that was written.

    Args:
        wanted: the file that the user named; missing folders are created.
        start_over: go on with no file.

    Attributes:
        path: the file: one to go on with, else a new one, numbered as Atropos does it.
        before: problem -> the completion tokens of its group, of those it had when it was opened.
    """

    def __init__(self, wanted: Path, *, start_over: bool = False) -> None:
        make_folder(wanted.parent)
        self._file, self.is_new = self._open(wanted, start_over=start_over)
        self.path = self._file.path
        self.before = {} if self.is_new else dict(_groups(self.path))
        if not self.is_new:
            log.info("Going on in %s, which has %s.", self.path, counted(len(self.before), "group"))
        elif self.path != wanted:
            log.warning(
                "%s exists and stays as it is; these groups go to %s. They have the same problems, "
                "unless --env.seed is another.",
                *(wanted, self.path),
            )
        self._began = time.monotonic()
        self._expected: dict[str, float] = {}
        self._rewards: list[float] = []
        self._accuracies: list[float] = []

    @staticmethod
    def _open(wanted: Path, *, start_over: bool) -> tuple[JsonLines, bool]:
        """Return the first of `wanted` and its numbered names to go on with or to create."""
        numbered = (wanted.with_stem(f"{wanted.stem}_{n}") for n in itertools.count(1))
        for path in itertools.chain([wanted], numbered):
            with contextlib.suppress(FileExistsError):  # other processes create some, too
                return JsonLines(path, new=True), True
            if not start_over and _was_left(path):
                cut_torn_lines(path.parent, path.name)
                return JsonLines(path), False
        raise AssertionError("unreachable: there are names without end")

    @property
    def is_empty(self) -> bool:
        return self.is_new and not self._rewards

    def tokens_of(self, problem: Problem) -> int | None:
        """Return the completion tokens of a problem's group; None: no earlier run wrote it."""
        recipe = problem.made_from
        return self.before.get((recipe["task"], recipe["seed"], recipe["level"]))

    def expect(self, group: Group) -> None:
        """Remember the accuracy of a group until it is written."""
        self._expected[group.group_id] = fmean(score >= SOLVED for score in group.scores)

    def write(self, obj: Any) -> None:
        """Append a group, as Atropos asks; raises OSError if the disk refuses."""
        self._file.append(obj)
        self._rewards.append(fmean(obj["scores"]))
        if (name := group_id(obj)) in self._expected:
            self._accuracies.append(self._expected.pop(name))

    def summary(self) -> str:
        """Return the number of groups, where they are, their means and the time, in a line."""
        if not self._rewards:
            return "no group" if self.is_new else f"no new group in {self.path}"
        new = counted(len(self._rewards), "group" if self.is_new else "new group")
        line = f"{new} in {self.path}: mean reward {fmean(self._rewards):.3f}"
        if self._accuracies:
            line += f", accuracy {fmean(self._accuracies):.3f}"
        return f"{line}, {time.monotonic() - self._began:.0f} s"

    def close(self) -> None:
        """Close the file, and remove it if no group came; idempotent."""
        if self.is_empty and not self._file.is_gone:
            self.path.unlink()
        self._file.close()


def _was_left(path: Path) -> bool:
    """Return whether the run that wrote a file ended early, and no process goes on with it."""
    folder = state_folder(path)
    if not (folder / NAME).exists():
        return False
    lock = OwnedLock(folder.with_name(f"{folder.name}.lock"))
    is_free = lock.acquire()
    lock.release()
    return is_free


class _About(msgspec.Struct):
    task: str
    seed: int
    level: float | None = None


class _Line(msgspec.Struct):
    group_overrides: _About
    masks: msgspec.Raw = msgspec.Raw(b"")


def _groups(path: Path) -> Iterator[tuple[Key, int]]:
    decoder = msgspec.json.Decoder(_Line)
    for line in read_lines(path):
        with contextlib.suppress(msgspec.DecodeError):  # a torn line
            found = decoder.decode(line)
            about, masks = found.group_overrides, bytes(found.masks)
            # Of numbers with commas between them, those of the prompt are -100.
            tokens = masks.count(b",") + 1 - masks.count(b"-100")
            yield (about.task, about.seed, about.level), tokens
