"""Read a run, an evaluation, or two of them, and write their page.

::

    folder = Folder([Path("run")])                       # with two paths: side by side
    folder.read()
    folder.write(Path("view.html"))
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rgenv.pages import page
from rgenv.pages.collection import Collection, Place
from rgenv.pages.curves import Run
from rgenv.pages.evaluations import read_evaluation
from rgenv.pages.group_rows import Row, read_line
from rgenv.pages.index import Source, columns
from rgenv.pages.sides import matched
from rgenv.rollouts.saved_lines import MetricsRow
from rgenv.runtime.json_lines import Line, Reader
from rgenv.text import counted

MOST = 10_000
"""Groups whose texts are in a page, unless the user wants another number."""

SIDES = "AB"
FOREIGN = "are neither groups nor samples nor metrics"


class Folder:
    """What files say.

    Args:
        paths: a folder or a file; two stand side by side.
        most: the number of groups of a path whose texts the page may have.

    Attributes:
        lines: the number of lines that were groups, samples or metrics.
    """

    def __init__(self, paths: Sequence[Path], *, most: int = MOST) -> None:
        self._paths = paths
        self._groups = Collection(most * len(paths))
        self._runs: dict[str, Run] = {}
        self._sources: dict[tuple[int, str], Source] = {}
        self._files: dict[str, int] = {}
        self._left_out: Counter[tuple[str, str]] = Counter()
        self._unreadable: list[str] = []
        self._matched_by, self._problems = "", dict[str, int]()
        self.lines = 0

    @property
    def summary(self) -> str:
        """How much there is, in a few words; empty if two sides have nothing in common."""
        if len(self._paths) == 2:
            number = len(set(self._problems.values()))
            what = "problems" if self._matched_by == "recipe" else "tasks at a level"
            return f"{number:,} {what} in common" if number else ""
        groups, kept = self._groups.total, len(self._groups.kept)
        words = [counted(groups, "group")] if groups else []
        if kept < groups:
            words.append(f"{kept:,} of them with texts")
        reports = sum(run.reports for run in self._runs.values())
        return ", ".join(
            [*words, *([f"{counted(reports, 'report')} of metrics"] if reports else [])]
        )

    def read(self, advance: Callable[[], None] = lambda: None) -> None:
        """Read all lines; `advance` is called once for each."""
        for side, root in enumerate(self._paths):
            reader = Reader([root])
            for line in reader.lines():
                name = self._name(line.path, side)
                self._add(line, name, side)
                advance()
            for path, why in reader.unreadable.items():
                self._unreadable.append(f"{self._name(path, side)} can't be read ({why}).")
        if len(self._paths) == 2:
            self._matched_by, self._problems = matched(self._groups.in_order())
            self._groups.keep_only(lambda group: group.saved.group in self._problems)

    def _add(self, line: Line, name: str, side: int) -> None:
        if line.content.isspace():
            return
        row = read_line(line.content, f"{name}:{line.number}")
        if row is None:
            self._left_out[name, FOREIGN] += 1
            return
        self.lines += 1
        if isinstance(row, MetricsRow):
            self._runs.setdefault(row.run, Run()).add(row)
        else:
            source = self._source(row, line.path, name, side)
            file = self._files.setdefault(name, len(self._files))
            if len(self._paths) == 2:
                row.saved.group = f"{SIDES[side]}/{row.saved.group}"
            self._groups.add(row, Place(side, source.number, file, line.number))

    def _source(self, row: Row, path: Path, name: str, side: int) -> Source:
        """Return what a group comes from; name a sample's group after its evaluation, too."""
        saved = row.saved
        if saved.kind == "samples":
            evaluation = name.rpartition("/")[0] or path.parent.resolve().name
            saved.group = f"{evaluation}/{saved.group}"
            label = f"evaluation {evaluation}"
        elif saved.kind == "groups":
            label = name
        else:
            kind = "all failed" if "_FAILED_" in path.name else "rollouts"
            label = f"{kind}, run {saved.run[:8]}" if saved.run else name
        found = self._sources.get((side, label))
        if found is None:
            evaluation_of = read_evaluation(path.parent) if saved.kind == "samples" else None
            found = Source(len(self._sources), label, saved.run, evaluation_of)
            self._sources[side, label] = found
        return found

    def _name(self, path: Path, side: int) -> str:
        """Return a path relative to the root that it is in."""
        root = self._paths[side]
        return path.relative_to(root).as_posix() if root in path.parents else path.name

    def write(self, path: Path) -> int:
        """Write the page and return its size in bytes; OSError: the disk refuses."""
        names = [str(each) for each in self._paths]
        index: dict[str, Any] = {
            "sides": names if len(names) == 2 else [],
            "matched_by": self._matched_by,
            "total": self._groups.total,
            "one_in": self._groups.one_in,
            "by_source": [self._groups.by_source[n] for n in range(len(self._sources))],
            "files": list(self._files),
            "notes": self._notes(),
            **columns(self._groups.in_order(), list(self._sources.values()), self._runs),
        }
        if self._problems:
            index["groups"]["problem"] = [self._problems[name] for name in index["groups"]["id"]]
        return page.write(path, self._title(names), index, self._groups.chunks())

    def _title(self, names: Sequence[str]) -> str:
        if len(names) == 2:
            return " against ".join(names)
        found = [source.evaluation for source in self._sources.values()]
        if len(found) == 1 and found[0] is not None:
            return f"Evaluation of {found[0]['about'].get('model', names[0])}"
        return f"Rollouts in {names[0]}"

    def _notes(self) -> list[str]:
        """Return a sentence for each file that could not be read as a whole."""
        notes = self._unreadable + [
            f"{name}: {counted(count, 'line')} {why}."
            for (name, why), count in self._left_out.items()
        ]
        if count := self._groups.superseded:
            notes.append(
                f"{counted(count, 'group')} left out, because their run asked their problems again."
            )
        return notes
