"""95 % intervals of means over problems.

The values of problems lie in [0, 1], such as the share of a problem's completions that solve it.
The problems of a task at a level are a *stratum*: a random sample of what the generator makes.

An interval takes three steps.

1. The score method finds the variance of the mean at each end (Wilson 1927; for strata Miettinen
   and Nurminen 1985): each stratum has the most likely share of solved problems, given that the
   mean over the strata is at that end. So strata without any failure have a variance, too. Where
   the observed shares of the strata make it larger, they count.
2. That is the variance of problems which are solved or not. Several completions of a problem, or
   partial credit, make it smaller by a factor, the same in all strata. The factor is estimated and
   drawn towards 1, by as much as `PRIOR` problems.
3. The variance is that of some number of problems of a single stratum, the effective number (Korn
   and Graubard 1998). The result is the interval of a share (chance.py) for this number.

For one task and one completion of each problem, the effective number is the number of problems.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rgenv.evaluation.chance import Z, share_interval

PRIOR = 0.5
"""The weight of the assumption that a variance has its largest possible size, in problems."""

DIGITS = 9
"""Digits of an end after the point; further ones may depend on the processor."""

STEPS = 40
"""Bisections for each end."""


class Interval(NamedTuple):
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Stratum:
    """Problems of one kind.

    Attributes:
        values: one number in [0, 1] for each problem; at least one.
        weight: of the mean of the values; only ratios of weights matter.
        alike: sizes of the families of problems that may be solved alike, so that a family tells no
            more than one problem; none: each problem is its own family.
    """

    values: Sequence[float]
    weight: float = 1.0
    alike: Sequence[int] = ()

    @property
    def number(self) -> float:
        """The effective number of problems (Kish 1965)."""
        count = len(self.values)
        return count**2 / sum(size**2 for size in self.alike) if self.alike else float(count)


@dataclass(frozen=True)
class Sampled:
    """Says that these tasks, each with its strata, are a random sample of so many."""

    tasks: Sequence[Sequence[Stratum]]
    of: int


def interval(
    strata: Sequence[Stratum], *, completions: float = 1.0, sampled: Sampled | None = None
) -> Interval:
    """Return the weighted mean of the strata's means, with its 95 % interval.

    Args:
        completions: for each problem, on average. They make the estimated factor more certain.
    """
    table = _Table.of(strata)
    factor = table.variance_factor(completions)
    noise = 0.0 if sampled is None else _inverse_number_of_tasks(sampled)
    ends = []
    for sign in (-1, 1):
        number = 1.0 / (1.0 / table.effective_number(factor, sign) + noise)
        end = share_interval(table.mean * number, number)[sign > 0]
        ends.append(round(end, DIGITS))
    return Interval(table.mean, min(ends[0], table.mean), max(ends[1], table.mean))


@dataclass(frozen=True)
class _Table:
    """The strata as columns; weights sum to 1, and `second` is the mean of squared values."""

    weight: Any
    square: Any
    number: Any
    share: Any
    second: Any

    @classmethod
    def of(cls, strata: Sequence[Stratum]) -> _Table:
        """Sum up the values; strata with a single problem are joined to one."""
        rows = [
            (
                stratum.weight,
                stratum.number,
                math.fsum(stratum.values) / len(stratum.values),
                math.fsum(value * value for value in stratum.values) / len(stratum.values),
            )
            for stratum in strata
        ]
        weight, number, share, second = np.array(sorted(rows)).T
        weight = weight / math.fsum(weight)
        square = weight**2 / number
        alone = number < 1.5
        if alone.sum() > 1:
            joined = weight[alone].sum(), square[alone].sum()
            means = [np.average(x[alone], weights=weight[alone]) for x in (share, second)]
            weight, square = (
                np.append(x[~alone], total)
                for x, total in zip((weight, square), joined, strict=True)
            )
            share, second = (
                np.append(x[~alone], mean) for x, mean in zip((share, second), means, strict=True)
            )
            number = weight**2 / square
        return cls(weight, square, number, share, second)

    @property
    def mean(self) -> float:
        return min(1.0, max(0.0, math.fsum(self.weight * self.share)))

    def variance_factor(self, completions: float) -> float:
        """Estimate the variance of values, as a share of that of problems solved or not.

        The estimate also corrects for the problems that were spent on the strata's own means.
        """
        many = self.number > 1
        number, share = self.number[many], self.share[many]
        binary = share * (1 - share)
        found = (self.second[many] - share**2) * number / np.maximum(number - 1, 1e-9)
        square = self.square[many]
        largest = math.fsum(square * (binary + found / number))
        raw = math.fsum(square * found) / largest if largest > 0 else 1.0
        known = math.sqrt(completions) * math.fsum(number * binary)
        factor = min(1.0, (known * raw + PRIOR) / (known + PRIOR))
        total = math.fsum(self.number)
        return factor * total / max(1.0, total - factor * (len(self.number) - 1))

    def effective_number(self, factor: float, sign: int) -> float:
        """Return how many problems of one stratum vary as the mean at its end of this sign."""
        if len(self.number) == 1:
            return float(self.number[0]) / factor
        mean = self.mean
        if mean == (sign > 0):
            return float(min(self.number / self.weight)) / factor
        low, high = -12.0, 30.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            end, variance = self._constrained(sign * math.exp(middle))
            variance *= factor
            if (end - mean) ** 2 > Z * Z * variance:
                high = middle
            else:
                low = middle
        number = end * (1 - end) / max(variance, 1e-12)
        observed = factor * float(self.square @ (self.share * (1 - self.share)))
        return number if observed <= 1e-12 else min(number, mean * (1 - mean) / observed)

    def _constrained(self, shift: float) -> tuple[float, float]:
        """Return mean and variance when the most likely shares of the strata are shifted.

        The shares p maximise the likelihood, given their mean: number * (share - p) / (p * (1 - p))
        is -shift * weight in each stratum.
        """
        c = -shift * self.weight
        b = c + self.number
        root = np.sqrt(np.maximum(b * b - 4 * c * self.number * self.share, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(b > 0, 2 * self.number * self.share / (b + root), (b - root) / (2 * c))
        p = np.clip(p, 0.0, 1.0)
        return float(self.weight @ p), float(self.square @ (p * (1 - p)))


def _inverse_number_of_tasks(sampled: Sampled) -> float:
    """Return the inverse of the effective number of tasks: how much the choice of tasks adds.

    The variance between tasks is estimated without the noise within them, as a share of the largest
    possible one, and drawn towards it by as much as `PRIOR` tasks.
    """
    count = len(sampled.tasks)
    rows = [_mean_and_noise(task) for task in sampled.tasks]
    means = [mean for mean, _ in rows]
    largest = (overall := math.fsum(means) / count) * (1 - overall)
    if count > 1 and largest > 0:
        spread = math.fsum((mean - overall) ** 2 for mean in means) / (count - 1)
        raw = max(0.0, spread - math.fsum(noise for _, noise in rows) / count) / largest
    else:
        raw = 1.0
    known = count * largest
    share = min(1.0, (known * raw + PRIOR) / (known + PRIOR))
    return (1 - count / max(count, sampled.of)) * share / count


def _mean_and_noise(task: Sequence[Stratum]) -> tuple[float, float]:
    total = sum(stratum.weight for stratum in task)
    mean = noise = 0.0
    for stratum in task:
        number, part = stratum.number, stratum.weight / total
        share = math.fsum(stratum.values) / len(stratum.values)
        mean += part * share
        if number > 1:
            squares = math.fsum((value - share) ** 2 for value in stratum.values)
            noise += part**2 * squares / len(stratum.values) / (number - 1)
    return mean, noise


def difference(gains: Interval, losses: Interval) -> Interval:
    """Return the interval of a mean change, from those of its gains and of its losses.

    The method of variance estimates recovery, with the correlation of the shares of a multinomial
    distribution (Zou and Donner 2008).
    """
    change = gains.mean - losses.mean
    odds = (gains.mean / (1 - gains.mean or 1.0)) * (losses.mean / (1 - losses.mean or 1.0))
    correlation = -math.sqrt(min(1.0, odds))
    down, up = gains.mean - gains.low, gains.high - gains.mean
    less, more = losses.mean - losses.low, losses.high - losses.mean
    below = math.sqrt(down**2 + more**2 - 2 * correlation * down * more)
    above = math.sqrt(up**2 + less**2 - 2 * correlation * up * less)
    return Interval(change, max(-1.0, change - below), min(1.0, change + above))
