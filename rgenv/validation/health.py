"""What was measured of a task, and whether the task is healthy: pure judgement, nothing is run.

    report = TaskReport("gcd", "arithmetic", (level, ...))
    [str(fault) for fault in report.faults]
    -> ["blind: '2' earns 0.45 and is right for 0.30 of the items at the defaults"]

A healthy task pays 1.0 for a right answer, less than half for a wrong one, next to nothing for
junk, and no more for any one constant answer than the share of items it is right for; its recipes
make the same problems in every worker. How answers are made up and scored is probing.py's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from statistics import median
from typing import Literal

RIGHT = 1.0 - 1e-9
WRONG = 0.5
"""A wrong answer stays below."""
FLOOR = 0.05
"""The most that junk may earn."""
MAX_EXCESS = 0.02
"""The most that a blind constant may earn beyond the share of items that it is right for."""
MAX_FAILED = 0.1
"""The share of a level's items that may fail to be made: the stream passes over them."""
MAX_ALIKE = 0.5
"""The share of items that another item's answer, or one with another digit, may be right for."""

Rule = Literal["oracle", "wrong", "near", "junk", "blind", "remake", "made"]
"""`near` is `wrong` for a long answer with one part of it changed, short of full marks: what
verifiers that grade by parts pay on purpose."""

KNOWN: Mapping[str, Mapping[Rule, str]] = {
    "propositional_logic": dict.fromkeys(
        ("blind", "wrong"),
        "the library calls every single variable trivial; inferred, it is a conclusion",
    ),
    "rush_hour": {"wrong": "at its easiest a car may as well go a step further: another way out"},
}
"""Task -> rule that it is known to break -> why it may."""

Kind = Literal["binary", "floor", "partial"]

NEVER_BY_CHANCE = ("other", "digit", "prefix")
"""Kinds of wrong answers that can't be right for most items; a swap or a cut can, in a set."""


@dataclass(frozen=True)
class Try:
    """One made-up answer to one item: what kind it is and what it earned.

    `right` is set where a second verifier, too, gives it full marks: the mutation of an answer is
    now and then another right one.
    """

    kind: str
    answer: str = field(repr=False)
    score: float
    right: bool = False


@dataclass(frozen=True)
class Item:
    """One problem and what its verifier made of answers to it; `oracle` None: none is known."""

    seed: int
    question_chars: int
    make_seconds: float
    remade: bool
    winnable: bool = True
    oracle: str | None = field(default=None, repr=False)
    oracle_score: float | None = None
    score_seconds: float | None = None
    wrong: tuple[Try, ...] = ()
    junk: tuple[Try, ...] = ()

    @property
    def tries(self) -> tuple[Try, ...]:
        """All answers to it that were made up for it."""
        return self.wrong + self.junk


@dataclass(frozen=True)
class Constant:
    """One answer given to every item of a level without a look at it."""

    answer: str
    mean: float
    share: float
    """Of items that this answer, or the most frequent label if that is more, is right for."""

    @property
    def excess(self) -> float:
        """What it earns without being right."""
        return self.mean - self.share


@dataclass(frozen=True)
class LevelReport:
    """A task at one level; `level` None is the task's defaults."""

    level: float | None
    items: tuple[Item, ...] = ()
    failed: tuple[str, ...] = ()
    constant: Constant | None = None
    between: bool = False
    """Whether a constant earned more than `FLOOR` and less than 1.0."""

    @property
    def works(self) -> bool:
        """Whether problems come out that can be won."""
        wanted = len(self.items) + len(self.failed)
        won = sum(item.winnable for item in self.items)
        return bool(won) and len(self.failed) <= MAX_FAILED * wanted


@dataclass(frozen=True)
class Fault:
    """A rule that is broken, at which level, and how."""

    rule: Rule
    level: float | None
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.text} at {level_in_words(self.level)}"


@dataclass(frozen=True)
class TaskReport:
    """A task at all its levels, with one example of what it asks."""

    task: str
    category: str
    levels: tuple[LevelReport, ...]
    question: str = field(default="", repr=False)
    answer: str | None = field(default=None, repr=False)

    @property
    def items(self) -> list[Item]:
        """The items of all levels."""
        return [item for level in self.levels for item in level.items]

    @property
    def faults(self) -> list[Fault]:
        """Every rule that is broken."""
        return [fault for level in self.levels for fault in level_faults(level)]

    @property
    def broken(self) -> list[Rule]:
        """The rules that are broken, each once."""
        return list(dict.fromkeys(fault.rule for fault in self.faults))

    @property
    def unexplained(self) -> list[Fault]:
        """The faults that nobody has given a reason for."""
        return [fault for fault in self.faults if fault.rule not in KNOWN.get(self.task, {})]

    @property
    def healthy(self) -> bool:
        """Whether no rule is broken, but for those that are known."""
        return not self.unexplained

    @property
    def working_levels(self) -> list[float | None]:
        """The levels at which there are problems that can be won."""
        return [level.level for level in self.levels if level.works]

    @property
    def constant(self) -> Constant | None:
        """The constant that earns most beyond its share, over the levels."""
        found = [level.constant for level in self.levels if level.constant is not None]
        return max(found, key=lambda constant: constant.excess, default=None)

    @property
    def kind(self) -> Kind:
        """Whether rewards are all or nothing, a little for any attempt, or by degrees."""
        scores = [attempt.score for item in self.items for attempt in item.tries]
        if any(level.between for level in self.levels) or any(FLOOR < s < RIGHT for s in scores):
            return "partial"
        return "floor" if any(0 < score < RIGHT for score in scores) else "binary"

    @property
    def characters_by_4(self) -> int:
        """A prompt's length in the middle: four characters are about one token."""
        return round(median([item.question_chars for item in self.items] or [0]) / 4)


def level_faults(level: LevelReport) -> Iterator[Fault]:
    """The rules that are broken at one level, each with its worst case."""
    wanted = len(level.items) + len(level.failed)
    if not level.works:
        said = f" ({level.failed[0]})" if level.failed else ""
        won = sum(item.winnable for item in level.items)
        yield Fault("made", level.level, f"{won} of {wanted} items can be won{said}")
    for rule, text in (
        ("oracle", _oracle_fault(level.items)),
        ("wrong", _wrong_fault(level.items)),
        ("near", _near_fault(level.items)),
        ("junk", _junk_fault(level.items)),
        ("blind", _blind_fault(level.constant)),
        ("remake", _remake_fault(level.items)),
    ):
        if text is not None:
            yield Fault(rule, level.level, text)  # type: ignore[arg-type]  # literals above


def _oracle_fault(items: Sequence[Item]) -> str | None:
    low = [i for i in items if i.oracle_score is not None and i.oracle_score < RIGHT]
    if not low:
        return None
    worst = min(low, key=lambda item: item.oracle_score or 0.0)
    return (
        f"the right answer of {len(low)} of {len(items)} items earns less than 1.0 "
        f"({worst.oracle_score:.2f} for seed {worst.seed})"
    )


def _wrong_fault(items: Sequence[Item]) -> str | None:
    tries = [(item, attempt) for item in items for attempt in item.wrong]
    high = _too_high(tries, near=False)
    if high:
        return high
    for kind in NEVER_BY_CHANCE:
        right = [attempt.right for _, attempt in tries if attempt.kind == kind]
        if len(right) > 2 and sum(right) > MAX_ALIKE * len(right):
            return f"the wrong answers of kind {kind!r} are right for {sum(right)} of {len(right)}"
    return None


def _near_fault(items: Sequence[Item]) -> str | None:
    return _too_high([(item, attempt) for item in items for attempt in item.wrong], near=True)


def _too_high(tries: Sequence[tuple[Item, Try]], *, near: bool) -> str | None:
    """What wrong answers, or those that are nearly right, earn too much."""
    high = [
        (item, attempt)
        for item, attempt in tries
        if attempt.score >= WRONG and not attempt.right and _is_near(item, attempt) is near
    ]
    if not high:
        return None
    item, worst = max(high, key=lambda pair: pair[1].score)
    return (
        f"{len(high)} of {len(tries)} wrong answers earn {WRONG} or more ({worst.kind} "
        f"{quoted(worst.answer)} {worst.score:.2f} for {quoted(item.oracle or '?')}, "
        f"seed {item.seed})"
    )


def _is_near(item: Item, attempt: Try) -> bool:
    """Whether a part of more than a number was changed, and not for full marks."""
    a_number = isinstance(_said(item.oracle or ""), Fraction)
    return attempt.kind != "other" and attempt.score < RIGHT and not a_number


def _junk_fault(items: Sequence[Item]) -> str | None:
    tries = [(item, attempt) for item in items for attempt in item.junk]
    high = [pair for pair in tries if pair[1].score > FLOOR + 1e-9]
    if not high:
        return None
    item, worst = max(high, key=lambda pair: pair[1].score)
    kinds = ", ".join(sorted({attempt.kind for _, attempt in high}))
    return (
        f"junk ({kinds}) earns more than {FLOOR} on {len({i.seed for i, _ in high})} of "
        f"{len(items)} items (at most {worst.score:.2f}, seed {item.seed})"
    )


def _blind_fault(constant: Constant | None) -> str | None:
    if constant is None or constant.excess <= MAX_EXCESS + 1e-9:
        return None
    return (
        f"{quoted(constant.answer)} earns {constant.mean:.2f} and is right for "
        f"{constant.share:.2f} of the items"
    )


def _remake_fault(items: Sequence[Item]) -> str | None:
    other = [item.seed for item in items if not item.remade]
    return f"another worker makes another problem of seed {other[0]}" if other else None


def same(first: str, second: str) -> bool:
    """Whether two answers say the same: case, spaces and the way to write a number aside."""
    return _said(first) == _said(second)


def close(first: str, second: str) -> bool:
    """Whether two numbers differ by a hundredth at most: a matter of rounding."""
    one, other = _said(first), _said(second)
    if isinstance(one, str) or isinstance(other, str):
        return False
    return abs(one - other) <= abs(other) / 100


@lru_cache(maxsize=4096)
def _said(text: str) -> str | Fraction:
    words = " ".join(text.casefold().split())
    found = re.fullmatch(r"([-+]?\d{1,40}(?:\.\d{1,40})?)(/\d{1,40})?", words)
    if found is None or (found[2] and not int(found[2][1:])):
        return words
    return Fraction(found[1]) / (int(found[2][1:]) if found[2] else 1)


def constants_of(
    answers: Sequence[str], table: Sequence[Sequence[float]], oracles: Sequence[str | None]
) -> list[Constant]:
    """What each of `answers` is worth as an answer to all items, the most suspicious first.

    Args:
        table: for each item, the score of each answer.
        oracles: for each item, its right answer.
    """
    if not table:
        return []
    columns = zip(answers, zip(*table, strict=True), strict=True)
    label = max((oracles.count(oracle) for oracle in oracles if oracle is not None), default=0)
    found = []
    for answer, scores in columns:
        own = sum(oracle is not None and same(answer, oracle) for oracle in oracles)
        share = max(own, label) / len(oracles)
        found.append(Constant(answer, sum(scores) / len(scores), share))
    return sorted(found, key=lambda one: (-round(one.excess, 9), -one.mean, len(one.answer)))


def level_in_words(level: float | None) -> str:
    """A level as people read it."""
    return "the defaults" if level is None else f"level {level:g}"


def quoted(text: str, length: int = 40) -> str:
    """A text for a line of a table."""
    shown = repr(text)
    return shown if len(shown) <= length else f"{shown[: length - 2]}…'"
