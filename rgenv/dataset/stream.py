"""Which problem item n of a replica is, and what keeps prompts apart.

Item n is a function of the run's seed, the number of replicas, the replica and n: no generator's
state is kept, so a resume only needs n::

    >>> stream = Stream(seed=42, tasks={"chain_sum": 1.0, "gcd": 3.0}, replica_id=1, num_replicas=4)
    >>> task, uniform = stream.draw(0)
    >>> stream.seed(0, attempt=1, task=task) == stream.seed(0, attempt=1, task=task)
    True

Seeds are numbers below 2**53, which every JSON reader keeps whole. The upper half is for evaluation
alone. In the lower half each (number of replicas, attempt, n, replica) has a seed of its own, in
shuffled order, so neither another replica nor a run with other replicas meets a recipe again.
Different recipes can still ask the same question where a task has few; filters.py remembers those.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

SEED_BITS = 52
EVAL_SEEDS = 1 << SEED_BITS
"""Training seeds lie below, evaluation seeds from here on: no recipe is in both."""

INDEX_BITS, ATTEMPT_BITS, REPLICAS_BITS = 32, 6, 14
MAX_REPLICAS = 1 << REPLICAS_BITS
MAX_ATTEMPTS = 1 << ATTEMPT_BITS

SHORT_SEEDS = {"pool_matrix": 32}
"""Tasks that take no seed of more bits; theirs are drawn, not counted out."""


class Draw(NamedTuple):
    """What item n asks for: a task, and a uniform number in [0, 1) that may choose the level."""

    task: str
    uniform: float


class Stream:
    """The sequence of draws of one replica.

    Args:
        seed: of the run; the same for all replicas.
        tasks: name -> weight.
        replica_id: which replica this is, below num_replicas.
        num_replicas: of the run; seeds hang on it, too.

    Raises:
        ValueError: no replica has that id, or there are too many.
    """

    def __init__(
        self,
        *,
        seed: int,
        tasks: Mapping[str, float],
        replica_id: int = 0,
        num_replicas: int = 1,
    ) -> None:
        if not 0 <= replica_id < num_replicas <= MAX_REPLICAS:
            raise ValueError(
                f"replica_id {replica_id} of num_replicas {num_replicas}: ids count from 0 and "
                f"there are at most {MAX_REPLICAS} replicas"
            )
        self._seed = seed
        self._names = list(tasks)
        self._cumulative = list(accumulate(tasks.values()))
        self._replica_id = replica_id
        self._num_replicas = num_replicas

    def draw(self, n: int) -> Draw:
        """Item `n`, counted from 0, by weight."""
        rng = random_for(self._seed, "item", self._num_replicas, self._index(n))
        [task] = rng.choices(self._names, cum_weights=self._cumulative)
        return Draw(task, rng.random())

    def seed(self, n: int, attempt: int, task: str) -> int:
        """The seed of item `n`; each attempt has another, and no other item has it."""
        place = (self._num_replicas - 1) << ATTEMPT_BITS | attempt
        index = self._index(n) % (1 << INDEX_BITS)
        return _fitting(shuffled(place << INDEX_BITS | index, key=self._seed), task)

    def _index(self, n: int) -> int:
        """Of all replicas' items, which one it is."""
        return n * self._num_replicas + self._replica_id


def evaluation_seeds(task: str, count: int, *, eval_seed: int) -> list[int]:
    """`count` distinct seeds of the evaluation half, fixed by `eval_seed` and the task alone."""
    rng = random_for(eval_seed, "evaluation", task)
    return [_fitting(EVAL_SEEDS + seed, task) for seed in rng.sample(range(EVAL_SEEDS), count)]


def random_for(*key: object) -> random.Random:
    """A generator that is a function of `key`: no state to save, no order to keep."""
    return random.Random(_digest(*key))


def shuffled(index: int, *, key: int) -> int:
    """A permutation of the numbers below 2**52 that depends on `key`: four Feistel rounds."""
    half = SEED_BITS // 2
    mask = (1 << half) - 1
    left, right = index >> half, index & mask
    for step in range(4):
        left, right = right, left ^ (_digest(key, step, right) & mask)
    return left << half | right


def _fitting(seed: int, task: str) -> int:
    """`seed`, or for a task of short seeds one that fits, in the same half of what it takes."""
    bits = SHORT_SEEDS.get(task)
    if bits is None:
        return seed
    half = 1 << bits - 1
    return _digest(task, seed) % half + (half if seed >= EVAL_SEEDS else 0)


def _digest(*key: object) -> int:
    text = "\x1f".join(map(str, key)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")
