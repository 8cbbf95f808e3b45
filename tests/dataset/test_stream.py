"""rgenv/dataset/stream.py: which problem item n is, and what keeps prompts apart."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dataset.filters import EXHAUSTED_AFTER, MAX_PROMPTS_A_TASK, PromptFilter
from rgenv.dataset.stream import (
    EVAL_SEEDS,
    MAX_ATTEMPTS,
    MAX_REPLICAS,
    Draw,
    Stream,
    evaluation_seeds,
    shuffled,
)

TASKS = {"chain_sum": 1.0, "gcd": 1.0, "lcm": 2.0}


def draws(count: int, **settings: object) -> list[Draw]:
    stream = Stream(**{"seed": 42, "tasks": TASKS, **settings})
    return [stream.draw(n) for n in range(count)]


def test_item_n_is_a_function_of_n() -> None:
    """Two streams with one seed agree in any order of asking; another seed gives another one."""
    again = Stream(seed=42, tasks=TASKS)
    forward = draws(50)
    assert [again.draw(n) for n in reversed(range(50))] == forward[::-1]
    assert draws(50, seed=43) != forward


@given(st.integers(0, (1 << 52) - 1), st.integers())
def test_shuffling_stays_in_range_and_depends_on_the_key(index: int, key: int) -> None:
    """Every number below 2**52 goes to one below 2**52, elsewhere under another key."""
    assert 0 <= shuffled(index, key=key) < 1 << 52
    assert shuffled(index, key=key) == shuffled(index, key=key)


def test_100_000_recipes_are_all_different_and_none_is_for_evaluation() -> None:
    """Seeds do not repeat, do not count up, and stay below the evaluation half."""
    stream = Stream(seed=42, tasks=TASKS)
    seeds = [stream.seed(n, 0, "gcd") for n in range(100_000)]
    assert len(set(seeds)) == 100_000
    assert max(seeds) < EVAL_SEEDS
    assert sum(b > a for a, b in pairwise(seeds)) < 60_000


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
    """Changing the number of replicas between runs never repeats a recipe either."""
    seeds = {
        Stream(seed=1, tasks={"gcd": 1}, replica_id=r, num_replicas=of).seed(n, attempt, "gcd")
        for attempt, of, r, n in places
    }
    assert len(seeds) == len(places)


def test_neighbouring_places_have_different_seeds() -> None:
    """Every attempt of every early item of every replica of small runs: all different."""
    seeds = [
        Stream(seed=1, tasks={"gcd": 1}, replica_id=r, num_replicas=of).seed(n, attempt, "gcd")
        for of in range(1, 6)
        for r in range(of)
        for n in range(20)
        for attempt in range(MAX_ATTEMPTS)
    ]
    assert len(set(seeds)) == len(seeds)


def test_another_attempt_has_another_seed() -> None:
    """It asks for another problem in the same place of the stream."""
    stream = Stream(seed=42, tasks=TASKS)
    tries = {stream.seed(3, attempt, "gcd") for attempt in range(MAX_ATTEMPTS)}
    assert len(tries) == MAX_ATTEMPTS


def test_weights_decide_how_often_a_task_comes() -> None:
    """A task with twice the weight is drawn about twice as often."""
    drawn = [draw.task for draw in draws(8000)]
    assert drawn.count("lcm") / 8000 == pytest.approx(0.5, abs=0.03)
    assert drawn.count("gcd") / 8000 == pytest.approx(0.25, abs=0.03)


def test_a_replica_that_cannot_be_is_refused() -> None:
    """Ids count from 0."""
    with pytest.raises(ValueError, match="replica_id 2 of num_replicas 2"):
        Stream(seed=1, tasks=TASKS, replica_id=2, num_replicas=2)


def test_evaluation_seeds_depend_on_eval_seed_and_task_alone() -> None:
    """The set is fixed, distinct, and in its own half."""
    seeds = evaluation_seeds("gcd", 100, eval_seed=123)
    assert seeds == evaluation_seeds("gcd", 100, eval_seed=123)
    assert len(set(seeds)) == 100 and min(seeds) >= EVAL_SEEDS
    assert seeds != evaluation_seeds("lcm", 100, eval_seed=123)
    assert seeds != evaluation_seeds("gcd", 100, eval_seed=124)


def test_every_json_reader_keeps_a_seed_whole() -> None:
    """Seeds survive a trip through a double."""
    some = Stream(seed=42, tasks=TASKS)
    seeds = [some.seed(n, 0, "gcd") for n in range(1000)] + evaluation_seeds(
        "gcd", 1000, eval_seed=1
    )
    assert all(int(float(seed)) == seed for seed in seeds)


def test_short_seeds_fit_and_keep_their_half() -> None:
    """pool_matrix takes 32 bits: training below the middle, evaluation above."""
    some = Stream(seed=42, tasks={"pool_matrix": 1})
    training = [some.seed(n, 0, "pool_matrix") for n in range(500)]
    evaluation = evaluation_seeds("pool_matrix", 500, eval_seed=1)
    assert max(training) < 1 << 31 <= min(evaluation) and max(evaluation) < 1 << 32


def test_prompts_are_fresh_once_and_kept_back_always() -> None:
    """What was asked is a repetition, what belongs to evaluation is never to be asked."""
    prompts = PromptFilter()
    prompts.keep_back("gcd", [7])
    assert prompts.judge("gcd", 7) == "kept back"
    assert prompts.judge("gcd", 8) == "fresh"
    prompts.remember("gcd", 8)
    assert prompts.judge("gcd", 8) == "repeated"
    assert prompts.judge("lcm", 8) == prompts.judge("lcm", 7) == "fresh"


def test_an_exhausted_task_is_not_searched_for_ever() -> None:
    """After enough known prompts in a row they pass, until a fresh one is asked."""
    prompts, restored = PromptFilter(), PromptFilter()
    prompts.remember("gcd", 1)
    judged = [prompts.judge("gcd", 1) for _ in range(EXHAUSTED_AFTER + 1)]
    assert judged == ["repeated"] * (EXHAUSTED_AFTER - 1) + ["inevitable"] * 2
    restored.load_state_dict(json.loads(json.dumps(prompts.state_dict())))
    assert restored.judge("gcd", 1) == "inevitable"
    prompts.remember("gcd", 2)
    assert prompts.judge("gcd", 1) == "repeated"


@given(st.dictionaries(st.text(), st.lists(st.integers(0, (1 << 64) - 1))))
def test_what_was_asked_survives_json(asked: dict[str, list[int]]) -> None:
    """A restored memory judges as the saved one, and forgets what it knew before."""
    prompts, restored = PromptFilter(), PromptFilter()
    for task, hashes in asked.items():
        for prompt in hashes:
            prompts.remember(task, prompt)
    restored.remember("only here", 5)
    restored.load_state_dict(json.loads(json.dumps(prompts.state_dict())))
    assert restored.state_dict() == prompts.state_dict()


def test_memory_is_bounded_and_forgets_the_oldest() -> None:
    """Past the limit of a task its first prompts may come again."""
    prompts = PromptFilter()
    for prompt in range(MAX_PROMPTS_A_TASK + 10):
        prompts.remember("gcd", prompt)
    assert prompts.judge("gcd", 9) == "fresh" and prompts.judge("gcd", 10) == "repeated"


def test_a_prompt_that_is_asked_again_is_no_news() -> None:
    """Repetitions that were served do not hide that a task is exhausted."""
    prompts = PromptFilter()
    prompts.remember("t", 1)
    for _ in range(EXHAUSTED_AFTER - 1):
        assert prompts.judge("t", 1) == "repeated"
        prompts.remember("t", 1)
    assert prompts.judge("t", 1) == "inevitable"
