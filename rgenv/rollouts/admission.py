"""Admission: how many groups an environment may have under way, so that none has to be cancelled.

The queue of the rollout API has room for `limit` groups, and each environment has a share of it: as
many groups as it has under way and waiting together. What is under way will be there later, so the
trainer's demand until then is added to the room: the number under way grows if the trainer is fast.

An environment can't see what the others have under way. Its share is by weight at least, or as
large as its part of the groups that came lately: after the loss of others it grows.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

REMEMBERED = 32
"""The times of groups and tokens, and the share of groups that are sent, are means over so many."""

UNKNOWN_GROUPS = 8
"""So many groups that were sent are added to what was seen, so that few say little."""


@dataclass(frozen=True)
class Queue:
    """The queue of the rollout API at one moment, in groups of our size.

    Attributes:
        waiting, own: groups that wait for the trainer, of all environments and of this one.
        weight: this environment's share of all weights.
        limit: how many may wait.
        batch: groups in a batch.
        reserved: own groups that may wait however many of others do.
        wanted: groups that the trainer will take before the run ends.
    """

    step: int
    waiting: float
    own: float
    weight: float
    limit: float
    batch: float
    reserved: float = 0.0
    wanted: float = math.inf


class Admission:
    """Decides how many more groups to ask for."""

    def __init__(
        self, replica_id: int, num_replicas: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._phase = (replica_id + 0.5) / num_replicas  # all together round to the right number
        self._replica_share = 1 / num_replicas
        self._clock = clock
        self._queue: Queue | None = None
        self._delivered = 0
        self._arrived = self._came_from_us = 0.0
        self._takings: deque[tuple[float, float]] = deque(maxlen=5)
        self._starving_since: float | None = None
        self._moved_at = clock()
        self._finished = self._seconds = self._sent = 0.0

    @property
    def latency(self) -> float:
        """The seconds that a group takes, lately; 0 if none has finished."""
        return self._seconds / self._finished if self._finished else 0.0

    def finished(self, seconds: float) -> None:
        """Note that a group has ended, and how long it took."""
        kept = 1 - 1 / REMEMBERED
        self._finished = self._finished * kept + 1
        self._seconds = self._seconds * kept + seconds
        self._sent *= kept

    def look(self, queue: Queue, delivered: int) -> None:
        """Note the state of the queue, and how many groups the API has got from us so far."""
        before, self._queue = self._queue or queue, queue
        own, self._delivered = delivered - self._delivered, delivered
        taken = max(0, queue.step - before.step) * queue.batch
        arrived = max(0.0, queue.waiting - before.waiting + taken, own)
        kept = (1 - 1 / (4 * queue.batch)) ** arrived  # of the last four batches
        self._arrived = self._arrived * kept + arrived
        self._came_from_us = self._came_from_us * kept + own
        self._sent += own
        if taken:
            self._takings.append((self._clock(), taken))
        if (queue.step, queue.waiting) != (before.step, before.waiting):
            self._moved_at = self._clock()
        if queue.waiting >= queue.batch:
            self._starving_since = None
        elif self._starving_since is None:
            self._starving_since = self._clock()

    @property
    def demand(self) -> float:
        """The groups that the trainer takes, lately, in the time that a group takes; 0: unknown.

        It takes all full batches at once, and the next ones when it has used them.
        """
        if len(self._takings) < 2:
            return 0.0
        first, last, now = self._takings[0][0], self._takings[-1][0], self._clock()
        groups = sum(taken for _, taken in self._takings)
        used = groups - self._takings[-1][1]
        speeds = used / max(last - first, 1e-3), groups / max(now - first, 1e-3)
        return self.latency * min(speeds)

    @property
    def _eagerness(self) -> float:
        """By how much to exceed the room while no batch waits, so nobody knows the demand.

        It doubles each time that a group takes.
        """
        if self._starving_since is None or not self.demand:
            return 1.0
        return math.pow(2, min(10, (self._clock() - self._starving_since) // self.latency))

    @property
    def share(self) -> float:
        """The part of the queue that this environment may fill."""
        if self._queue is None:
            return self._replica_share
        least = min(self._queue.weight, self._replica_share)
        groups = self._arrived + self._queue.batch  # a batch of them as the weights say
        recent = min(1.0, (self._came_from_us + self._queue.batch * least) / groups)
        error = math.sqrt(recent * (1 - recent) / groups)
        return max(least, recent - error)

    def room(self, under_way: int) -> int:
        """Return how many more groups to ask for, beside groups that the API has not got."""
        queue = self._queue
        if queue is None:
            return 0
        limit = min(queue.limit, queue.wanted)
        if queue.waiting >= limit and queue.own + under_way >= queue.reserved:
            return 0
        sent = min(1.0, (self._sent + UNKNOWN_GROUPS) / (self._finished + UNKNOWN_GROUPS))
        whole = min((queue.limit + self.demand) * self._eagerness, queue.wanted)
        mine = max(queue.reserved, min(self.share * whole, whole - queue.waiting + queue.own))
        wanted = math.floor((mine - queue.own) / sent + self._phase)
        stands_still = self._clock() - self._moved_at > 2 * self.latency
        if queue.waiting < queue.batch or stands_still:
            wanted = max(1, wanted)  # so that the trainer gets a batch, whoever else is left
        return max(0, wanted - under_way)


TOLERANCE = 2.0
"""A server is full when a token takes this many times as long as at best."""


class Concurrency:
    """Finds how many groups the servers take; `least` are always allowed.

    Below its capacity a server takes about the same time for a token however much it is asked.
    Beyond it, requests wait or slow each other down. So the number grows until a token takes
    `TOLERANCE` times as long as at best, and follows that. At the start it doubles in the time that
    a group takes, later it changes by a tenth at most.
    """

    def __init__(self, least: int) -> None:
        self._least = self._size = float(least)
        self._seconds = self._tokens = 0.0
        self._answers = self._since_change = 0
        self._best = float("inf")
        self._in_use, self._doubling = False, True

    def answered(self, longest: int, seconds: float) -> None:
        """Note the length of a request's longest completion, and what the request took."""
        kept = 1 - 1 / REMEMBERED
        self._seconds = self._seconds * kept + seconds
        self._tokens = self._tokens * kept + longest
        self._answers += 1
        if not self._tokens or self._answers < self._least:
            return
        pace = self._seconds / self._tokens
        self._best = min(self._best, pace)
        if self._doubling and pace <= TOLERANCE * self._best:
            self._size += self._in_use
            return
        self._doubling = False
        self._since_change += 1
        if self._since_change >= self._size:  # about as long as a group takes
            self._since_change = 0
            change = min(1.1, max(0.9, TOLERANCE * self._best / pace))
            if change < 1 or self._in_use:
                self._size = max(self._least, self._size * change)

    def groups(self, under_way: int, most: int) -> int:
        """Return how many groups may be under way, at least one; only a number in use grows."""
        size = max(1, min(most, int(self._size)))
        self._size = min(self._size, max(most, self._least))
        self._in_use = under_way >= size - 1
        return size
