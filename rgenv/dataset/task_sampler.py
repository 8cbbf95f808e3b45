"""Which task is asked next, so that few completions are spent on groups that teach nothing.

A group whose rewards are all equal gives no gradient. Which tasks give one changes while the model
learns; so the sampler listens, like a player at slot machines who wants good ones, not only the
best (Thompson, Biometrika 1933; forgetting: Raj and Kalyani, arXiv 1707.09727; satisficing: Russo
and Van Roy, arXiv 1803.02855):

1. For each task and band of levels it counts the groups with and without signal.
2. Its belief about the chance of a group with signal is Beta(1 + with, 1 + without).
3. Every new group of an arm fades the arm's older ones by `KEEP`, so about 20 count.
4. Evidence also fades with time: `HORIZON` groups of any task leave 1/e of it.
5. To pick, one number is drawn from each belief. Those of at least `GOOD` times the highest are
   good enough; among them the weights decide. The very best alone would be tasks that are half
   luck: right or wrong at random always differs, and teaches little.
6. `min_share` of the items are dealt out by weight alone, evenly: no task is starved, and one that
   has become learnable is noticed.
7. The curriculum decides the level. A group without signal that it will answer by moving (all
   wrong above the bottom, all right below the top) counts `FOLLOWED` of another: the task is about
   to change.
8. Random difficulty: its range is cut into bands, and task and band are picked together.

Item n depends on the seed, the replica, n and what was heard, nothing else.

::

    sampler = SignalSampler({"gcd": 1.0, "lcm": 1.0}, seed=42)
    sampler.pick(0, bands_of)         # ("gcd", 2)
    sampler.observe("gcd", 2, informative=True)
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

SAMPLING = ("uniform", "weighted", "signal")

GOOD, FOLLOWED = 0.9, 0.25
KEEP = 0.95
HORIZON = 10_000
GOLDEN = (math.sqrt(5) - 1) / 2
"""Multiples of it, modulo 1, fill every interval at its share and leave none waiting long."""

Arm = tuple[str, Band]

SCHEMA = 1


class SignalSampler:
    """Picks tasks by their chance of a group with signal.

    Args:
        tasks: name -> weight.
        seed: of the run.
        replica_id, num_replicas: replicas pick independently.
        min_share: each task gets at least this share of what its weight alone would give it.
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
        self._groups_heard = 0
        self._arms: dict[str, dict[Band, tuple[float, float, int]]] = {}

    def pick(self, n: int, bands: Callable[[str], Sequence[Band]]) -> Arm:
        """The task of item `n`, and the band of levels where there are several.

        Args:
            bands: task -> those it can be asked at now, at least one.
        """
        dealt = math.floor(n * self._min_share)
        is_dealt = math.floor((n + 1) * self._min_share) > dealt
        names = [self._dealt(dealt)] if is_dealt else self._names
        arms = [(name, band) for name in names for band in bands(name)]
        rng = np.random.default_rng(random_for(*self._key, n).getrandbits(128))
        draws = self._draws(arms, rng)
        weights = np.array([self._weights[task] for task, _ in arms])
        shares = np.cumsum(weights * (draws >= GOOD * draws.max()))
        return arms[int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))]

    def _draws(self, arms: Sequence[Arm], rng: np.random.Generator) -> np.ndarray:
        """One number from each arm's belief."""
        useful, useless = zip(*(self._counts(*arm) for arm in arms), strict=True)
        return rng.beta(1 + np.array(useful), 1 + np.array(useless))

    def _dealt(self, number: int) -> str:
        place = (self._offset + number * GOLDEN) % 1.0 * self._cumulative[-1]
        return self._names[min(bisect(self._cumulative, place), len(self._names) - 1)]

    def _counts(self, task: str, band: Band) -> tuple[float, float]:
        """Groups with and without signal, as far as they still count."""
        useful, useless, last = self._arms.get(task, {}).get(band, (0.0, 0.0, self._groups_heard))
        kept = math.exp((last - self._groups_heard) / HORIZON)
        return useful * kept, useless * kept

    def chance(self, task: str, band: Band) -> float:
        """The expected chance that a group of this arm has signal."""
        useful, useless = self._counts(task, band)
        return (1 + useful) / (2 + useful + useless)

    def observe(self, task: str, band: Band, informative: bool, *, followed: bool = False) -> None:
        """Hear of one group.

        Args:
            informative: whether its rewards differed.
            followed: whether the curriculum will answer such groups by another level.
        """
        self._groups_heard += 1
        weight = FOLLOWED if followed and not informative else 1.0
        kept = 1 - (1 - KEEP) * weight
        useful, useless = (kept * count for count in self._counts(task, band))
        useful, useless = useful + weight * informative, useless + weight * (not informative)
        self._arms.setdefault(task, {})[band] = useful, useless, self._groups_heard

    def state_dict(self) -> dict[str, Any]:
        """JSON-able state: what `load_state_dict` needs to go on as if nothing had happened."""
        arms = [
            [task, band, *counts]
            for task, bands in self._arms.items()
            for band, counts in bands.items()
        ]
        return {"schema": SCHEMA, "groups_heard": self._groups_heard, "arms": arms}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over a state.

        Raises:
            ValueError: the state was written by a version with another schema.
        """
        if state.get("schema") != SCHEMA:
            raise ValueError(f"sampler state has schema {state.get('schema')}, expected {SCHEMA}")
        self._groups_heard = int(state["groups_heard"])
        self._arms = {}
        for task, band, useful, useless, last in state["arms"]:
            counts = float(useful), float(useless), int(last)
            self._arms.setdefault(task, {})[band] = counts
