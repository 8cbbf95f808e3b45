"""Cheap programs: answers that are found without solving the problem, and how many are right.

::

    programs(samples)      # of drawn problems of one task and level
    # [Program("constant", "-1", Share(80, 200)), Program("table", "words", Share(96, 200)), ...]

A program is fitted on half of the problems and judged on the other half, and the other way round.
Which feature it uses is decided by the half that is not counted, so that luck is not chosen.

Needs scikit-learn and scipy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from zlib import crc32

import numpy
from numpy.typing import NDArray

from rgenv.validation.answers import normalized
from rgenv.validation.measures import Share

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
TREES = 20
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
    halves = numpy.random.default_rng(0).permutation(len(samples)) % 2 == 0
    labels, numbers = numpy.array(answers), _numbers(answers)
    counts = Counter(answers)
    repeated = sum(count for count in counts.values() if count > 1) / len(answers)
    if numbers is None:
        found += _rewriting(samples, halves)
    if numbers is None and repeated < LEAST_REPEATED:
        return found
    fit = _Fit(_columns(samples), labels, numbers, halves)
    if numbers is not None:
        found += [*fit.best("offset", _offset), *fit.best("branch", _branch)]
        found += fit.best("line", _line)
    if repeated >= LEAST_REPEATED:
        found += [*fit.best("table", _table), *_forest(fit)]
    return found


def _constant(answers: Sequence[str], total: int) -> Iterator[Program]:
    if answers:
        [(answer, count)] = Counter(answers).most_common(1)
        yield Program("constant", answer, Share(count, total))


def _rule(samples: Sequence[Sample]) -> Iterator[Program]:
    if counts := Counter(name for one in samples for name in one.solved_by):
        name, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        yield Program("rule", name, Share(count, len(samples)))


def _columns(samples: Sequence[Sample]) -> dict[str, Floats]:
    """Return rules and features as numbers, by name: those that vary, and no two alike."""
    from rgenv.validation.features import features

    rows = [_numbers_of_rules(one) | features(one.question) for one in samples]
    counts = Counter(name for row in rows for name in row)
    columns: dict[bytes, tuple[str, Floats]] = {}
    for name, count in counts.most_common():
        if len(columns) == MAX_FEATURES or count < 3:
            break
        column = numpy.array([float(row.get(name, 0.0)) for row in rows])
        if column.min() < column.max():
            columns.setdefault(column.tobytes(), (name, column))
    return dict(columns.values())


def _numbers(answers: Sequence[str]) -> Floats | None:
    """Return answers as numbers; None if one of them is none."""
    values = [normalized(answer) for answer in answers]
    exact = [float(value) for value in values if not isinstance(value, str)]
    return numpy.array(exact) if len(exact) == len(values) else None


def _numbers_of_rules(one: Sample) -> dict[str, float]:
    values = {name: normalized(text) for name, text in one.rules.items()}
    return {
        name: crc32(value.encode()) if isinstance(value, str) else float(value)
        for name, value in values.items()
    }


class _Fit:
    """Fits programs on half of the problems, and judges them on the others.

    Attributes:
        table: a row for each rule and feature, a column for each problem.
        labels, numbers: the answers, and as numbers if all of them are.
        halves: whether a problem is in the first half.
    """

    def __init__(
        self, columns: Mapping[str, Floats], labels: Labels, numbers: Floats | None, halves: Bools
    ) -> None:
        self.names, self.table = list(columns), numpy.array(list(columns.values()))
        self.labels, self.numbers, self.halves = labels, numbers, halves

    def known(self) -> Iterator[Bools]:
        """Yield the half to learn from, which is each of the two once."""
        yield from (self.halves, ~self.halves)

    def best(self, kind: Kind, fit: Callable[[_Fit, Bools], Iterator[Bools]]) -> Iterator[Program]:
        """Yield the program with the best feature.

        Args:
            fit: learns from the known half; yields for each feature which answers are right.
        """
        if not self.names:
            return
        first, second = (
            numpy.array([right[~known].sum() for right in fit(self, known)])
            for known in self.known()
        )
        solved = int(first[second.argmax()] + second[first.argmax()])
        name = self.names[int((first + second).argmax())]
        yield Program(kind, name, Share(solved, len(self.labels)))


def _offset(fit: _Fit, known: Bools) -> Iterator[Bools]:
    assert fit.numbers is not None
    for column in fit.table:
        yield _same(column + _mode((fit.numbers - column)[known]), fit.numbers)


def _branch(fit: _Fit, known: Bools) -> Iterator[Bools]:
    """Let the limit of one feature say where the top answer is right; add a constant elsewhere."""
    assert fit.numbers is not None
    top = _mode(fit.numbers[known])
    says, most = known & False, -1
    for share in (0, 0.25, 0.5, 0.75):
        limits = numpy.quantile(fit.table[:, known], share, axis=1, method="lower")
        above = fit.table > limits[:, None]
        for table in (above, ~above):
            right = (table == (fit.numbers == top))[:, known].sum(axis=1)
            if right.max() > most:
                says, most = table[right.argmax()], right.max()
    rest = known & ~says
    for column in fit.table:
        added = column + _mode((fit.numbers - column)[rest]) if rest.any() else column
        yield _same(numpy.where(says, top, added), fit.numbers)


def _line(fit: _Fit, known: Bools) -> Iterator[Bools]:
    assert fit.numbers is not None
    y = fit.numbers - fit.numbers[known].mean()
    for column in fit.table:
        x = column - column[known].mean()
        slope = (x * y)[known].sum() / max((x * x)[known].sum(), 1e-9)
        yield numpy.floor(slope * x + fit.numbers[known].mean() + 0.5) == fit.numbers


def _table(fit: _Fit, known: Bools) -> Iterator[Bools]:
    codes = numpy.unique(fit.labels, return_inverse=True)[1].tolist()
    [(top, _)] = Counter(numpy.array(codes)[known].tolist()).most_common(1)
    for column in fit.table:
        values = column.tolist()
        seen: dict[float, Counter[int]] = {}
        for value, code, is_known in zip(values, codes, known.tolist(), strict=True):
            if is_known:
                seen.setdefault(value, Counter())[code] += 1
        table = {value: max(counts, key=counts.__getitem__) for value, counts in seen.items()}
        yield numpy.array([table.get(v, top) == c for v, c in zip(values, codes, strict=True)])


def _same(guesses: Floats, numbers: Floats) -> Bools:
    """Return where two numbers differ by the noise of floats at most."""
    return numpy.asarray(numpy.isclose(guesses, numbers, rtol=1e-12, atol=1e-9))


def _mode(values: Floats) -> float:
    found, counts = numpy.unique(values, return_counts=True)
    return float(found[counts.argmax()])


def _forest(fit: _Fit) -> Iterator[Program]:
    """Yield what a forest predicts of the answers that come more than once."""
    from sklearn.ensemble import RandomForestClassifier

    solved = 0
    for known in fit.known():
        counts = Counter(fit.labels[known].tolist())
        learned = known & numpy.array([counts[label] > 1 for label in fit.labels.tolist()])
        if learned.any() and fit.names:
            forest = RandomForestClassifier(TREES, random_state=0)
            forest.fit(fit.table[:, learned].T, fit.labels[learned])
            solved += int((forest.predict(fit.table[:, ~known].T) == fit.labels[~known]).sum())
    yield Program("forest", "all rules and features", Share(solved, len(fit.labels)))


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
