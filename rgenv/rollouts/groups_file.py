"""The file into which `process` writes its groups, one a line, and their means."""

import contextlib
import itertools
import logging
import time
from pathlib import Path
from statistics import fmean
from typing import Any

from rgenv.rollouts.group import group_id
from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines
from rgenv.types import SOLVED, Group

log = logging.getLogger(__name__)


class GroupsFile:
    """Writes each group to the file at once, so that kill -9 loses none that was written.

    Args:
        wanted: the file that the user named. If anything has this name, the file has a number, as
            Atropos has it; the log says so. Missing folders are created. If no group comes, the
            file goes again.

    Attributes:
        path: the file; only this user can read it.

    Raises:
        OSError: the disk refuses; the error names the file.
    """

    def __init__(self, wanted: Path) -> None:
        make_folder(wanted.parent)
        names = itertools.chain(
            [wanted], (wanted.with_stem(f"{wanted.stem}_{n}") for n in itertools.count(1))
        )
        for path in names:
            with contextlib.suppress(FileExistsError):
                self._file = JsonLines(path, new=True)
                break
        self.path = self._file.path
        if self.path != wanted:
            log.warning("%s exists and stays as it is; these groups go to %s.", wanted, self.path)
        self._began = time.monotonic()
        self._expected: dict[str, float] = {}
        self._rewards: list[float] = []
        self._accuracies: list[float] = []

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
            return "no group"
        line = f"{len(self._rewards)} groups in {self.path}: mean reward {fmean(self._rewards):.3f}"
        if self._accuracies:
            line += f", accuracy {fmean(self._accuracies):.3f}"
        return f"{line}, {time.monotonic() - self._began:.0f} s"

    def close(self) -> None:
        """Close the file; idempotent."""
        if not self._rewards and not self._file.is_gone:
            self.path.unlink()
        self._file.close()
