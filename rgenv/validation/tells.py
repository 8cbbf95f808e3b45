"""How much of a label can be told from the surface of the question.

A classifier sees lengths, counts of characters and words, and the first and last tokens of each
question, but not what the question means. If it predicts the reference answer, a policy can score
without solving the task.

Example::

    tell(["aab ccd", "aab cdd", ...], ["True", "False", ...])    # 0.02: nothing to see

The classifier is the better of a logistic regression and boosted trees, on five folds.

Not here: rules written for a task (rgenv/tasks/), and answers that are frequent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy
from numpy.typing import NDArray

Floats = NDArray[numpy.float64]
Ints = NDArray[numpy.intp]
Model = Callable[[Floats, Floats, Floats], Floats]
"""Takes features and one-hot labels to learn from, and features to judge; returns a score for each
question and label."""

FEW_LABELS = 12
"""A task is worth a classifier if this many labels cover nine in ten of its answers."""
FOLDS = 5
MAX_COUNTED = 200
"""Characters, and as many words, whose counts are features."""
MIN_SHARE = 0.01
"""Share of the questions in which a character or a word must occur to be counted."""
MAX_LABELS = 20
"""Labels that are told apart; rarer ones count as one."""

STEPS = 150
DECAY = 1e-3
"""Of the logistic regression: steps of gradient descent, and the weight of the squared weights."""

ROUNDS, DEPTH, BINS, TREE_FEATURES = 40, 3, 24, 40
RATE = 0.3
SMOOTHING = 4.0
"""Of the boosted trees: size, learning rate, and what is added to the size of a leaf."""


def labels_in_use(answers: Iterable[str | None]) -> int:
    """Return how many different answers cover nine in ten of them."""
    counts = Counter(answers)
    covered = 0
    for number, (_, count) in enumerate(counts.most_common(), start=1):
        covered += count
        if covered >= 0.9 * counts.total():
            return number
    return 0


def tell(questions: Sequence[str], labels: Sequence[str]) -> float:
    """Return how much better than the top label the classifier predicts labels of unseen questions.

    Args:
        questions: different questions of one task at one level, as they are served.
        labels: their reference answers.

    Returns:
        The cross-validated accuracy less the share of the most frequent label. About 0.0 if the
        surface says nothing, and 0.5 if it decides between two equally frequent labels. With n
        questions the standard error is about 0.5 / sqrt(n).

    Raises:
        ValueError: there are fewer questions than folds, or not one label for each question.
    """
    if len(questions) != len(labels) or len(questions) < FOLDS:
        raise ValueError(f"{len(questions)} questions with {len(labels)} labels")
    frequent = [label for label, _ in Counter(labels).most_common(MAX_LABELS)]
    codes = numpy.array([frequent.index(x) if x in frequent else MAX_LABELS for x in labels])
    targets = (codes[:, None] == numpy.unique(codes)).astype(float)
    columns = features(questions)
    if not columns.shape[1]:
        return 0.0
    order = numpy.random.default_rng(0).permutation(len(questions))
    folds = numpy.empty(len(questions), dtype=numpy.intp)
    folds[order] = numpy.arange(len(questions)) % FOLDS
    best = max(_accuracy(model, columns, targets, folds) for model in (_regression, _boosting))
    return best - float(targets.mean(axis=0).max())


def features(questions: Sequence[str]) -> Floats:
    """Return one row of numbers for each question. Columns that do not vary are left out."""
    words = [question.split() for question in questions]
    columns: list[Sequence[float]] = [
        [len(question) for question in questions],
        [len(tokens) for tokens in words],
        [question.count("\n") for question in questions],
        *_counts(questions),
        *_counts(words),
    ]
    for place in (0, -1):
        ends = [tokens[place] if tokens else "" for tokens in words]
        columns += _counts([[end] for end in ends])
        columns.append([len(end) for end in ends])
    table: Floats = numpy.array(columns, dtype=float).T
    varies: Floats = table[:, table.std(axis=0) > 0]
    return varies


def _counts(texts: Sequence[Sequence[str]]) -> list[list[float]]:
    """Return how often each frequent token occurs in each text."""
    counters = [Counter(text) for text in texts]
    found = Counter(token for counter in counters for token in counter)
    frequent = [t for t, n in found.most_common(MAX_COUNTED) if n >= MIN_SHARE * len(texts)]
    return [[counter[token] for counter in counters] for token in frequent]


def _accuracy(model: Model, columns: Floats, targets: Floats, folds: Ints) -> float:
    """Return the share of questions whose label is predicted from the other folds."""
    right = 0
    for fold in range(FOLDS):
        held, known = folds == fold, folds != fold
        scores = model(columns[known], targets[known], columns[held])
        right += int((scores.argmax(axis=1) == targets[held].argmax(axis=1)).sum())
    return right / len(folds)


def _probabilities(scores: Floats) -> Floats:
    powers = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    result: Floats = powers / powers.sum(axis=1, keepdims=True)
    return result


def _regression(known: Floats, targets: Floats, unseen: Floats) -> Floats:
    """Fit a multinomial logistic regression by accelerated gradient descent."""
    mean, deviation = known.mean(axis=0), known.std(axis=0) + 1e-9

    def standard(table: Floats) -> Floats:
        scaled = numpy.clip((table - mean) / deviation, -5, 5)
        return numpy.hstack([scaled, numpy.ones((len(table), 1))])

    rows = standard(known)
    # No larger step is safe for the most curved direction of the loss.
    step = 2 / (numpy.linalg.norm(rows, 2) ** 2 / len(rows) + 2 * DECAY)
    weights = ahead = numpy.zeros((rows.shape[1], targets.shape[1]))
    for number in range(STEPS):
        error = _probabilities(rows @ ahead) - targets
        moved = ahead - step * (rows.T @ error / len(rows) + DECAY * ahead)
        ahead = moved + number / (number + 3) * (moved - weights)
        weights = moved
    return standard(unseen) @ weights


def _boosting(known: Floats, targets: Floats, unseen: Floats) -> Floats:
    """Fit boosted trees on the features that tell most by themselves."""
    edges = numpy.quantile(known, numpy.linspace(0, 1, BINS + 1)[1:-1], axis=0)
    known_bins, unseen_bins = _binned(known, edges), _binned(unseen, edges)
    chosen = numpy.argsort(-_information(known_bins, targets))[:TREE_FEATURES]
    known_bins, unseen_bins = known_bins[:, chosen], unseen_bins[:, chosen]
    scores = numpy.zeros_like(targets)
    judged = numpy.zeros((len(unseen), targets.shape[1]))
    for _ in range(ROUNDS):
        residuals = targets - _probabilities(scores)
        for label in range(targets.shape[1]):
            at, of = _tree(known_bins, residuals[:, label], unseen_bins)
            scores[:, label] += RATE * at
            judged[:, label] += RATE * of
    return judged


def _binned(table: Floats, edges: Floats) -> Ints:
    columns = [numpy.searchsorted(edges[:, i], table[:, i]) for i in range(table.shape[1])]
    return numpy.array(columns, dtype=numpy.intp).T.reshape(len(table), -1)


def _histograms(bins: Ints, values: Floats) -> Floats:
    """Return the sum of `values` in each bin of each feature, as an array [feature, bin]."""
    places = bins + BINS * numpy.arange(bins.shape[1])
    weights = numpy.repeat(values, bins.shape[1])
    sums = numpy.bincount(places.ravel(), weights, BINS * bins.shape[1])
    return numpy.asarray(sums.reshape(-1, BINS), dtype=numpy.float64)


def _information(bins: Ints, targets: Floats) -> Floats:
    """Return the variance of the labels that the bins of each feature explain."""
    sizes = _histograms(bins, numpy.ones(len(bins))) + SMOOTHING
    centred = targets - targets.mean(axis=0)
    explained = [(_histograms(bins, column) ** 2 / sizes).sum(axis=1) for column in centred.T]
    return numpy.asarray(sum(explained))


def _tree(known: Ints, residuals: Floats, unseen: Ints) -> tuple[Floats, Floats]:
    """Fit one tree; return its values for the known and for the unseen questions."""
    values, judged = numpy.zeros(len(known)), numpy.zeros(len(unseen))
    nodes = [(numpy.arange(len(known)), numpy.arange(len(unseen)))]
    for depth in range(DEPTH + 1):
        children = []
        for rows, others in nodes:
            split = _split(known[rows], residuals[rows]) if depth < DEPTH else None
            if split is None:
                values[rows] = judged[others] = _leaf(residuals[rows])
                continue
            feature, last = split
            left, other_left = known[rows, feature] <= last, unseen[others, feature] <= last
            children += [(rows[left], others[other_left]), (rows[~left], others[~other_left])]
        nodes = children
    return values, judged


def _leaf(residuals: Floats) -> float:
    """Return a Newton step for the log loss."""
    curvature = float((abs(residuals) * (1 - abs(residuals))).sum())
    return float(residuals.sum()) / (curvature + SMOOTHING)


def _split(bins: Ints, residuals: Floats) -> tuple[int, int] | None:
    """Return the feature and the last bin on the left that separate residuals best, if any do."""
    sums = _histograms(bins, residuals).cumsum(axis=1)
    sizes = _histograms(bins, numpy.ones(len(bins))).cumsum(axis=1)
    total, size = residuals.sum(), len(bins)
    gains = sums**2 / (sizes + SMOOTHING) + (total - sums) ** 2 / (size - sizes + SMOOTHING)
    gains[(sizes == 0) | (sizes == size)] = -numpy.inf
    feature, last = numpy.unravel_index(int(gains.argmax()), gains.shape)
    if gains[feature, last] <= total**2 / (size + SMOOTHING):
        return None
    return int(feature), int(last)
