"""rgenv/rollouts/admission.py: how many groups environments ask for, in simulated time."""

import heapq
import math
import random
from collections import Counter

import pytest

from rgenv.rollouts.admission import Admission, Concurrency, Queue

LOOK_SECONDS = 0.1
SENT = 0.78
"""The share of groups that are sent."""
LIMIT, BATCH, MOST = 24, 8, 8
SLOW = 5.0
"""Seconds per batch of a trainer that is slower than one environment."""


class Simulation:
    """A rollout API, a trainer and replicas with an Admission each, over one queue."""

    def __init__(self, replicas: int, seconds_per_batch: float) -> None:
        self.now = self._free_at = 0.0
        self._rng = random.Random(1)
        self._seconds = seconds_per_batch
        self.replicas = [Admission(i, replicas, lambda: self.now) for i in range(replicas)]
        self.alive = [*range(replicas)]
        self._ends: list[tuple[float, int, float]] = []  # of groups: when, whose, after how long
        self._step = self._taken = 0
        self._queue: list[int] = []
        self.delivered: Counter[int] = Counter()

    def until(self, end: float) -> None:
        """Go on; what is counted begins anew."""
        self.longest_queue = self.batches = 0
        self.waited = 0.0
        while self.now < end:
            while self._ends and self._ends[0][0] <= self.now:
                _, replica, seconds = heapq.heappop(self._ends)
                if replica in self.alive:
                    self._finish(replica, seconds)
            if self.now >= self._free_at:
                self._train()
            self._rng.shuffle(self.alive)
            for replica in self.alive:
                self._ask(replica)
            self.longest_queue = max(self.longest_queue, len(self._queue))
            self.now += LOOK_SECONDS

    def _finish(self, replica: int, seconds: float) -> None:
        if self._rng.random() < SENT:
            self._queue.append(replica)
            self.delivered[replica] += 1
        self.replicas[replica].finished(seconds)

    def _train(self) -> None:
        """Take all full batches at once; use them one by one."""
        if not self._taken:
            self._taken = len(self._queue) // BATCH
            self._step += self._taken
            del self._queue[: self._taken * BATCH]
        if self._taken:
            self._taken -= 1
            self.batches += 1
            self._free_at = self.now + self._seconds
        else:
            self.waited += LOOK_SECONDS

    def _ask(self, replica: int) -> None:
        admission, own = self.replicas[replica], self._queue.count(replica)
        weight, waiting = 1 / len(self.replicas), len(self._queue)
        admission.look(
            Queue(self._step, waiting, own, weight, LIMIT, BATCH), self.delivered[replica]
        )
        under_way = sum(whose == replica for _, whose, _ in self._ends)
        for _ in range(min(admission.room(under_way), MOST - under_way)):
            seconds = math.exp(self._rng.gauss(0.9, 0.3))
            heapq.heappush(self._ends, (self.now + seconds, replica, seconds))


@pytest.mark.parametrize("replicas", [2, 16])
def test_replicas_that_start_together_share_the_room(replicas: int) -> None:
    rooms = []
    for replica in range(replicas):
        one = Admission(replica, replicas, clock=lambda: 0.0)
        # Of a batch that is full, so nobody has to make one.
        one.look(Queue(0, BATCH, 0, weight=1.0, limit=LIMIT + BATCH, batch=BATCH), delivered=0)
        rooms.append(one.room(under_way=0))
    assert sum(rooms) == pytest.approx(LIMIT + BATCH, abs=1)
    assert max(rooms) - min(rooms) <= 1


def test_a_queue_full_of_others_gets_no_more_groups_but_reserved_ones() -> None:
    """A minimum allocation is filled however many groups of others wait."""
    one = Admission(0, 1, clock=lambda: 0.0)
    full = {"step": 0, "waiting": LIMIT, "own": 1, "weight": 0.5, "limit": LIMIT, "batch": BATCH}
    one.look(Queue(**full), delivered=0)
    assert one.room(under_way=0) == 0
    one.look(Queue(**full, reserved=3), delivered=0)
    assert (one.room(under_way=0), one.room(under_way=2)) == (2, 0)


@pytest.mark.parametrize("replicas", [1, 4, 16])
def test_a_slow_trainer_never_waits_and_the_queue_keeps_its_limit(replicas: int) -> None:
    """The queue exceeds its limit by what was under way alone; all replicas do their part."""
    run = Simulation(replicas, SLOW)
    run.until(60)
    run.until(400)
    assert run.waited == 0.0
    assert run.longest_queue <= 1.6 * LIMIT
    assert min(run.delivered.values()) > 0.5 * max(run.delivered.values())


@pytest.mark.parametrize("seconds_per_batch", [0.0, 2.0, SLOW])
def test_the_loss_of_replicas_does_not_starve_the_trainer(seconds_per_batch: float) -> None:
    """Two of sixteen replicas take over what they can; the API still counts all of them."""
    run, alone = Simulation(16, seconds_per_batch), Simulation(2, seconds_per_batch)
    run.until(60)
    run.alive = [14, 15]
    for each in (run, alone):
        each.until(90)
        each.until(190)
    assert run.batches >= 0.9 * alone.batches


GROUP_SIZE = 8


def over_slots(slots: int, most: int = 1000, slower_by: float = 0.0) -> tuple[float, int]:
    """Keep as many groups under way as allowed, at a server that generates so many completions at
    a time, each the slower the more groups there are; return the mean work, and the number."""
    rng, concurrency, now = random.Random(1), Concurrency(GROUP_SIZE), 0.0
    free = [0.0] * slots
    under_way: list[tuple[float, float, int]] = []
    done: list[tuple[float, float]] = []
    while len(done) < 3000:
        for _ in range(concurrency.groups(len(under_way), most) - len(under_way)):
            pace = 0.01 * (1 + slower_by * len(under_way))
            lengths = [round(math.exp(rng.gauss(5.5, 0.6))) for _ in range(GROUP_SIZE)]
            ends = []
            for length in lengths:
                ends.append(max(now, heapq.heappop(free)) + length * pace)
                heapq.heappush(free, ends[-1])
            heapq.heappush(under_way, (max(ends), now, max(lengths)))
            done.append((now, sum(lengths) * pace))
        now, began, longest = heapq.heappop(under_way)
        concurrency.answered(longest, now - began)
        concurrency.groups(len(under_way) + 1, most)
    half = done[1500][0]
    return sum(work for at, work in done if at >= half) / (now - half), len(under_way)


def test_a_server_with_256_slots_is_kept_busy() -> None:
    busy, under_way = over_slots(256)
    assert busy >= 200
    assert under_way * GROUP_SIZE <= 6 * 256


def test_a_server_that_slows_down_is_asked_no_more() -> None:
    _, under_way = over_slots(10_000, slower_by=0.02)
    assert 20 <= under_way <= 150
    assert over_slots(10_000, most=30)[1] <= 30  # the limit of the servers holds
