"""Asks a pool about one task: makes items, thinks up answers to them, has them scored.

    judges = Judges(pool, second, elsewhere)
    report = await probe_task("gcd", "arithmetic", judges, levels=[None, 0.5], seeds=range(20))
    report.healthy

Thought up are: the right answer; wrong ones of its shape (another item's, one digit changed, a
digit put before it, two parts swapped, the last part dropped, but no number that rounds to it);
junk (empty, words, nan, the question, all labels at once); and constants given to every item, taken
from the labels seen, their lines, words, numbers and characters, and a few short literals.

A changed right answer can be right as well. So one that earns half or more is shown to the second
judge, which has the library's verifiers where the first has ours and the other way round: what both
give full marks is not held to be wrong. Not covered: cheats that read the question.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rgenv.errors import MakeFailed
from rgenv.types import Problem, Verdict
from rgenv.validation.health import (
    FLOOR,
    RIGHT,
    WRONG,
    Constant,
    Item,
    LevelReport,
    TaskReport,
    Try,
    close,
    constants_of,
    same,
)

LITERALS = ("0", "1", "-1", "2", "True", "False", "Yes", "No", "None", "[]", "{}", "nan", "A", "(")
MOST = {"labels": 20, "blanks": 3, "lines": 7, "words": 7, "numbers": 6, "characters": 4}
"""How many constants of each origin are tried, beside the literals."""
SUSPECTS = 3
"""How many constants the second judge is asked about at a level."""


class Judge(Protocol):
    """What is asked of a pool."""

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
    ) -> Problem:
        """One problem."""

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """One verdict for each answer."""

    async def solve(self, problem: Problem) -> str | None:
        """A right answer."""


@dataclass(frozen=True)
class Judges:
    """Three pools: the one in question, one with the other verifiers, one with the same.

    `elsewhere` is other processes that should make the same problems as `first`.
    """

    first: Judge
    second: Judge
    elsewhere: Judge


async def probe_task(
    task: str,
    category: str,
    judges: Judges,
    *,
    levels: Sequence[float | None],
    seeds: Sequence[int],
    tick: Callable[[], None] = lambda: None,
) -> TaskReport:
    """Everything that is measured of one task; `tick` is called for every item."""
    reports, example = [], None
    for level in levels:
        made, failed = await _make_all(task, level, judges, seeds, tick)
        if made:
            example = example or made[0]
        reports.append(await _probe_level(level, judges, made, failed))
    if example is None:
        return TaskReport(task, category, tuple(reports))
    return TaskReport(task, category, tuple(reports), example.problem.question, example.oracle)


@dataclass(frozen=True)
class _Made:
    problem: Problem
    oracle: str | None
    item: Item


async def _make_all(
    task: str,
    level: float | None,
    judges: Judges,
    seeds: Sequence[int],
    tick: Callable[[], None],
) -> tuple[list[_Made], list[str]]:
    """The items of a level, and why the others could not be made."""
    background: list[asyncio.Task[_Made]] = []
    failed: list[str] = []
    try:
        for seed in seeds:
            began = time.perf_counter()
            try:
                problem = await judges.first.make(task, seed, level=level)
            except MakeFailed as error:
                failed.append(f"seed {seed}: {error}")
            else:
                seconds = time.perf_counter() - began
                background.append(asyncio.create_task(_look_at(problem, seconds, judges)))
            tick()
        return await asyncio.gather(*background), failed
    finally:
        for work in background:
            work.cancel()


async def _look_at(problem: Problem, seconds: float, judges: Judges) -> _Made:
    """Have it remade and solved; the next one is made meanwhile."""
    again, oracle = await asyncio.gather(
        _remake(problem, judges.elsewhere), _oracle(problem, judges)
    )
    item = Item(
        seed=problem.seed,
        question_chars=len(problem.question),
        make_seconds=seconds,
        remade=again,
        winnable=problem.winnable,
        oracle=oracle,
    )
    return _Made(problem, oracle, item)


async def _remake(problem: Problem, judge: Judge) -> bool:
    """Whether the recipe makes the same prompt and answer elsewhere."""
    try:
        again = await judge.make(problem.task, problem.seed, config=problem.config)
    except MakeFailed:
        return False
    return (again.question, again.answer) == (problem.question, problem.answer)


async def _oracle(problem: Problem, judges: Judges) -> str | None:
    if problem.answer is not None:
        return problem.answer
    try:
        return await judges.first.solve(problem)
    except MakeFailed:  # the search took too long: an answer that is not known
        return None


async def _probe_level(
    level: float | None, judges: Judges, made: Sequence[_Made], failed: Sequence[str]
) -> LevelReport:
    """Score what was made; items that can't be won are left as they are."""
    winnable = [one for one in made if one.problem.winnable]
    labels = [one.oracle for one in winnable if one.oracle is not None]
    constants = blind_candidates(labels)
    items: list[Item] = [one.item for one in made if not one.problem.winnable]
    table: list[list[float]] = []
    for one in winnable:
        item, scores = await _score(one, judges, labels, constants)
        items.append(item)
        table.append(scores)
    best = await _best_constant(constants, table, winnable, judges.second)
    between = any(FLOOR < score < RIGHT for scores in table for score in scores)
    items.sort(key=lambda item: item.seed)
    return LevelReport(level, tuple(items), tuple(failed), best, between)


async def _score(
    one: _Made, judges: Judges, labels: Sequence[str], constants: Sequence[str]
) -> tuple[Item, list[float]]:
    """One item with the scores of all that was made up for it, and those of the constants."""
    item = one.item
    if one.oracle is not None:
        began = time.perf_counter()
        [verdict] = await judges.first.score(one.problem, [one.oracle])
        score = 1.0 if not one.oracle else verdict.score  # an empty answer is turned away unseen
        item = replace(item, oracle_score=score, score_seconds=time.perf_counter() - began)
    wrong = [] if one.oracle is None else list(wrong_answers(one.oracle, labels))
    junk = list(junk_answers(one.problem.question, one.oracle, labels))
    answers = [answer for _, answer in [*wrong, *junk]] + list(constants)
    verdicts = await judges.first.score(one.problem, answers)
    scores = [verdict.score for verdict in verdicts]
    tries = [
        Try(kind, answer, score)
        for (kind, answer), score in zip([*wrong, *junk], scores, strict=False)
    ]
    item = replace(
        item,
        wrong=tuple(await _second_opinion(one.problem, judges.second, tries[: len(wrong)])),
        junk=tuple(tries[len(wrong) :]),
    )
    return item, scores[len(tries) :]


async def _second_opinion(problem: Problem, judge: Judge, tries: Sequence[Try]) -> list[Try]:
    """`tries`, with those marked that are full marks with both judges."""
    doubtful = [attempt.answer for attempt in tries if attempt.score >= WRONG]
    if not doubtful:
        return list(tries)
    verdicts = await judge.score(problem, doubtful)
    right = {a for a, v in zip(doubtful, verdicts, strict=True) if v.score >= RIGHT}
    return [replace(t, right=t.score >= RIGHT and t.answer in right) for t in tries]


def wrong_answers(oracle: str, labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Kinds and texts of answers that look like `oracle` and are not it."""
    seen = [oracle]
    for kind, text in _changed(oracle, labels):
        if close(text, oracle) or any(same(text, other) for other in seen):
            continue
        if text.strip():
            seen.append(text)
            yield kind, text


def _changed(oracle: str, labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    others = [label for label in labels if not same(label, oracle)]
    yield from (("other", label) for label in others[:1] + others[-1:])
    digit = re.search(r"\d", oracle)
    if digit is not None:
        changed = str(int(digit[0]) % 9 + 1)
        yield "digit", oracle[: digit.start()] + changed + oracle[digit.end() :]
        if _is_number(oracle):
            yield "prefix", f"{oracle[: digit.start()]}{'1'}{oracle[digit.start() :]}"
    parts = _parts(oracle)
    for first, second in zip(range(0, len(parts), 2), range(2, len(parts), 2), strict=False):
        if parts[first] != parts[second]:
            swapped = [*parts]
            swapped[first], swapped[second] = parts[second], parts[first]
            yield "swap", "".join(swapped)
            break
    if len(parts) > 1:
        yield "drop", "".join(parts[:-2])


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?\d[\d.,/]*", text.strip()) is not None


def _parts(text: str) -> list[str]:
    """Parts and what separates them in turn: words if there are some, else characters."""
    words = re.split(r"([\s,]+)", text.strip())
    if len(words) > 1:
        return words
    return [piece for character in text.strip() for piece in (character, "")][:-1]


def junk_answers(
    question: str, oracle: str | None, labels: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Kinds and texts of answers that nobody would call an answer."""
    yield "empty", ""
    yield "echo", question
    for text in ("I don't know", "None", "nan", "inf", "[NaN, NaN, NaN]"):
        if oracle is None or not same(text, oracle):
            yield text, text
    distinct = list(dict.fromkeys(labels))
    if len(distinct) > 1:
        listed = _own_in_the_middle(distinct, oracle)
        yield "all labels", "\n".join(listed)
        yield "all labels", ", ".join(listed)


def _own_in_the_middle(labels: list[str], own: str | None) -> list[str]:
    """A path that begins or ends with the right one may be right, and so may the first of many."""
    if own not in labels:
        return labels
    others = [label for label in labels if label != own]
    middle = (len(others) + 1) // 2
    return [*others[:middle], own, *others[middle:]]


def blind_candidates(labels: Sequence[str]) -> list[str]:
    """Answers worth trying on every item: the most frequent labels and pieces, short literals."""
    pieces: dict[str, Iterable[str]] = {
        "labels": labels,
        "blanks": (re.sub(r"\d", "0", label) for label in labels),
        "lines": (line for label in labels for line in set(label.splitlines())),
        "words": (word for label in labels for word in set(re.split(r"[\s,;]+", label))),
        "numbers": (n for label in labels for n in set(re.findall(r"-?\d+(?:\.\d+)?", label))),
        "characters": (character for label in labels for character in set(label)),
    }
    chosen = dict.fromkeys(LITERALS)
    for origin, texts in pieces.items():
        # By length and text where counts are equal: sets have no order that lasts.
        ranked = sorted(Counter(texts).items(), key=lambda pair: (-pair[1], len(pair[0]), pair[0]))
        chosen |= dict.fromkeys(text for text, _ in ranked[: MOST[origin]] if text.strip())
    return list(chosen)


async def _best_constant(
    answers: Sequence[str],
    table: Sequence[Sequence[float]],
    items: Sequence[_Made],
    judge: Judge,
) -> Constant | None:
    """The constant that earns most beyond the share of items that it is right for."""
    found = constants_of(answers, table, [one.oracle for one in items])[:SUSPECTS]
    looked_at = []
    for constant in found:
        place = answers.index(constant.answer)
        scores = [row[place] for row in table]
        right = await _right_for(constant.answer, scores, items, judge)
        looked_at.append(replace(constant, share=max(constant.share, right / len(items))))
    return max(looked_at, key=lambda one: (round(one.excess, 9), one.mean), default=None)


async def _right_for(
    answer: str, scores: Sequence[float], items: Sequence[_Made], judge: Judge
) -> int:
    """How many items `answer` is right for: it is their own, or full marks with both judges."""
    count = 0
    for one, score in zip(items, scores, strict=True):
        if one.oracle is not None and same(answer, one.oracle):
            count += 1
        elif score >= RIGHT:
            [verdict] = await judge.score(one.problem, [answer])
            count += verdict.score >= RIGHT
    return count
