"""SignalSampler: prefers tasks whose groups are likely to have a gradient.

A group whose rewards are all equal gives no gradient, nor does one whose rewards differ in masked
completions alone. Which tasks give a gradient changes while the model learns, so the sampler treats
tasks as the arms of a bandit and looks for good arms, not only for the best (Thompson, Biometrika
1933; forgetting: Raj and Kalyani, arXiv 1707.09727; satisficing: Russo and Van Roy, arXiv
1803.02855):

1. An arm is a task and a band of levels. The sampler counts its groups with a gradient and those
   without.
2. The belief about the chance of a gradient is Beta(1 + groups with, 1 + groups without).
3. Each new group of an arm multiplies the arm's older counts by `KEEP`, so about 20 groups count.
4. Counts also decay with time, by a factor of e in `HORIZON` groups of any task.
5. To pick, one number is drawn from each belief. Arms whose number is at least `GOOD` times the
   highest are good enough, and the weights decide among them. The single best arm would often be a
   task that is half luck: random scores always differ and teach little.
6. A share `min_share` of the problems is distributed evenly, by weight alone. So no task is
   starved, and one that has become learnable is noticed after some of these problems. A task among
   105 gets one in 105 / `min_share` problems, counted over all replicas, which share what they
   observe.
7. A group without a gradient that will make the curriculum move (all wrong above the lowest level,
   all right below the highest) counts only `FOLLOWED` of a group: the task is about to change.
8. With random difficulty, an arm is picked for each band of the range; else a task has one band.
   Bands whose prompts are too long leave their weight to the others of the task.

The pick of problem n is a function of the seed, the replica, n and the observed groups.

::

    sampler = SignalSampler({"gcd": 1.0, "lcm": 1.0}, seed=42)
    sampler.pick(0, bands_of)         # ("gcd", 2)
    sampler.observe("gcd", 2, has_gradient=True)
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from rgenv.dataset.difficulty import Band
from rgenv.dataset.stream import random_for

GOOD, FOLLOWED = 0.9, 0.25
KEEP = 0.95
HORIZON = 10_000
GOLDEN = (math.sqrt(5) - 1) / 2
"""Its multiples modulo 1 are evenly distributed: each interval is hit in proportion to its length,
at nearly regular distances."""

Arm = tuple[str, Band]

SCHEMA = 1


class SignalSampler:
    """Picks tasks by their chance of a gradient.

    Args:
        tasks: name -> weight.
        seed: the run's seed.
        replica_id, num_replicas: the replica; replicas pick independently.
        min_share: the minimum share of each task, as a fraction of its share by weight.
    """

    def __init__(
        self,
        tasks: Mapping[str, float],
        *,
        seed: int,
        replica_id: int = 0,
        num_replicas: int = 1,
        min_share: float = 0.05,
    ) -> None:
        self._weights = dict(tasks)
        self._names = list(tasks)
        self._cumulative = list(accumulate(tasks.values()))
        self._key = (seed, "signal", num_replicas, replica_id)
        self._offset = random_for(*self._key).random()
        self._min_share = min_share
        self._groups_observed = 0
        self._arms: dict[str, dict[Band, tuple[float, float, int]]] = {}

    def pick(
        self,
        n: int,
        bands: Callable[[str], Sequence[Band]],
        band_weight: Callable[[str], float] = lambda task: 1.0,
    ) -> Arm:
        """Pick the task of problem `n`, and the band of its level.

        Args:
            bands: returns the bands in which a task can be made now. At least one task has some.
            band_weight: returns the factor by which fewer bands raise the weight of each.
        """
        number = math.floor(n * self._min_share)
        by_weight_alone = math.floor((n + 1) * self._min_share) > number
        names = [self._evenly_picked(number)] if by_weight_alone else self._names
        arms = [(name, band) for name in names for band in bands(name)]
        arms = arms or [(name, band) for name in self._names for band in bands(name)]
        rng = np.random.default_rng(random_for(*self._key, n).getrandbits(128))
        draws = self._draw_chances(arms, rng)
        weights = np.array([self._weights[task] * band_weight(task) for task, _ in arms])
        shares = np.cumsum(weights * (draws >= GOOD * draws.max()))
        return arms[int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))]

    def _draw_chances(self, arms: Sequence[Arm], rng: np.random.Generator) -> np.ndarray:
        """Draw one number from each arm's belief."""
        positive, negative = zip(*(self._counts(*arm) for arm in arms), strict=True)
        return rng.beta(1 + np.array(positive), 1 + np.array(negative))

    def _evenly_picked(self, number: int) -> str:
        """Return the task of the `number`-th problem that is distributed by weight alone."""
        place = (self._offset + number * GOLDEN) % 1.0 * self._cumulative[-1]
        return self._names[min(bisect(self._cumulative, place), len(self._names) - 1)]

    def _counts(self, task: str, band: Band) -> tuple[float, float]:
        """Return the decayed counts of an arm's groups with a gradient, and of those without."""
        nothing = (0.0, 0.0, self._groups_observed)
        positive, negative, last = self._arms.get(task, {}).get(band, nothing)
        kept = math.exp((last - self._groups_observed) / HORIZON)
        return positive * kept, negative * kept

    def chance(self, task: str, band: Band) -> float:
        """Return the expected chance that a group of this arm has a gradient."""
        positive, negative = self._counts(task, band)
        return (1 + positive) / (2 + positive + negative)

    def observe(self, task: str, band: Band, has_gradient: bool, *, followed: bool = False) -> None:
        """Count one group.

        Args:
            has_gradient: whether the rewards of its unmasked completions differ.
            followed: whether more groups like this one would make the curriculum move.
        """
        self._groups_observed += 1
        weight = FOLLOWED if followed and not has_gradient else 1.0
        kept = 1 - (1 - KEEP) * weight
        positive, negative = (kept * count for count in self._counts(task, band))
        positive, negative = (
            positive + weight * has_gradient,
            negative + weight * (not has_gradient),
        )
        self._arms.setdefault(task, {})[band] = positive, negative, self._groups_observed

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state from which `load_state_dict` continues exactly."""
        arms = [
            [task, band, *counts]
            for task, bands in self._arms.items()
            for band, counts in bands.items()
        ]
        return {"schema": SCHEMA, "groups_heard": self._groups_observed, "arms": arms}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state.

        Raises:
            ValueError: the state has another schema.
        """
        if state.get("schema") != SCHEMA:
            raise ValueError(f"sampler state has schema {state.get('schema')}, expected {SCHEMA}")
        self._groups_observed = int(state["groups_heard"])
        self._arms = {}
        for task, band, positive, negative, last in state["arms"]:
            counts = float(positive), float(negative), int(last)
            self._arms.setdefault(task, {})[band] = counts
