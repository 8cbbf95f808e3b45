"""Stream: the task and the seed of problem n of a replica.

Both are functions of the run's seed, the number of replicas, the replica and n. There is no
generator whose state would have to be saved: to resume, n is enough::

    >>> stream = Stream(seed=42, tasks={"chain_sum": 1.0, "gcd": 3.0}, replica_id=1, num_replicas=4)
    >>> task, uniform = stream.draw(0)
    >>> stream.seed(0, attempt=1, task=task) == stream.seed(0, attempt=1, task=task)
    True

Seeds are below 2**53, which every JSON reader represents exactly. The upper half is reserved for
evaluation. In the lower half each combination of number of replicas, attempt, n and replica has its
own seed, in shuffled order. So no recipe is served by two replicas, or again after a change of the
number of replicas. Different recipes of a small task may still ask the same question; filters.py
finds those.
"""

import hashlib
import random
from collections.abc import Iterator, Mapping
from itertools import accumulate

from rgenv.worker.protocol import EVAL_SEEDS, first_evaluation_seed

SEED_BITS = EVAL_SEEDS.bit_length() - 1
INDEX_BITS, ATTEMPT_BITS, REPLICAS_BITS = 32, 6, 14
MAX_REPLICAS = 1 << REPLICAS_BITS
MAX_ATTEMPTS = 1 << ATTEMPT_BITS


class Stream:
    """The draws and seeds of one replica, which is counted from 0; `tasks` has their weights."""

    def __init__(
        self, *, seed: int, tasks: Mapping[str, float], replica_id: int = 0, num_replicas: int = 1
    ) -> None:
        self._seed = seed
        self.tasks = list(tasks)
        self._cumulative = list(accumulate(tasks.values()))
        self._replica_id = replica_id
        self._num_replicas = num_replicas

    def draw(self, n: int, turn: int = 0) -> tuple[str, float]:
        """Draw the task of problem `n` by weight, and a uniform number in [0, 1) for its level.

        `turn` is the number of tasks drawn before that can't be served.
        """
        turns = [turn] if turn else []
        rng = random_for(self._seed, "item", self._num_replicas, self._index(n), *turns)
        [task] = rng.choices(self.tasks, cum_weights=self._cumulative)
        return task, rng.random()

    def seed(self, n: int, attempt: int, task: str) -> int:
        """Return the seed of an attempt at problem `n`; no other attempt or problem has it."""
        place = (self._num_replicas - 1) << ATTEMPT_BITS | attempt
        index = self._index(n) % (1 << INDEX_BITS)
        return _within_range(shuffled(place << INDEX_BITS | index, key=self._seed), task)

    def _index(self, n: int) -> int:
        return n * self._num_replicas + self._replica_id


def evaluation_seeds(task: str, *, eval_seed: int) -> Iterator[int]:
    """Yield evaluation seeds without end, a function of `eval_seed` and the task."""
    rng = random_for(eval_seed, "evaluation", task)
    while True:
        yield _within_range(EVAL_SEEDS + rng.randrange(EVAL_SEEDS), task)


def random_for(*key: object) -> random.Random:
    return random.Random(_digest(*key))


def shuffled(index: int, *, key: int) -> int:
    """Permute the numbers below 2**52 by `key`, with four rounds of a Feistel network."""
    half = SEED_BITS // 2
    mask = (1 << half) - 1
    left, right = index >> half, index & mask
    for step in range(4):
        left, right = right, left ^ (_digest(key, step, right) & mask)
    return left << half | right


def _within_range(seed: int, task: str) -> int:
    """Return `seed`, or for a short-seed task its hash in the same half, which is not unique."""
    half = first_evaluation_seed(task)
    if half == EVAL_SEEDS:
        return seed
    return _digest(task, seed) % half + (half if seed >= EVAL_SEEDS else 0)


def _digest(*key: object) -> int:
    text = "\x1f".join(map(str, key)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")
