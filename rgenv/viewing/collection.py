"""Groups in bounded memory: numbers of those that are kept, and their texts in compressed chunks.

If more groups come than may be kept, or their texts are too large, about one in two, in four, and
so on is kept. A hash of its id decides, so the same groups are kept whatever the order of the
files, and no regular order of tasks can hide one of them.

Of a problem that a run asked again, the last group counts (rgenv/runtime/saved_lines.py).
"""

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from rgenv.runtime.saved_lines import Kind, LastGroups
from rgenv.viewing.rows import Outcome, Row

MAX_BYTES = 96 * 2**20
"""Bytes of the compressed texts. In the page, which has them in base64, they are a third more."""

CHUNK = 2**20
"""Characters of the texts that are compressed together, and that a browser unpacks together."""


@dataclass(slots=True)
class Kept:
    """A group that is kept.

    Attributes:
        source, file, line: where it was read, as numbers of the caller.
        outcomes: index of the rollout -> its numbers.
        pieces: the first rollout of a part of its texts -> chunk and place in it.
    """

    group: str
    kind: Kind
    task: str
    category: str
    level: float | None
    time: float | None
    source: int
    file: int
    line: int
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    pieces: dict[int, tuple[int, int]] = field(default_factory=dict)


class Collection:
    """Collects rows into groups.

    Args:
        most: the number of groups that may be kept.
        max_bytes: the size that their compressed texts may have.

    Attributes:
        kept: id -> group.
        total: the number of groups that were read.
        by_source: source -> number of groups.
        verdicts: kind -> number of verdicts in all groups.
        one_in: about one in so many groups is kept; a power of two.
        superseded: the number of groups that don't count, because their problem was asked again.
    """

    def __init__(self, most: int, max_bytes: int = MAX_BYTES) -> None:
        self._most, self._max_bytes = most, max_bytes
        self._seen: set[int] = set()
        self._last = LastGroups()
        self._chunks = _Chunks()
        self.kept: dict[str, Kept] = {}
        self.total = 0
        self.by_source: Counter[int] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.one_in = 1
        self.superseded = 0

    def chunks(self) -> list[bytes]:
        return self._chunks.compressed()

    def add(self, row: Row, *, source: int, file: int, line: int) -> None:
        """Add what a line says. A group that is in several files is one group."""
        saved = row.saved
        if loser := self._last.add(saved):
            self.superseded += 1
            other = self.kept.get(loser)
            if other is not None:
                self._forget(other)
            if other is None or loser == saved.group:
                return
        key = _hash(saved.group)
        known = key in self._seen
        self._seen.add(key)
        if not known:
            self.total += 1
            self.by_source[source] += 1
        group = self.kept.get(saved.group)
        if group is None and (known or not self._chosen(key)):
            if not known or saved.kind == "samples":
                self._count(row)
            return
        if group is None or saved.kind == "samples":
            self._count(row)
        if group is None:
            group = self.kept[saved.group] = Kept(
                saved.group,
                saved.kind,
                saved.task,
                saved.category,
                saved.level,
                saved.time,
                source,
                file,
                line,
            )
        elif saved.kind == "rollouts" != group.kind:  # it says more than the trainer's group
            group.kind, group.time, group.source = saved.kind, saved.time, source
            group.file, group.line = file, line
        self._merge(group, row)
        if len(self.kept) > self._most or self._chunks.size > self._max_bytes:
            self._keep_fewer()

    def _forget(self, group: Kept) -> None:
        del self.kept[group.group]
        self.total -= 1
        self.by_source[group.source] -= 1
        self.verdicts.subtract(one.verdict for one in group.outcomes.values() if one.verdict)

    def _count(self, row: Row) -> None:
        self.verdicts.update(outcome.verdict for outcome in row.rollouts if outcome.verdict)

    def _chosen(self, key: int) -> bool:
        return key < 2**64 // self.one_in

    def _merge(self, group: Kept, row: Row) -> None:
        saved = row.saved
        for index, new in enumerate(row.rollouts, saved.index):
            old = group.outcomes.get(index)
            group.outcomes[index] = new if old is None else _merged(old, new)
        has_less = saved.index in group.pieces and saved.kind != group.kind
        texts = None if has_less else row.texts()
        if texts is not None:
            text = json.dumps({"first": saved.index, **texts}, separators=(",", ":"))
            group.pieces[saved.index] = self._chunks.add(text, group.group)

    def _keep_fewer(self) -> None:
        while self.kept and (len(self.kept) > self._most or self._chunks.size > self._max_bytes):
            self.one_in *= 2
            self.kept = {n: group for n, group in self.kept.items() if self._chosen(_hash(n))}
            old, self._chunks = self._chunks, _Chunks()
            for place, name, text in old.pieces():
                pieces = self.kept[name].pieces if name in self.kept else {}
                for first in [first for first, used in pieces.items() if used == place]:
                    pieces[first] = self._chunks.add(text, name)


class _Chunks:
    """Texts in compressed chunks, and the last one that is not full yet."""

    def __init__(self) -> None:
        self._full: list[tuple[bytes, list[str]]] = []
        self._texts: list[str] = []
        self._names: list[str] = []
        self._length = 0
        self.size = 0

    def add(self, text: str, name: str) -> tuple[int, int]:
        """Add a text that belongs to the group `name`; return its chunk and its place in it."""
        place = len(self._full), len(self._texts)
        self._texts.append(text)
        self._names.append(name)
        self._length += len(text)
        if self._length >= CHUNK:
            packed = _packed(self._texts)
            self.size += len(packed)
            self._full.append((packed, self._names))
            self._texts, self._names, self._length = [], [], 0
        return place

    def compressed(self) -> list[bytes]:
        last = [_packed(self._texts)] if self._texts else []
        return [packed for packed, _ in self._full] + last

    def pieces(self) -> Iterator[tuple[tuple[int, int], str, str]]:
        """Yield place, group and text of each piece, with one chunk in memory at a time."""
        for number, (packed, names) in enumerate(self._full):
            texts = gzip.decompress(packed).decode("ascii").split("\n")
            for slot, (name, text) in enumerate(zip(names, texts, strict=True)):
                yield (number, slot), name, text
        for slot, (name, text) in enumerate(zip(self._names, self._texts, strict=True)):
            yield (len(self._full), slot), name, text


def _packed(texts: list[str]) -> bytes:
    return gzip.compress("\n".join(texts).encode("ascii"), 4, mtime=0)


def _merged(old: Outcome, new: Outcome) -> Outcome:
    """Return one rollout that two files have; what the later one does not say is kept."""
    return Outcome(
        reward=old.reward if new.reward is None else new.reward,
        score=old.score if new.score is None else new.score,
        verdict=new.verdict or old.verdict,
        tokens=old.tokens if new.tokens is None else new.tokens,
        characters=max(old.characters, new.characters),
        cut=old.cut or new.cut,
        misplaced=old.misplaced or new.misplaced,
    )


def _hash(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
