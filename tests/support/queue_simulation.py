"""A rollout API, a trainer and environments in simulated time, to test the admission of groups."""

import heapq
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable

from rgenv.rollouts.admission import Admission, Queue

LOOK_SECONDS = 0.1
SENT = 0.78
"""The share of groups that are sent."""


class Simulation:
    """Replicas with an Admission each, over one queue; `latency` draws the seconds of a group.

    Attributes:
        longest_queue: in groups.
        waited: seconds for which the trainer had no batch.
        batches: that the trainer has taken.
    """

    def __init__(
        self,
        replicas: int,
        seconds_per_batch: float,
        *,
        latency: Callable[[random.Random], float] = lambda rng: math.exp(rng.gauss(0.9, 0.3)),
        most: int = 8,
        limit: int = 24,
        batch: int = 8,
        seed: int = 0,
    ) -> None:
        self.now = 0.0
        self._rng = random.Random(seed)
        self._latency, self._most = latency, most
        self._limit, self._batch, self._seconds = limit, batch, seconds_per_batch
        self.replicas = [Admission(i, replicas, lambda: self.now) for i in range(replicas)]
        self.alive = set(range(replicas))
        self._finishing: list[tuple[float, int, int, float]] = []
        self._number = itertools.count()
        self._step = 0
        self._queue: list[int] = []
        self._taken: list[int] = []
        self._free_at = 0.0
        self.under_way: Counter[int] = Counter()
        self.delivered: Counter[int] = Counter()
        self.longest_queue = self.batches = 0
        self.waited = 0.0

    def until(self, end: float) -> None:
        while self.now < end:
            self._finish()
            self._train()
            for replica in self._rng.sample(sorted(self.alive), len(self.alive)):
                self._ask(replica)
            self.longest_queue = max(self.longest_queue, len(self._queue))
            self.now += LOOK_SECONDS

    def begin(self) -> None:
        """Count from now on."""
        self.longest_queue = self.batches = 0
        self.waited = 0.0

    def kill(self, number: int) -> None:
        """End the first replicas; the API still counts them."""
        self.alive -= set(range(number))
        self._finishing = [entry for entry in self._finishing if entry[2] in self.alive]
        heapq.heapify(self._finishing)

    def _finish(self) -> None:
        while self._finishing and self._finishing[0][0] <= self.now:
            _, _, replica, seconds = heapq.heappop(self._finishing)
            self.under_way[replica] -= 1
            if self._rng.random() < SENT:
                self._queue.append(replica)
                self.delivered[replica] += 1
            self.replicas[replica].finished(seconds)

    def _train(self) -> None:
        if self.now < self._free_at:
            return
        if not self._taken:
            full = len(self._queue) // self._batch
            self._step += full
            self._taken = [0] * full
            del self._queue[: full * self._batch]
        if self._taken:
            self._taken.pop()
            self.batches += 1
            self._free_at = self.now + self._seconds
        else:
            self.waited += LOOK_SECONDS

    def _ask(self, replica: int) -> None:
        admission = self.replicas[replica]
        queue = Queue(
            step=self._step,
            waiting=len(self._queue),
            own=self._queue.count(replica),
            weight=1 / len(self.replicas),
            limit=self._limit,
            batch=self._batch,
        )
        admission.look(queue, self.delivered[replica])
        room = admission.room(self.under_way[replica])
        for _ in range(min(room, self._most - self.under_way[replica])):
            seconds = self._latency(self._rng)
            heapq.heappush(
                self._finishing, (self.now + seconds, next(self._number), replica, seconds)
            )
            self.under_way[replica] += 1
