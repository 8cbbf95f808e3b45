"""rgenv/stream/stream.py: the task and the seed of problem n of a replica."""

from itertools import pairwise

from rgenv.stream.stream import EVAL_SEEDS, MAX_ATTEMPTS, MAX_REPLICAS, Stream

TASKS = {"chain_sum": 1.0, "gcd": 1.0, "lcm": 2.0}


def test_20_000_seeds_are_distinct_shuffled_training_seeds() -> None:
    stream = Stream(seed=42, tasks=TASKS)
    seeds = [stream.seed(n, 0, "gcd") for n in range(20_000)]
    assert len(set(seeds)) == 20_000
    assert max(seeds) < EVAL_SEEDS
    assert sum(b > a for a, b in pairwise(seeds)) < 12_000


def test_no_two_replicas_attempts_or_numbers_of_replicas_share_a_seed() -> None:
    seeds = [
        Stream(seed=1, tasks=TASKS, replica_id=replica, num_replicas=of).seed(n, attempt, "gcd")
        for of in (1, 2, 3, MAX_REPLICAS)
        for replica in {0, of - 1}
        for n in (*range(60), (1 << 18) - 1)
        for attempt in (0, 1, MAX_ATTEMPTS - 1)
    ]
    assert len(set(seeds)) == len(seeds) > 1000
