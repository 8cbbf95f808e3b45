"""Cheap programs: answers that are found without solving the problem, and how many are right.

A program is fitted on half of the problems and judged on the other half, and the other way round.
Which feature it uses is decided by the half that is not counted, so that luck is not chosen.

Needs scikit-learn and scipy (requirements-dev.txt).
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from zlib import crc32

import numpy
from numpy.typing import NDArray

from rgenv.validation.answers import normalized

Kind = Literal["constant", "rule", "offset", "branch", "line", "table", "rewriting", "forest"]

KINDS: Mapping[Kind, str] = {
    "constant": "the answer {}",
    "rule": "{}",
    "offset": "{}, plus a constant",
    "branch": "{}, plus a constant, or the most frequent answer as a feature says",
    "line": "{}, times a constant",
    "table": "a table of: {}",
    "rewriting": "{}, rewritten once",
    "forest": "a forest on {}",
}
"""Kind of program -> what it answers, from the cheapest to the dearest."""

MIN_PROBLEMS = 40
"""Of fewer problems only constants and rules are counted."""
MAX_FEATURES = 400
"""The most frequent ones that vary."""
PROBLEMS_A_TREE = 7
"""A forest has one tree for so many problems."""
LEAST_REPEATED = 0.15
"""The share of answers that come more than once, below which a table or a forest solves too few."""
CONTEXTS = (1, 2, 3, 4, 6)
"""Characters before a place at which a text is rewritten."""
MAX_REWRITTEN = 8
"""Characters that a rewriting replaces at most."""

Floats = NDArray[numpy.float64]
Bools = NDArray[numpy.bool_]
Labels = NDArray[numpy.str_]


@dataclass(frozen=True)
class Share:
    """A number of cases out of a total, such as solved problems."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share; 0.0 without cases."""
        return self.count / self.total if self.total else 0.0

    @property
    def least(self) -> float:
        """The lower end of the Wilson interval with 95 % confidence."""
        from scipy.stats import binomtest

        if not self.total:
            return 0.0
        return float(binomtest(self.count, self.total).proportion_ci(method="wilson").low)


@dataclass(frozen=True)
class Sample:
    """A drawn problem.

    Attributes:
        answer: the reference answer; None if none is known.
        rules: the answers of the task's rules.
        solved_by: the rules whose answer the verifier accepts.
    """

    question: str
    answer: str | None
    rules: Mapping[str, str] = field(default_factory=dict)
    solved_by: frozenset[str] = frozenset()

    @functools.cached_property
    def features(self) -> Mapping[str, float]:
        """The answers of its rules, and what can be counted in its question."""
        from tools.features import features

        values = {name: normalized(text) for name, text in self.rules.items()}
        return {
            name: crc32(value.encode()) if isinstance(value, str) else float(value)
            for name, value in values.items()
        } | features(self.question)


@dataclass(frozen=True)
class Program:
    """A way to answer without solving the problem.

    Attributes:
        name: the constant, the rule or the feature.
        solved: the problems that it solves, of those that were drawn.
    """

    kind: Kind
    name: str
    solved: Share

    def __str__(self) -> str:
        return KINDS[self.kind].format(self.name)


def programs(samples: Sequence[Sample], *, fitted: bool = True) -> list[Program]:
    """Return the best program of each kind, from the cheapest kind to the dearest.

    Args:
        fitted: whether to fit any; constants and rules need none.
    """
    samples = list({one.question: one for one in samples}.values())  # each is asked once
    answers = [str(normalized(one.answer)) for one in samples if one.answer is not None]
    found = [*_constant(answers, len(samples)), *_rule(samples)]
    if not fitted or len(samples) < MIN_PROBLEMS or len(answers) < len(samples):
        return found
    first = numpy.random.default_rng(0).permutation(len(samples)) % 2 == 0
    numbers = _numbers(answers)
    repeated = sum(n for n in Counter(answers).values() if n > 1) / len(answers)
    if numbers is None:
        found += _rewriting(samples, first)
    if numbers is None and repeated < LEAST_REPEATED:
        return found
    names, table = _columns(samples)
    if not names:
        return found
    values = numpy.full(len(answers), numpy.nan) if numbers is None else numbers
    labels = numpy.array(answers)
    one, other = (_Half(table[:, half], labels[half], values[half]) for half in (first, ~first))
    if numbers is not None:
        found += [_best(kind, fit, (one, other), names) for kind, fit in NUMERIC.items()]
    if repeated >= LEAST_REPEATED:
        found += [_best("table", _table, (one, other), names), _forest((one, other))]
    return found


def _constant(answers: Sequence[str], total: int) -> Iterator[Program]:
    if answers:
        [(answer, count)] = Counter(answers).most_common(1)
        yield Program("constant", answer, Share(count, total))


def _rule(samples: Sequence[Sample]) -> Iterator[Program]:
    if counts := Counter(name for one in samples for name in one.solved_by):
        name, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        yield Program("rule", name, Share(count, len(samples)))


def _columns(samples: Sequence[Sample]) -> tuple[list[str], Floats]:
    """Return rules and features as rows of numbers: those that vary, and no two alike."""
    counts = Counter(name for one in samples for name in one.features)
    rows: dict[bytes, tuple[str, Floats]] = {}
    for name, count in counts.most_common():
        if len(rows) == MAX_FEATURES or count < 3:
            break
        row = numpy.array([float(one.features.get(name, 0.0)) for one in samples])
        if row.min() < row.max():
            rows.setdefault(row.tobytes(), (name, row))
    return [name for name, _ in rows.values()], numpy.array([row for _, row in rows.values()])


def _numbers(answers: Sequence[str]) -> Floats | None:
    """Return answers as numbers; None if one of them is none."""
    values = [normalized(answer) for answer in answers]
    exact = [float(value) for value in values if not isinstance(value, str)]
    return numpy.array(exact) if len(exact) == len(values) else None


class _Half(NamedTuple):
    """Half of the problems.

    Attributes:
        table: a row for each rule and feature, a column for each problem.
        labels, numbers: the answers; as numbers, too, if all of them are.
    """

    table: Floats
    labels: Labels
    numbers: Floats


Fit = Callable[[_Half, _Half], Bools]
"""``fit(known, other)`` learns from one half. It returns, for each feature, which answers to the
problems of the other half are right."""


def _best(kind: Kind, fit: Fit, halves: tuple[_Half, _Half], names: Sequence[str]) -> Program:
    """Return the program with the best feature."""
    one, other = halves
    first, second = fit(one, other).sum(axis=1), fit(other, one).sum(axis=1)
    solved = int(first[second.argmax()] + second[first.argmax()])
    total = len(one.labels) + len(other.labels)
    return Program(kind, names[int((first + second).argmax())], Share(solved, total))


def _offset(known: _Half, other: _Half) -> Bools:
    return _same(other.table + _modes(known.numbers - known.table), other.numbers)


def _branch(known: _Half, other: _Half) -> Bools:
    """Let the limit of one feature say where the top answer is right; add a constant elsewhere."""
    [[top]] = _modes(known.numbers[None, :])
    is_top, most = known.numbers == top, -1
    for share in (0, 0.25, 0.5, 0.75):
        limits = numpy.quantile(known.table, share, axis=1, method="lower", keepdims=True)
        for is_above in (True, False):
            table = (known.table > limits) == is_above
            right = (table == is_top).sum(axis=1)
            if right.max() > most:
                place, most = right.argmax(), right.max()
                says = table[place]
                other_says = (other.table[place] > limits[place]) == is_above
    added = other.table
    if not says.all():
        added = added + _modes((known.numbers - known.table)[:, ~says])
    return _same(numpy.where(other_says, top, added), other.numbers)


def _line(known: _Half, other: _Half) -> Bools:
    mean, means = known.numbers.mean(), known.table.mean(axis=1, keepdims=True)
    x, y = known.table - means, known.numbers - mean
    slopes = (x * y).sum(axis=1) / numpy.maximum((x * x).sum(axis=1), 1e-9)
    guesses = numpy.floor(slopes[:, None] * (other.table - means) + mean + 0.5)
    return numpy.asarray(guesses == other.numbers)


def _table(known: _Half, other: _Half) -> Bools:
    """Answer as most known problems with the same value of the feature; without one, as most do."""
    labels = known.labels.tolist()
    [(top, _)] = Counter(labels).most_common(1)
    guesses = []
    for values, asked in zip(known.table.tolist(), other.table.tolist(), strict=True):
        counts = Counter(zip(values, labels, strict=True)).most_common()
        usual = {value: label for (value, label), _ in reversed(counts)}
        guesses.append([usual.get(value, top) for value in asked])
    return numpy.asarray(numpy.array(guesses) == other.labels)


def _same(guesses: Floats, numbers: Floats) -> Bools:
    """Return where two numbers differ by the noise of floats at most."""
    return numpy.asarray(numpy.isclose(guesses, numbers, rtol=1e-12, atol=1e-9))


def _modes(rows: Floats) -> Floats:
    """Return the most frequent number of each row, the least of several, as a column."""
    ordered, places = numpy.sort(rows, axis=1), numpy.arange(rows.shape[1])
    is_new = numpy.diff(ordered, axis=1, prepend=numpy.nan) != 0
    runs = places - numpy.maximum.accumulate(numpy.where(is_new, places, 0), axis=1)
    return numpy.take_along_axis(ordered, runs.argmax(axis=1, keepdims=True), axis=1)


NUMERIC: Mapping[Kind, Fit] = {"offset": _offset, "branch": _branch, "line": _line}
"""Kinds of programs whose answers are numbers."""


def _forest(halves: tuple[_Half, _Half]) -> Program:
    """Return what a forest predicts of the answers that come more than once."""
    from sklearn.ensemble import RandomForestClassifier

    total, solved = sum(len(half.labels) for half in halves), 0
    for known, other in (halves, reversed(halves)):
        often = (known.labels[:, None] == known.labels).sum(axis=0) > 1
        if often.any():
            forest = RandomForestClassifier(total // PROBLEMS_A_TREE, random_state=0)
            forest.fit(known.table[:, often].T, known.labels[often])
            solved += int((forest.predict(other.table.T) == other.labels).sum())
    return Program("forest", "all rules and features", Share(solved, total))


def _rewriting(samples: Sequence[Sample], halves: Bools) -> Iterator[Program]:
    """Yield the best way to rewrite a text of the question, or a rule's answer, at one place.

    What is replaced by what is learned from the other half; the first place that fits is taken.
    """
    texts = [_texts(one) for one in samples]
    found = [
        (
            sum(_rewritten_right(name, size, texts, samples, known) for known in (halves, ~halves)),
            name,
        )
        for name in dict.fromkeys(name for one in texts for name in one)
        for size in CONTEXTS
    ]
    count, name = max(found)
    yield Program("rewriting", name, Share(count, len(samples)))


def _texts(one: Sample) -> dict[str, str]:
    text = one.question.rstrip()
    last = {"the last word": text.split()[-1:], "the last line": text.splitlines()[-1:]}
    return {name: "".join(part) for name, part in last.items()} | dict(one.rules)


def _rewritten_right(
    name: str,
    size: int,
    texts: Sequence[Mapping[str, str]],
    samples: Sequence[Sample],
    known: Bools,
) -> int:
    pairs = [
        (text.get(name, ""), str(one.answer)) for text, one in zip(texts, samples, strict=True)
    ]
    changes = Counter(
        change
        for pair, is_known in zip(pairs, known.tolist(), strict=True)
        if is_known and (change := _change(*pair, size))
    )
    usual = {old: new for (old, new), count in reversed(changes.most_common()) if count > 1}
    return sum(
        _rewritten(before, usual) == after
        for (before, after), is_known in zip(pairs, known.tolist(), strict=True)
        if not is_known and before
    )


def _change(before: str, after: str, size: int) -> tuple[str, str] | None:
    """Return what is replaced by what, with the `size` characters before it; None if it is long."""
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    rest = shorter - start
    end = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    if before == after or start < size or len(before) - start - end > MAX_REWRITTEN:
        return None
    return before[start - size : len(before) - end], after[start - size : len(after) - end]


def _rewritten(text: str, replacements: Mapping[str, str]) -> str:
    """Return a text after the one replacement that fits first."""
    found = min(((text.find(old), old) for old in replacements if old in text), default=None)
    if found is None:
        return text
    at, old = found
    return text[:at] + replacements[old] + text[at + len(old) :]
