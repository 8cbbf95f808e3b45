"""rgenv/rollouts/admission.py: how many groups environments ask for, in simulated time."""

import heapq
import itertools
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
        self.alive = set(range(replicas))
        self._finishing: list[tuple[float, int, int, float]] = []
        self._number = itertools.count()
        self._step = self._taken = 0
        self._queue: list[int] = []
        self.under_way: Counter[int] = Counter()
        self.delivered: Counter[int] = Counter()

    def until(self, end: float) -> None:
        """Go on; what is counted begins anew."""
        self.longest_queue = self.batches = 0
        self.waited = 0.0
        while self.now < end:
            self._finish()
            self._train()
            for replica in self._rng.sample(sorted(self.alive), len(self.alive)):
                self._ask(replica)
            self.longest_queue = max(self.longest_queue, len(self._queue))
            self.now += LOOK_SECONDS

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
        weight = 1 / len(self.replicas)
        queue = Queue(self._step, len(self._queue), own, weight, LIMIT, BATCH)
        admission.look(queue, self.delivered[replica])
        room = admission.room(self.under_way[replica])
        for _ in range(min(room, MOST - self.under_way[replica])):
            seconds = math.exp(self._rng.gauss(0.9, 0.3))
            heapq.heappush(
                self._finishing, (self.now + seconds, next(self._number), replica, seconds)
            )
            self.under_way[replica] += 1


def admission(replica_id: int = 0, num_replicas: int = 1) -> Admission:
    return Admission(replica_id, num_replicas, clock=lambda: 0.0)


@pytest.mark.parametrize("replicas", [2, 16])
def test_replicas_that_start_together_share_the_room(replicas: int) -> None:
    """Before anything is known of the others, all together ask for the limit, rounded fairly."""
    rooms = []
    for replica in range(replicas):
        one = admission(replica, replicas)
        # Of a batch that is full, so nobody has to make one.
        one.look(Queue(0, BATCH, 0, weight=1.0, limit=LIMIT + BATCH, batch=BATCH), delivered=0)
        rooms.append(one.room(under_way=0))
    assert sum(rooms) == pytest.approx(LIMIT + BATCH, abs=1)
    assert max(rooms) - min(rooms) <= 1


def test_a_queue_full_of_others_gets_no_more_groups_but_reserved_ones() -> None:
    """A minimum allocation is filled however many groups of others wait."""
    one = admission()
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
    run.kill(14)
    for each in (run, alone):
        each.until(90)
        each.until(190)
    assert run.batches >= 0.9 * alone.batches


GROUP_SIZE, LEAST = 8, 8
SECONDS_PER_TOKEN = 0.01


class SlottedEngine:
    """Generates so many completions at a time; others wait. Time is simulated."""

    def __init__(self, slots: int, *, slower_by: float = 0.0) -> None:
        self._free = [0.0] * slots
        self._slower_by = slower_by
        self._rng = random.Random(1)

    def group(self, now: float, under_way: int) -> tuple[int, float, float]:
        """Return the longest completion of a group, when it ends, and the seconds of work."""
        pace = SECONDS_PER_TOKEN * (1 + self._slower_by * under_way)
        lengths = [round(math.exp(self._rng.gauss(5.5, 0.6))) for _ in range(GROUP_SIZE)]
        end, work = 0.0, 0.0
        for length in lengths:
            began = max(now, heapq.heappop(self._free))
            heapq.heappush(self._free, began + length * pace)
            end, work = max(end, began + length * pace), work + length * pace
        return max(lengths), end, work


def run(engine: SlottedEngine, most: int = 1000) -> tuple[float, int]:
    """Keep as many groups under way as allowed; return the mean work at a time, and the number."""
    concurrency = Concurrency(LEAST)
    now, number = 0.0, itertools.count()
    under_way: list[tuple[float, int, float, int]] = []
    done: list[tuple[float, float]] = []
    while len(done) < 3000:
        allowed = concurrency.groups(len(under_way), most)
        while len(under_way) < allowed:
            longest, end, work = engine.group(now, len(under_way))
            heapq.heappush(under_way, (end, next(number), now, longest))
            done.append((now, work))
        now, _, began, longest = heapq.heappop(under_way)
        concurrency.answered(longest, now - began)
        concurrency.groups(len(under_way) + 1, most)
    half = done[1500][0]
    return sum(work for at, work in done if at >= half) / (now - half), len(under_way)


def test_a_server_with_256_slots_is_kept_busy() -> None:
    """At least 200 of them generate, and not many more groups wait than fit."""
    busy, under_way = run(SlottedEngine(256))
    assert busy >= 200
    assert under_way * GROUP_SIZE <= 6 * 256


def test_a_server_that_slows_down_is_asked_no_more() -> None:
    """If each further group makes all of them slower, their number stops to grow."""
    _, under_way = run(SlottedEngine(10_000, slower_by=0.02))
    assert 20 <= under_way <= 150
    assert run(SlottedEngine(10_000), most=30)[1] <= 30  # the limit of the servers holds
