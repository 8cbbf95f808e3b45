"""rgenv/stream/stream.py: the task and the seed of problem n of a replica."""

from itertools import islice, pairwise

from hypothesis import given
from hypothesis import strategies as st

from rgenv.stream.stream import EVAL_SEEDS, MAX_ATTEMPTS, MAX_REPLICAS, Stream, evaluation_seeds

TASKS = {"chain_sum": 1.0, "gcd": 1.0, "lcm": 2.0}


def test_20_000_seeds_are_distinct_shuffled_training_seeds() -> None:
    """Seeds do not repeat, do not count up, and stay below the evaluation half."""
    stream = Stream(seed=42, tasks=TASKS)
    seeds = [stream.seed(n, 0, "gcd") for n in range(20_000)]
    assert len(set(seeds)) == 20_000
    assert max(seeds) < EVAL_SEEDS
    assert sum(b > a for a, b in pairwise(seeds)) < 12_000


@given(
    st.lists(
        st.tuples(
            st.integers(0, MAX_ATTEMPTS - 1),
            st.integers(1, MAX_REPLICAS),
            st.integers(0, MAX_REPLICAS - 1),
            st.integers(0, 1 << 18),
        ).filter(lambda place: place[2] < place[1]),
        min_size=2,
        unique=True,
    )
)
def test_no_two_replicas_attempts_or_numbers_of_replicas_share_a_seed(
    places: list[tuple[int, int, int, int]],
) -> None:
    seeds = {
        Stream(seed=1, tasks={"gcd": 1}, replica_id=r, num_replicas=of).seed(n, attempt, "gcd")
        for attempt, of, r, n in places
    }
    assert len(seeds) == len(places)


def test_evaluation_seeds_are_a_function_of_eval_seed_and_task() -> None:
    """They are distinct and lie in the evaluation half."""

    def seeds(task: str, eval_seed: int) -> list[int]:
        return list(islice(evaluation_seeds(task, eval_seed=eval_seed), 100))

    found = seeds("gcd", 123)
    assert found == seeds("gcd", 123)
    assert len(set(found)) == 100 and min(found) >= EVAL_SEEDS
    assert found != seeds("lcm", 123) and found != seeds("gcd", 124)
