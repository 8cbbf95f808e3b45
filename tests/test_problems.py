"""rgenv/problems.py: tasks, the choice among them, and the stream of draws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reasoning_gym.factory import DATASETS

from rgenv.problems import (
    EVAL_SEEDS,
    KNOWN_TASKS,
    Stream,
    UnknownTask,
    choose_tasks,
    evaluation_seeds,
    shuffled_seed,
)

TASKS = {"chain_sum": 1.0, "gcd": 1.0, "lcm": 2.0}


def test_the_fallback_list_is_the_registry() -> None:
    """The list kept for an unreadable registry has its names and categories."""
    registry = {name: made[0].__module__.split(".")[1] for name, made in DATASETS.items()}
    assert registry == KNOWN_TASKS


@given(st.integers(), st.integers(0, 1 << 29), st.integers(1, 64))
def test_replicas_never_draw_the_same_item(seed: int, n: int, replicas: int) -> None:
    """Item n of every replica has a seed of its own, below the evaluation half."""
    seeds = {
        Stream(seed=seed, tasks=TASKS, replica_id=r, num_replicas=replicas).draw(n % 1000).seed
        for r in range(replicas)
    }
    assert len(seeds) == replicas
    assert all(0 <= s < EVAL_SEEDS for s in seeds)


def test_seeds_are_a_permutation() -> None:
    """100,000 items in a row have 100,000 seeds, which do not just count up."""
    seeds = [shuffled_seed(n, 42) for n in range(100_000)]
    assert len(set(seeds)) == len(seeds)
    assert seeds[:3] != sorted(seeds[:3]) or seeds[1] - seeds[0] != 1


def test_item_n_is_a_function_of_n() -> None:
    """Two streams with one seed agree in any order of asking; another seed gives another one."""
    stream, again = Stream(seed=1, tasks=TASKS), Stream(seed=1, tasks=TASKS)
    forward = [stream.draw(n) for n in range(50)]
    assert [again.draw(n) for n in reversed(range(50))] == forward[::-1]
    assert [Stream(seed=2, tasks=TASKS).draw(n) for n in range(50)] != forward


def test_weights_decide_how_often_a_task_comes() -> None:
    """A task with twice the weight is drawn about twice as often."""
    drawn = [Stream(seed=3, tasks=TASKS).draw(n).task for n in range(8000)]
    assert drawn.count("lcm") / 8000 == pytest.approx(0.5, abs=0.03)
    assert drawn.count("gcd") / 8000 == pytest.approx(0.25, abs=0.03)


def test_evaluation_seeds_depend_on_eval_seed_and_task_alone() -> None:
    """The set is fixed, distinct, in its own half, and a longer one begins like a shorter one's."""
    seeds = evaluation_seeds("gcd", 100, eval_seed=123)
    assert seeds == evaluation_seeds("gcd", 100, eval_seed=123)
    assert len(set(seeds)) == 100 and min(seeds) >= EVAL_SEEDS
    assert seeds != evaluation_seeds("lcm", 100, eval_seed=123)
    assert seeds != evaluation_seeds("gcd", 100, eval_seed=124)


def test_tasks_are_chosen_by_name_category_and_pattern() -> None:
    """All three kinds of word may be mixed, and exclusion wins."""
    chosen = choose_tasks(KNOWN_TASKS, ["algebra", "gcd", "*_sorting"], ["simple_*"])
    assert "gcd" in chosen and "word_sorting" in chosen and "polynomial_equations" in chosen
    assert "simple_equations" not in chosen and "lcm" not in chosen
    assert chosen == sorted(chosen)


def test_no_choice_means_every_task_that_needs_no_configuration() -> None:
    """105 of 106: composite is served only when its data sets are configured."""
    assert len(choose_tasks(KNOWN_TASKS)) == 105
    assert "composite" in choose_tasks(KNOWN_TASKS, configured=["composite"])
    with pytest.raises(ValueError, match=r"task_configs\.composite"):
        choose_tasks(KNOWN_TASKS, ["composite"])


def test_an_unknown_task_suggests_the_nearest() -> None:
    """A typing mistake is answered with the name that was meant."""
    with pytest.raises(UnknownTask, match=r"chain_sun.*chain_sum"):
        choose_tasks(KNOWN_TASKS, ["chain_sun"])
    with pytest.raises(UnknownTask, match=r"sudoko"):
        choose_tasks(KNOWN_TASKS, [], ["sudoko"])


def test_excluding_everything_is_an_error() -> None:
    """An empty choice is said, not served."""
    with pytest.raises(ValueError, match="No task is left"):
        choose_tasks(KNOWN_TASKS, ["gcd"], ["arithmetic"])
