"""Read a run twice: to choose what is exported, and to write what was chosen.

Between the two readings, a number for each group and a place for each chosen completion are in
memory, and no text. A line that changes meanwhile is left out.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rgenv.export import formats
from rgenv.export.choice import Choice, Offer, Rules, digest, offers
from rgenv.export.completions import Usable, usable
from rgenv.export.report import Report
from rgenv.export.sides import Side
from rgenv.problem_sets.columns import Row
from rgenv.runtime.parts import in_order
from rgenv.runtime.saved_files import Line, Reader
from rgenv.runtime.saved_lines import LastGroups, SavedGroup, read_line

SideOf = Callable[[Mapping[str, Any], str], Awaitable[Side]]
"""``await side_of(recipe, question)``."""

OWN = (b'{"messages": ', b'{"prompt": ')
"""How a line of an earlier export begins."""


@dataclass(frozen=True)
class Wanted:
    """Which groups are exported.

    Attributes:
        tasks: their names; None: all.
        min_level, max_level: with either, groups of default parameters are left out.
    """

    tasks: frozenset[str] | None = None
    min_level: float | None = None
    max_level: float | None = None

    def has(self, group: SavedGroup) -> bool:
        if self.tasks is not None and group.task not in self.tasks:
            return False
        if self.min_level is None and self.max_level is None:
            return True
        low = 0.0 if self.min_level is None else self.min_level
        high = 1.0 if self.max_level is None else self.max_level
        return group.level is not None and low <= group.level <= high


class _Read(NamedTuple):
    """What is kept of a group: its problem, its rows, and what is left out."""

    problem: bytes
    offers: list[Offer]
    left_out: tuple[tuple[str, int], ...]


class Exporter:
    """Exports the groups below some folders.

    Args:
        roots: folders and files.
        ahead: how many problems are judged at the same time.

    Attributes:
        sources: the files that have groups.
    """

    def __init__(
        self, roots: Sequence[Path], rules: Rules, wanted: Wanted, *, ahead: int = 8
    ) -> None:
        self._rules, self._wanted, self._ahead = rules, wanted, ahead
        self._reader = Reader(roots)
        self._choice = Choice(rules)
        self._files: dict[Path, int] = {}
        self._saved: dict[bytes, _Read | None] = {}  # None: a later group counts
        self._last = LastGroups()
        self._of_trainer: dict[bytes, _Read] = {}
        self._seen: set[bytes] = set()
        self.sources: set[Path] = set()
        self.report = Report(rules)

    def choose(self, advance: Callable[[], None] = lambda: None) -> int:
        """Read all files, and return how many groups have rows that could be exported.

        A group that is saved, and in a file of groups for the trainer, too, is read as saved: only
        then its scores are known, beside its rewards.

        Args:
            advance: called once for each line.
        """
        for line in self._reader.lines():
            self._read(line)
            advance()
        for read in (*self._saved.values(), *self._of_trainer.values()):
            if read is not None:
                self._take(read)
        self._saved.clear()
        self._of_trainer.clear()
        self.report.left_out["unreadable"] = len(self._reader.unreadable)
        return sum(1 for _ in self._places())

    def _read(self, line: Line) -> None:
        left_out = self.report.left_out
        found = read_line(line.content, "")
        if found is None and not line.content.isspace() and not line.content.startswith(OWN):
            left_out["foreign" if line.content.endswith(b"\n") else "unfinished"] += 1
        if not isinstance(found, SavedGroup):
            return
        self.sources.add(line.path)
        if found.kind == "samples":
            left_out["samples"] += 1
            return
        read = self._judged(found, line)
        if not found.group:  # then nothing tells whether it is a copy
            self._take(read)
            return
        group = digest(found.group)
        if group in self._saved or (found.kind == "groups" and group in self._of_trainer):
            left_out["copies"] += 1
            return
        if found.kind == "groups":
            self._of_trainer[group] = read
            return
        self._saved[group] = read
        left_out["copies"] += self._of_trainer.pop(group, None) is not None
        if loser := self._last.add(found):
            self._saved[digest(loser)] = None
            left_out["superseded"] += 1

    def _judged(self, group: SavedGroup, line: Line) -> _Read:
        if not self._wanted.has(group):
            return _Read(b"", [], (("filtered", 1),))
        found = usable(group)
        if not found.question:
            has_texts = any(rollout.conversation for rollout in group.rollouts)
            return _Read(b"", [], (("other_roles" if has_texts else "no_texts", 1),))
        file = self._files.setdefault(line.path, len(self._files))
        rows = offers(found, self._rules, file=file, offset=line.offset)
        left_out = Counter[str](found.left_out)
        if not rows and found.completions:
            solved = any(c.score >= self._rules.min_score for c in found.completions)
            left_out["equal" if solved else "low"] += 1
        return _Read(digest(group.task, found.question), rows, tuple(left_out.items()))

    def _take(self, read: _Read) -> None:
        self.report.groups += 1
        self.report.left_out.update(dict(read.left_out))
        if read.offers:
            self._choice.add(read.problem, read.offers)

    def _places(self) -> Iterator[tuple[bytes, list[Offer]]]:
        """Yield problem and rows of each group with rows, in the order of the files."""
        by_group = itertools.groupby(self._choice.chosen(), key=lambda pair: pair[0][1:3])
        for _, pairs in by_group:
            rows = list(pairs)
            yield rows[0][1], [offer for offer, _ in rows]

    async def write(
        self,
        write_row: Callable[[Row], None],
        side_of: SideOf,
        advance: Callable[[], None] = lambda: None,
    ) -> None:
        """Pass the rows of all problems of training to `write_row`, in the order of the files.

        Args:
            advance: called once for each group.

        Raises:
            OSError: `write_row` can't write.
            PoolBroken: `side_of` has no workers any more.
        """
        paths = list(self._files)

        async def judged(problem: bytes, chosen: Sequence[Offer]) -> _Judged:
            found = self._again(paths[chosen[0].file], chosen)
            if found is None:
                return _Judged(problem, [], "changed")
            group, completions = found
            rows = [formats.row(group, completions, offer) for offer in chosen]
            return _Judged(problem, rows, await side_of(group.recipe, completions.question))

        calls = (judged(problem, chosen) for problem, chosen in self._places())
        async with contextlib.aclosing(in_order(calls, self._ahead)) as results:
            async for one in results:
                self._write(one, write_row)
                advance()

    def _again(self, path: Path, chosen: Sequence[Offer]) -> tuple[SavedGroup, Usable] | None:
        """Read a group again; return None if it is another one now."""
        content = b""
        with contextlib.suppress(OSError), path.open("rb") as file:
            file.seek(chosen[0].offset)
            content = file.readline()
        group = read_line(content, "")
        if not isinstance(group, SavedGroup):
            return None
        found = usable(group)
        texts = {completion.index: completion.text for completion in found.completions}
        for offer in chosen:
            wanted = [index for index in (offer.better, offer.worse) if index >= 0]
            if not texts.keys() >= set(wanted):
                return None
            if digest(*sorted(texts[index] for index in wanted)) != offer.digest:
                return None
        return group, found

    def _write(self, judged: _Judged, write_row: Callable[[Row], None]) -> None:
        problem, rows, side = judged
        if side == "changed":
            self.report.left_out[side] += 1
            return
        is_new = problem not in self._seen
        self._seen.add(problem)
        further = self._choice.further(problem) if is_new else 0
        if side != "training":
            self.report.left_out[side] += 1 + further
            return
        self.report.left_out["again"] += further
        self.report.problems += is_new
        for row in rows:
            write_row(row)
            self.report.rows += 1


class _Judged(NamedTuple):
    """Rows of a group, and the side of their problem; ``changed``: it is another group now."""

    problem: bytes
    rows: list[Row]
    side: Side | Literal["changed"]
