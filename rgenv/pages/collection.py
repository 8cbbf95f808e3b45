"""Groups in bounded memory: the numbers of each, and their texts in compressed chunks.

If more groups come than may be kept, or their texts are too large, about one in two, in four, and
so on is kept. A hash of its problem decides, so the same groups are kept whatever the order of the
files, no regular order of tasks can hide one of them, and both sides of a comparison keep the same
problems.

Of a problem that a run asked again, the last group counts (rgenv/rollouts/saved_lines.py).
"""

import copy
import gzip
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rgenv.pages.group_rows import Outcome, Row
from rgenv.rollouts.saved_lines import LastGroups, SavedGroup

MAX_BYTES = 96 * 2**20
"""Bytes of the compressed texts. In the page, which has them in base64, they are a third more."""

CHUNK = 2**20
"""Characters of the texts that are compressed together, and that a browser unpacks together."""

OF_PROBLEM = ("task", "config", "seed", "problems")
"""What of a recipe makes the problem; the rest says how it was chosen and is read."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line was read: the side of a comparison, and numbers of source, file and line."""

    side: int
    source: int
    file: int
    line: int


@dataclass(slots=True)
class Kept:
    """A group that is kept.

    Attributes:
        saved: what its line says, without its rollouts.
        problem: a hash, the same for groups of one problem.
        outcomes: index of the rollout -> its numbers.
        pieces: the first rollout of a part of its texts -> chunk and place in it.
    """

    saved: SavedGroup
    problem: int
    place: Place
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
        one_in: about one in so many groups is kept; a power of two.
        superseded: the number of groups that don't count, because their problem was asked again.
    """

    def __init__(self, most: int, max_bytes: int = MAX_BYTES) -> None:
        self._most, self._max_bytes = most, max_bytes
        self._seen: set[int] = set()
        self._last: defaultdict[int, LastGroups] = defaultdict(LastGroups)
        self._chunks = _Chunks()
        self.kept: dict[str, Kept] = {}
        self.total = 0
        self.by_source: Counter[int] = Counter()
        self.one_in = 1
        self.superseded = 0

    def chunks(self) -> list[bytes]:
        return self._chunks.compressed()

    def in_order(self) -> list[Kept]:
        """Return the kept groups as the page has them: those of training by time, then samples."""
        return sorted(
            self.kept.values(), key=lambda g: (g.saved.kind == "samples", g.saved.time or 0)
        )

    def add(self, row: Row, place: Place) -> None:
        """Add what a line says. A group that is in several files is one group."""
        saved = row.saved
        if loser := self._last[place.side].add(saved):
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
            self.by_source[place.source] += 1
        group = self.kept.get(saved.group)
        if group is None:
            problem = _problem(saved.recipe, key)
            if known or not self._chosen(problem):
                return
            group = self.kept[saved.group] = Kept(_without_texts(saved), problem, place)
        elif saved.kind == "rollouts" != group.saved.kind:  # it says more than the trainer's group
            group.saved, group.place = _without_texts(saved), place
        self._merge(group, row)
        if self._is_full():
            self._keep_fewer()

    def keep_only(self, wanted: Callable[[Kept], bool]) -> None:
        """Forget the other groups and their texts; they are still counted."""
        self.kept = {name: group for name, group in self.kept.items() if wanted(group)}
        used = {
            place: (group.pieces, first)
            for group in self.kept.values()
            for first, place in group.pieces.items()
        }
        old, self._chunks = self._chunks, _Chunks()
        for place, text in old.pieces():
            if place in used:
                pieces, first = used[place]
                pieces[first] = self._chunks.add(text)

    def _forget(self, group: Kept) -> None:
        del self.kept[group.saved.group]
        self.total -= 1
        self.by_source[group.place.source] -= 1

    def _chosen(self, problem: int) -> bool:
        return problem < 2**64 // self.one_in

    def _merge(self, group: Kept, row: Row) -> None:
        saved = row.saved
        for index, new in enumerate(row.rollouts, saved.index):
            old = group.outcomes.get(index)
            group.outcomes[index] = new if old is None else old.merged(new)
        has_less = saved.index in group.pieces and saved.kind != group.saved.kind
        texts = None if has_less else row.texts()
        if texts is not None:
            text = json.dumps({"first": saved.index, **texts}, separators=(",", ":"))
            group.pieces[saved.index] = self._chunks.add(text)

    def _is_full(self) -> bool:
        return len(self.kept) > self._most or self._chunks.size > self._max_bytes

    def _keep_fewer(self) -> None:
        while self.kept and self._is_full():
            self.one_in *= 2
            self.keep_only(lambda group: self._chosen(group.problem))


class _Chunks:
    """Texts in compressed chunks, and the last one that is not full yet."""

    def __init__(self) -> None:
        self._full: list[bytes] = []
        self._open: list[str] = []
        self._length = 0
        self.size = 0

    def add(self, text: str) -> tuple[int, int]:
        """Add a text; return its chunk and its place in it."""
        place = len(self._full), len(self._open)
        self._open.append(text)
        self._length += len(text)
        if self._length >= CHUNK:
            self._full.append(_packed(self._open))
            self.size += len(self._full[-1])
            self._open, self._length = [], 0
        return place

    def compressed(self) -> list[bytes]:
        return [*self._full, *([_packed(self._open)] if self._open else [])]

    def pieces(self) -> Iterator[tuple[tuple[int, int], str]]:
        """Yield place and text of each piece, with one chunk in memory at a time."""
        for number, packed in enumerate(self.compressed()):
            texts = gzip.decompress(packed).decode("ascii").split("\n")
            yield from (((number, slot), text) for slot, text in enumerate(texts))


def _packed(texts: list[str]) -> bytes:
    return gzip.compress("\n".join(texts).encode("ascii"), 4, mtime=0)


def _without_texts(saved: SavedGroup) -> SavedGroup:
    kept = copy.copy(saved)
    kept.rollouts, kept.recipe = [], {}
    kept.answer = kept.question = kept.failure = None
    return kept


def _problem(recipe: Mapping[str, Any], group: int) -> int:
    """Return a hash of what makes the problem; without a recipe, of the group."""
    made = {name: recipe[name] for name in OF_PROBLEM if name in recipe}
    return _hash(json.dumps(made, sort_keys=True)) if "seed" in made else group


def _hash(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
