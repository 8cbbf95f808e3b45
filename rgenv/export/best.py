"""Choose the best completions, or pairs of a better and a worse one, of each problem of a run.

A completion that was cut, whose verifier failed, or of which the file does not say so, is never
chosen, whatever its score. Rows wait in a temporary file until the last line has been read, so only
a rank and a place of each are in memory.
"""

import contextlib
import hashlib
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rgenv.export.columns import Completion, Row, completions_row, unicode_only
from rgenv.export.training_only import Side
from rgenv.rollouts.saved_lines import LastGroups, SavedGroup, SavedRollout, read_line
from rgenv.runtime.json_lines import Line, Reader
from rgenv.runtime.parts import in_order
from rgenv.text import counted, level_name
from rgenv.types import KINDS, SOLVED, Message, Verdict

MIN_SCORE_SPREAD = 0.05

SideOf = Callable[[Mapping[str, Any], str], Awaitable[Side]]
"""``await side_of(recipe, question)``."""

Rank = tuple[float, float, float]
"""Negative score of the completion, negative spread of the pair, negative reward."""

OWN = (b'{"messages": ', b'{"prompt": ')
"""How a line of an earlier export begins."""

JUDGED = frozenset(kind for kind in KINDS if Verdict(0.0, kind).reflects_model)

REASONS = {
    "sample": {"samples": "of evaluations"},
    "group": {
        "held out": "whose problem is held out for evaluation",
        "unknown": "whose recipe does not make the question with this version, so that it may be "
        "held out",
        "filtered": "of other tasks or levels",
        "no_texts": "without texts (`process` saves them with include_messages, `serve` with "
        "dump_rollouts)",
        "other_roles": "whose messages are not of a user and, at the end, an assistant",
        "low": "in which no completion scores {least}",
        "equal": "without a completion that scores {spread} less than the best one",
        "superseded": "whose problem the same run asked again",
        "copies": "saved in a second place",
    },
    "further group": {"again": "of the same problems"},
    "completion": {
        "cut": "cut at the token limit",
        "failed": "whose verifier failed",
        "unjudged": "without verdict or finish reason, which the files of other programs lack "
        "(metadata)",
        "empty": "without text",
    },
    "line": {"unfinished": "without an end", "foreign": "without a group"},
    "file": {"unreadable": "that can't be read"},
}
"""Noun -> reason -> what was left out, as the last line of the command says it."""


@dataclass(frozen=True)
class Wanted:
    """What is exported.

    Attributes:
        pairs: pairs of completions instead of single ones.
        min_score: the least score of an exported or preferred completion.
        min_score_spread: the least difference of the scores of a pair; never exported: none.
        per_problem: at most so many rows of a problem.
        tasks: names of tasks; None: all.
        min_level, max_level: with either, groups of default parameters are left out.
    """

    pairs: bool = False
    min_score: float = SOLVED
    min_score_spread: float = MIN_SCORE_SPREAD
    per_problem: int = 1
    tasks: frozenset[str] | None = None
    min_level: float | None = None
    max_level: float | None = None

    def has(self, group: SavedGroup) -> bool:
        """Return whether the task and the level of a group are wanted."""
        is_named = self.tasks is None or group.task in self.tasks
        if self.min_level is None and self.max_level is None:
            return is_named
        low, high = self.min_level or 0.0, 1.0 if self.max_level is None else self.max_level
        return is_named and group.level is not None and low <= group.level <= high


# One group


def offers(
    group: SavedGroup, wanted: Wanted, left_out: Counter[str]
) -> Iterator[tuple[Rank, list[str], Row]]:
    """Yield at most `per_problem` rows of a group with ranks and texts, the best first.

    The best completions are those with the highest score of their group. Of equal scores, higher
    rewards come first, and then the order of the group.

    Args:
        left_out: counts why there are not more.
    """
    prompt, usable = _usable(group, left_out)
    top = max((one.score for one in usable), default=-1.0)
    first = [one for one in usable if one.score == top >= wanted.min_score]
    first = _distinct(sorted(first, key=lambda one: (-one.reward, one.index)))
    rows: list[tuple[Completion, ...]] = [(one,) for one in first]
    if wanted.pairs:
        texts = {one.text for one in first}
        low = [one for one in usable if 0 < top - one.score >= wanted.min_score_spread]
        worse = _distinct(sorted(low, key=lambda one: (one.score, one.index)))
        rows = list(zip(first, (one for one in worse if one.text not in texts), strict=False))
    if usable and not rows:
        left_out["equal" if first else "low"] += 1
    for row in rows[: wanted.per_problem]:
        rank = (-row[0].score, row[-1].score - row[0].score, -row[0].reward)
        yield rank, sorted(one.text for one in row), completions_row(group, prompt, row)


def _usable(group: SavedGroup, left_out: Counter[str]) -> tuple[list[Message], list[Completion]]:
    """Return the messages that all completions answer, and the completions that may be exported."""
    asked: list[Message] = []
    usable = []
    for index, rollout in enumerate(group.rollouts):
        prompt = _prompt(rollout.conversation)
        if prompt is None or asked not in ([], prompt):
            continue
        asked = prompt
        if reason := _reason(rollout):
            left_out[reason] += 1
            continue
        score = _score(rollout)
        reward = score if rollout.reward is None else rollout.reward
        usable.append(Completion(index, score, reward, unicode_only(rollout.whole)))
    if not asked:
        has_texts = any(rollout.conversation for rollout in group.rollouts)
        left_out["other_roles" if has_texts else "no_texts"] += 1
    return asked, usable


def _reason(rollout: SavedRollout) -> str | None:
    """Return why a completion is not exported; None if it may be."""
    if rollout.cut:
        return "cut"
    if not rollout.verdict or not rollout.finish_reason:
        return "unjudged"
    if rollout.verdict not in JUDGED or not 0 <= _score(rollout) <= 1:
        return "failed"
    return None if rollout.text.strip() else "empty"


def _score(rollout: SavedRollout) -> float:
    """Return the score; the reward where a file of groups has only that, and -1 without both."""
    return next((one for one in (rollout.score, rollout.reward) if one is not None), -1.0)


def _prompt(conversation: Sequence[Mapping[str, Any]]) -> list[Message] | None:
    """Return the messages before the completion; None if this is no conversation with texts."""
    messages: list[Message] = []
    for message in conversation:
        role, content = message.get("role"), message.get("content")
        if not isinstance(role, str) or not isinstance(content, str):
            return None
        messages.append({"role": unicode_only(role), "content": unicode_only(content)})
    roles = [message["role"] for message in messages]
    return messages[:-1] if roles[-1:] == ["assistant"] and "user" in roles[:-1] else None


def _distinct(completions: Iterable[Completion]) -> list[Completion]:
    """Return the first completion with each text."""
    found: dict[str, Completion] = {}
    for completion in completions:
        found.setdefault(completion.text, completion)
    return list(found.values())


# All groups


class Offer(NamedTuple):
    """A row that could be exported; of those of a problem, the least one is the best.

    Attributes:
        place: of the row in the temporary file.
        problem, texts: hashes.
    """

    rank: Rank
    place: int
    group: str
    problem: bytes
    texts: bytes


class _Group(NamedTuple):
    """What is kept of a group; `is_saved`: it has scores beside its rewards."""

    is_saved: bool
    offers: list[Offer]
    left_out: Counter[str]


class Exporter:
    """Exports the groups below some folders.

    Args:
        roots: folders and files.
        folder: where rows wait, in a file without a name.
        ahead: how many problems are judged at the same time.

    Attributes:
        sources: the files that have groups.
        rows, problems: how many were written.
        left_out: reason -> number of what `REASONS` names.
    """

    def __init__(
        self, roots: Sequence[Path], wanted: Wanted, folder: Path, *, ahead: int = 8
    ) -> None:
        self._wanted, self._ahead = wanted, ahead
        self._waiting = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self.close = self._waiting.close
        self._reader = Reader(roots)
        self._groups: dict[str, _Group] = {}
        self._last = LastGroups()
        self._superseded: set[str] = set()
        self._offered: list[list[Offer]] = []
        self.sources: set[Path] = set()
        self.rows = self.problems = 0
        self.left_out: Counter[str] = Counter()

    @property
    def summary(self) -> str:
        """What was left out and why; empty if nothing was."""
        least, spread = map(level_name, (self._wanted.min_score, self._wanted.min_score_spread))
        found = [
            f"{counted(self.left_out[reason], noun)} {what.format(least=least, spread=spread)}"
            for noun, reasons in REASONS.items()
            for reason, what in reasons.items()
            if self.left_out[reason]
        ]
        return f"Left out: {'; '.join(found)}." if found else ""

    def choose(self, advance: Callable[[], None] = lambda: None) -> int:
        """Read all files, and return how many problems have rows that could be exported.

        Args:
            advance: called once for each line.
        """
        for line in self._reader.lines():
            self._read(line)
            advance()
        for name in self._superseded & self._groups.keys():
            del self._groups[name]
            self.left_out["superseded"] += 1
        offered = defaultdict(list)
        for group in self._groups.values():
            self.left_out.update(group.left_out)
            for offer in group.offers:
                offered[offer.problem].append(offer)
        self.left_out["unreadable"] = len(self._reader.unreadable)
        self._offered = list(offered.values())
        return len(self._offered)

    def _read(self, line: Line) -> None:
        found = read_line(line.content, "")
        if isinstance(found, SavedGroup):
            self.sources.add(line.path)
            if found.kind == "samples":
                self.left_out["samples"] += 1
            else:
                self._add(found, found.group or f"{line.path}:{line.offset}")
        elif found is None and not line.content.isspace() and not line.content.startswith(OWN):
            self.left_out["foreign" if line.content.endswith(b"\n") else "unfinished"] += 1

    def _add(self, group: SavedGroup, name: str) -> None:
        """Add a group; of one in two files, the saved one counts, which has scores."""
        new, old = _Group(group.kind == "rollouts", [], Counter()), self._groups.get(name)
        if old is not None:
            self.left_out["copies"] += 1
            if old.is_saved or not new.is_saved:
                return
        self._groups[name] = new
        if new.is_saved and (loser := self._last.add(group)):
            self._superseded.add(loser)
        if not self._wanted.has(group):
            new.left_out["filtered"] += 1
            return
        for rank, texts, row in offers(group, self._wanted, new.left_out):
            place = self._waiting.tell()
            self._waiting.write(json.dumps(row).encode() + b"\n")
            problem = _digest([group.task, _question(row)])
            new.offers.append(Offer(rank, place, name, problem, _digest(texts)))

    async def write(
        self,
        write_row: Callable[[Row], None],
        side_of: SideOf,
        advance: Callable[[], None] = lambda: None,
    ) -> None:
        """Pass the rows of the problems of training to `write_row`, as the files first have these.

        Args:
            advance: called once for each problem.

        Raises:
            OSError: `write_row` can't write.
            PoolBroken: `side_of` has no workers any more.
        """

        async def judged(offered: list[Offer]) -> tuple[list[Offer], list[Row], int, Side]:
            chosen = best(offered, self._wanted.per_problem)
            rows: list[Row] = []
            for offer in chosen:
                self._waiting.seek(offer.place)
                rows.append(json.loads(self._waiting.readline()))
            side = await side_of(json.loads(rows[0]["recipe"]), _question(rows[0]))
            return chosen, rows, len({offer.group for offer in offered}), side

        calls = map(judged, self._offered)
        async with contextlib.aclosing(in_order(calls, self._ahead)) as results:
            async for chosen, rows, groups, side in results:
                advance()
                if side != "training":
                    self.left_out[side] += groups
                    continue
                self.left_out["again"] += groups - len({offer.group for offer in chosen})
                self.problems += 1
                self.rows += len(rows)
                for row in rows:
                    write_row(row)


def best(offered: Iterable[Offer], most: int) -> list[Offer]:
    """Choose among the rows of a problem; equal texts are one row."""
    distinct: dict[bytes, Offer] = {}
    for offer in sorted(offered):
        distinct.setdefault(offer.texts, offer)
    return sorted(list(distinct.values())[:most], key=lambda offer: offer.place)


def _question(row: Row) -> str:
    """Return the last message of the user."""
    prompt: list[Message] = row["prompt"] if "prompt" in row else row["messages"][:-1]
    return next(message["content"] for message in reversed(prompt) if message["role"] == "user")


def _digest(texts: Sequence[str]) -> bytes:
    return hashlib.blake2b(json.dumps(texts).encode(), digest_size=12).digest()
