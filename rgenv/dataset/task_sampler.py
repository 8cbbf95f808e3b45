"""SignalSampler: prefers tasks whose next group is likely to teach, for what it costs.

A group whose rewards are all equal gives no gradient, nor does one whose rewards differ in masked
completions alone. Which tasks give a gradient changes while the model learns, so the sampler counts
what the groups of each arm show. An arm is a task and a band of its levels. The share of an arm
among the problems is proportional to its weight times

    value = gain ** SHARPNESS / cost, where gain = chance * known

- chance: of a gradient, (1 + groups with one) / (2 + groups). So an arm without groups has 1/2 and
  is tried.
- known: the share of the right answers that luck does not explain, 1 - blind share / accuracy, at
  least 0 (`Parts.luck`). Almost every group of a yes/no task that is answered at random has a
  gradient, which teaches nothing.
- cost: the expected completion tokens of a group (`Parts.cost`), so arms of the same gain get the
  same tokens, and long completions are no reason to starve a task. Before the first groups, an arm
  costs as much as its task, and a task as much as all on average.

No number is drawn from the belief about a chance (Thompson sampling): each arm is asked in
proportion, so none takes all, and one without groups is tried soon.

The counts fade: each new group of an arm multiplies the arm's older counts by `KEEP`, so about 20
groups count, and they decay with time, by a factor of e in `HORIZON` groups of any task. A group
without a gradient that will make the curriculum move (all wrong above the lowest level, all right
below the highest) counts only `FOLLOWED` of a group: the task is about to change.

A share `min_share` of the problems is distributed by weight alone. So no task is starved, and one
that has become learnable, or that gets worse, is noticed after some of these problems. A task among
105 gets one in 105 / `min_share` problems, counted over all replicas, which share what they
observe.

With random difficulty, the arms of a task are the bands of the range, which share its weight; else
it has one. Bands whose prompts are too long leave their weight to the others of the task.

The pick of problem n is a function of the seed, the replica, n and the observed groups.

::

    sampler = SignalSampler({"gcd": 1.0, "lcm": 1.0}, seed=42)
    sampler.pick(0, bands_of)         # ("gcd", 2)
    sampler.observe("gcd", 0.5, has_gradient=True, accuracy=0.5, tokens=4210)
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rgenv.dataset.blind import blind_share
from rgenv.dataset.difficulty import BANDS, Band, band_of
from rgenv.dataset.stream import random_for

SHARPNESS = 2
FOLLOWED = 0.25
KEEP = 0.95
HORIZON = 10_000

GOLDEN = (math.sqrt(5) - 1) / 2
"""Its multiples modulo 1 are evenly distributed: each interval is hit in proportion to its length,
at nearly regular distances."""

LITTLE = 1e-9
"""Sums below this have faded."""

POSITIVE, NEGATIVE, ACCURACY, BLIND, TOKENS, PRICED = range(6)
"""What is summed over the groups of an arm: groups with a gradient and without, accuracies, blind
shares, completion tokens, and groups whose tokens are known."""

Arm = tuple[str, Band]
BandsOf = Callable[[str], Sequence[Band]]
Floats = NDArray[np.float64]

SCHEMA = 2


@dataclass(frozen=True)
class Parts:
    """The parts of the rule. Benchmarks switch them off one by one."""

    luck: bool = True
    cost: bool = True


ALL_PARTS = Parts()


class SignalSampler:
    """Picks tasks by the value of their next group.

    Args:
        tasks: name -> weight.
        seed: the run's seed.
        replica_id, num_replicas: the replica; replicas pick independently.
        min_share: the minimum share of each task, as a fraction of its share by weight.
        parts: the parts of the rule.
        blind: returns the blind share of a task at a level.
    """

    def __init__(
        self,
        tasks: Mapping[str, float],
        *,
        seed: int,
        replica_id: int = 0,
        num_replicas: int = 1,
        min_share: float = 0.05,
        parts: Parts = ALL_PARTS,
        blind: Callable[[str, float | None], float] = blind_share,
    ) -> None:
        self._weights = dict(tasks)
        self._names = list(tasks)
        self._rows = {name: row for row, name in enumerate(tasks)}
        self._cumulative = list(accumulate(tasks.values()))
        self._key = (seed, "signal", num_replicas, replica_id)
        self._offset = random_for(*self._key).random()
        self._min_share = min_share
        self._parts = parts
        self._blind = blind
        self._forget()

    def _forget(self) -> None:
        """Begin without evidence."""
        self._groups_observed = 0
        self._sums: Floats = np.zeros((6, len(self._names), BANDS + 1))
        self._last: Floats = np.zeros(self._sums.shape[1:])

    def pick(self, n: int, bands: BandsOf) -> Arm:
        """Pick the task of problem `n`, and the band of its level.

        Args:
            bands: returns the bands in which a task can be made now. At least one task has some.
        """
        number = math.floor(n * self._min_share)
        by_weight_alone = math.floor((n + 1) * self._min_share) > number
        names = [self._evenly_picked(number)] if by_weight_alone else self._names
        arms, shares = self._shares(names, bands)
        if not arms:
            arms, shares = self._shares(self._names, bands)
        place = random_for(*self._key, n).random()
        sums = np.cumsum(shares)
        return arms[int(np.searchsorted(sums, place * sums[-1], side="right"))]

    def shares(self, bands: BandsOf) -> dict[Arm, float]:
        """Return the chance of each arm to be picked, where not by weight alone."""
        arms, shares = self._shares(self._names, bands)
        return dict(zip(arms, shares.tolist(), strict=True))

    def _shares(self, names: Sequence[str], bands: BandsOf) -> tuple[list[Arm], Floats]:
        """Return the arms of tasks and the chance of each to be picked."""
        offered = [(name, bands(name)) for name in names]
        arms = [(name, band) for name, found in offered for band in found]
        weights = np.array([self._weights[n] / len(found) for n, found in offered for _ in found])
        place = [self._rows[name] for name, _ in arms], [_column(band) for _, band in arms]
        return arms, _normalized(weights * self._values(self._faded())[place], weights)

    def _evenly_picked(self, number: int) -> str:
        """Return the task of the `number`-th problem that is distributed by weight alone."""
        place = (self._offset + number * GOLDEN) % 1.0 * self._cumulative[-1]
        return self._names[min(bisect(self._cumulative, place), len(self._names) - 1)]

    def _faded(self) -> Floats:
        """Return the sums of all arms as of now."""
        faded: Floats = self._sums * np.exp((self._last - self._groups_observed) / HORIZON)
        return faded

    def _values(self, sums: Floats) -> Floats:
        """Return the value of the next group of each arm, task by band."""
        gains = _chances(sums)
        if self._parts.luck:
            gains = gains * _known(sums)
        values: Floats = gains**SHARPNESS
        return values / _costs(sums) if self._parts.cost else values

    def chance(self, task: str, band: Band) -> float:
        """Return the expected chance that a group of this arm has a gradient."""
        return float(_chances(self._faded())[self._rows[task], _column(band)])

    def observe(
        self,
        task: str,
        level: float | None,
        *,
        has_gradient: bool,
        accuracy: float,
        tokens: int = 0,
        followed: bool = False,
    ) -> None:
        """Count one group; one of a task that is not picked from says nothing.

        Args:
            level: at which its problem was made.
            has_gradient: whether the rewards of its unmasked completions differ.
            accuracy: the share of its completions that are right.
            tokens: of all its completions; 0 if that is not known.
            followed: whether more groups like this one would make the curriculum move.
        """
        if task not in self._rows:
            return
        self._groups_observed += 1
        blind = self._blind(task, level)
        weight = FOLLOWED if followed and not has_gradient else 1.0
        group = has_gradient, not has_gradient, accuracy, blind, tokens, tokens > 0
        row, column = self._rows[task], _column(band_of(level))
        kept = math.exp((self._last[row, column] - self._groups_observed) / HORIZON)
        kept *= 1 - (1 - KEEP) * weight
        self._sums[:, row, column] = kept * self._sums[:, row, column] + weight * np.array(group)
        self._last[row, column] = self._groups_observed

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state from which `load_state_dict` continues exactly."""
        arms = [
            [self._names[row], _band(column), *map(float, self._sums[:, row, column]), int(last)]
            for (row, column), last in np.ndenumerate(self._last)
            if last
        ]
        return {"schema": SCHEMA, "groups_heard": self._groups_observed, "arms": arms}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state. Of the first schema, which had counts alone, nothing is read.

        Raises:
            ValueError: the state has another schema.
        """
        schema = state.get("schema")
        if schema not in (1, SCHEMA):
            raise ValueError(f"sampler state has schema {schema}, expected {SCHEMA}")
        self._forget()
        if schema == 1:
            return
        self._groups_observed = int(state["groups_heard"])
        for task, band, *sums, last in state["arms"]:
            if task in self._rows:
                place = self._rows[task], _column(band)
                self._sums[:, *place] = [float(number) for number in sums]
                self._last[place] = int(last)


def _column(band: Band) -> int:
    return BANDS if band is None else band


def _band(column: int) -> Band:
    return None if column == BANDS else column


def _chances(sums: Floats) -> Floats:
    """Return the expected chance of a gradient: the mean of Beta(1 + with one, 1 + without)."""
    chances: Floats = (1 + sums[POSITIVE]) / (2 + sums[POSITIVE] + sums[NEGATIVE])
    return chances


def _known(sums: Floats) -> Floats:
    """Return the share of the right answers of each arm that luck does not explain.

    The sums include one group that is half right without luck. So it is 1 for an arm without
    groups, and for one without right answers where guesses are never right.
    """
    known: Floats = np.maximum(0.0, 1 - sums[BLIND] / (0.5 + sums[ACCURACY]))
    return known


def _costs(sums: Floats) -> Floats:
    """Return the expected tokens of a group, as multiples of the mean of all.

    The mean of an arm includes one group of its task's mean, and that of a task one group of the
    mean of all.
    """
    tokens, priced = sums[TOKENS], sums[PRICED]
    overall = tokens.sum() / priced.sum() if priced.sum() > LITTLE else 1.0
    of_task = (overall + tokens.sum(axis=1)) / (1 + priced.sum(axis=1))
    costs: Floats = (of_task[:, None] + tokens) / (1 + priced) / overall
    return costs


def _normalized(shares: Floats, otherwise: Floats) -> Floats:
    """Return shares that add up to 1; if all are 0, the others."""
    kept = shares if shares.any() else otherwise
    normalized: Floats = kept / kept.sum() if len(kept) else kept
    return normalized
