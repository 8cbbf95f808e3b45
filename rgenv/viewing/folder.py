"""Read a run into groups and curves, and make the index of its page."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from rgenv.runtime.saved_files import Line, Reader
from rgenv.runtime.saved_lines import MetricsRow
from rgenv.task_names import KNOWN_TASKS
from rgenv.viewing import page
from rgenv.viewing.collection import Collection, Kept
from rgenv.viewing.curves import Run
from rgenv.viewing.rows import Row, read_line
from rgenv.viewing.verdicts import VERDICTS

MOST = 10_000
"""Groups whose texts are in a page, unless the user wants another number."""

MAX_NOTES = 20


def link(folder: Path, problem: str) -> str:
    """Return the part of an address that leads to a problem in the page of its evaluation."""
    return f"#{urlencode({'g': f'{folder.resolve().name}/{problem}'})}"


class Folder:
    """What the files of a run say.

    Args:
        roots: folders and files.
        most: the number of groups whose texts the page may have.

    Attributes:
        lines: the number of lines that were groups, samples or metrics.
    """

    def __init__(self, roots: Sequence[Path], *, most: int) -> None:
        self._roots = roots
        self._most = most
        self._reader = Reader(roots)
        self._groups = Collection(most)
        self._curves: dict[str, Run] = {}
        self._sources: dict[str, int] = {}
        self._runs: dict[int, str] = {}
        self._beside: dict[int, Path] = {}
        self._reporting: dict[Path, set[str]] = {}
        self._files: dict[str, tuple[int, str]] = {}
        self._foreign: Counter[str] = Counter()
        self.lines = 0

    @property
    def summary(self) -> str:
        """The number of groups and reports, in a few words."""
        groups, kept = self._groups.total, len(self._groups.kept)
        words = [f"{groups:,} groups"] if groups else []
        if kept < groups:
            words.append(f"{kept:,} of them with texts")
        reports = sum(run.reports for run in self._curves.values())
        return ", ".join([*words, *([f"{reports:,} reports of metrics"] if reports else [])])

    def read(self, advance: Callable[[], None] = lambda: None) -> None:
        """Read all lines; `advance` is called once for each."""
        for line in self._reader.lines():
            try:
                self._add(line)
            except RecursionError:  # what is read just so may be nested too deeply to be written
                self._foreign[self._name(line.path)] += 1
            advance()

    def _add(self, line: Line) -> None:
        name = self._name(line.path)
        if line.content.isspace():
            return
        row = read_line(line.content, f"{name}:{line.number}")
        if row is None:
            self._foreign[name] += 1
        elif isinstance(row, MetricsRow):
            self.lines += 1
            self._curves.setdefault(row.run, Run()).add(row)
            self._reporting.setdefault(line.path.parent, set()).add(row.run)
        else:
            self.lines += 1
            self._add_group(row, line, name)

    def _add_group(self, row: Row, line: Line, name: str) -> None:
        if row.saved.kind == "samples":
            evaluation = name.rpartition("/")[0] or line.path.parent.resolve().name
            row.saved.group = f"{evaluation}/{row.saved.group}"
            label = f"evaluation {evaluation}"
        elif row.saved.kind == "groups":
            label = name
        else:
            kind = "all failed" if "_FAILED_" in line.path.name else "rollouts"
            label = f"{kind}, run {row.saved.run[:8]}" if row.saved.run else name
        source = self._sources.setdefault(label, len(self._sources))
        if row.saved.run:
            self._runs[source] = row.saved.run
        self._beside[source] = line.path.parent
        file, _ = self._files.setdefault(name, (len(self._files), str(line.path)))
        self._groups.add(row, source=source, file=file, line=line.number)

    def _name(self, path: Path) -> str:
        """Return a path relative to the root that it is in."""
        for root in self._roots:
            if root in path.parents:
                below = path.relative_to(root).as_posix()
                return below if len(self._roots) == 1 else f"{root.name}/{below}"
        return path.name

    def write(self, path: Path) -> int:
        """Write the page and return its size in bytes; OSError: the disk refuses."""
        names = ", ".join(str(root) for root in self._roots)
        index = {
            **self._index(),
            "title": names,
            "written": time.time(),
            "notes": self._notes(),
        }
        return page.write(path, names, index, self._groups.chunks())

    def _index(self) -> dict[str, Any]:
        groups = sorted(
            self._groups.kept.values(), key=lambda g: (g.kind == "samples", g.time or 0.0)
        )
        tasks = sorted({group.task for group in groups})
        numbers = {task: number for number, task in enumerate(tasks)}
        categories = {group.task: group.category for group in groups if group.category}
        verdicts = list(VERDICTS)
        rollouts = [(i, o) for g in groups for i, o in sorted(g.outcomes.items())]
        return {
            "total": self._groups.total,
            "one_in": self._groups.one_in,
            "most": self._most,
            "sources": list(self._sources),
            "by_source": [self._groups.by_source[n] for n in range(len(self._sources))],
            "runs_of_sources": [self._run_of(n) for n in range(len(self._sources))],
            "files": list(self._files),
            "paths": [path for _, path in self._files.values()],
            "tasks": tasks,
            "categories": [categories.get(t) or KNOWN_TASKS.get(t, "other") for t in tasks],
            "verdicts": VERDICTS,
            "verdict_counts": self._groups.verdicts,
            "groups": {
                "id": [group.group for group in groups],
                "kind": [group.kind for group in groups],
                "task": [numbers[group.task] for group in groups],
                "level": [_short(group.level) for group in groups],
                "step": [_short(self._step(group)) for group in groups],
                "source": [group.source for group in groups],
                "file": [group.file for group in groups],
                "line": [group.line for group in groups],
                "size": [len(group.outcomes) for group in groups],
                "pieces": [[[f, *p] for f, p in sorted(g.pieces.items())] for g in groups],
            },
            "rollouts": {
                "index": [number for number, _ in rollouts],
                "reward": [_short(o.reward) for _, o in rollouts],
                "score": [_short(o.score) for _, o in rollouts],
                "verdict": [
                    verdicts.index(o.verdict) if o.verdict in VERDICTS else -1 for _, o in rollouts
                ],
                "tokens": [o.tokens for _, o in rollouts],
                "characters": [o.characters for _, o in rollouts],
                "cut": [int(o.cut) for _, o in rollouts],
                "misplaced": [int(o.misplaced) for _, o in rollouts],
            },
            "runs": [
                {"run": name, **run.columns()}
                for name, run in sorted(self._curves.items(), key=lambda row: row[1].last)
            ],
        }

    def _step(self, group: Kept) -> float | None:
        """Return the step of a group: that of the report on it, or its line in a file of groups."""
        if group.kind == "groups":
            return group.line
        run = self._curves.get(self._runs[group.source]) if group.source in self._runs else None
        return None if run is None or group.time is None else run.step_of(group.time)

    def _run_of(self, source: int) -> str:
        """Return the run of a dump, or the only one that reports beside the file; else nothing."""
        beside = self._reporting.get(self._beside[source], set())
        return self._runs.get(source) or (next(iter(beside)) if len(beside) == 1 else "")

    def _notes(self) -> list[str]:
        """Return a sentence for each file that could not be read as a whole."""
        notes = [
            f"{self._name(p)} can't be read ({why})." for p, why in self._reader.unreadable.items()
        ]
        notes += [
            f"{name}: {count:,} lines are neither groups nor samples nor metrics."
            for name, count in self._foreign.items()
        ]
        if count := self._groups.superseded:
            notes.append(
                f"{count:,} groups are left out, because their run asked their problems again."
            )
        if len(notes) > MAX_NOTES:
            notes[MAX_NOTES:] = [f"… and {len(notes) - MAX_NOTES} more files."]
        return notes


def _short(number: float | None) -> float | None:
    """Return a number with few digits, as an integer if it is one."""
    if number is None:
        return None
    rounded = float(f"{number:.6g}")
    return int(rounded) if rounded.is_integer() else rounded
