"""rgenv/worker/dataset_cache.py: a reused data set makes the same problems as a new one."""

import dataclasses
import random
from collections.abc import Iterable
from typing import Any

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.task_names import KNOWN_TASKS
from rgenv.worker import levels
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import PREPARED

pytestmark = pytest.mark.slow

Recipe = tuple[str, int, dict[str, Any]]
LEVELS = (None, 0.0, 0.5, 1.0)
LARGEST_SEED = 2**53 - 1


def test_prepared_data_is_shared_by_other_seeds_and_parameters() -> None:
    """A parameter that changes what is prepared makes new data; earlier data sets never change."""
    maker = ProblemMaker()
    first = maker.dataset("word_sorting", 1, {})
    second = maker.dataset("word_sorting", 2, {"min_words": 7})
    assert second.words is first.words and (first.seed, second.seed) == (1, 2)
    assert (first.config.min_words, second.config.min_words) == (3, 7)
    assert maker.dataset("word_sorting", 1, {"max_word_length": 9}).words != first.words


@pytest.mark.parametrize("task", PREPARED)
def test_init_reads_exactly_the_parameters_in_prepared(task: str) -> None:
    """PREPARED names every parameter that ``__init__`` reads, and no other."""
    dataset_cls, config_cls = DATASETS[task]
    read: set[str] = set()

    class Watched(config_cls):
        def __getattribute__(self, name: str) -> Any:
            read.add(name)
            return super().__getattribute__(name)

        def validate(self) -> None:
            """Accept everything: the real one reads every parameter."""

    config = Watched(seed=1, size=1)
    read.clear()
    dataset_cls(config)
    names = {field.name for field in dataclasses.fields(config_cls)}
    assert read & names - {"seed", "size"} == set(PREPARED[task])


def recipes(
    tasks: Iterable[str], seeds: list[int], at: Iterable[float | None] = LEVELS
) -> list[Recipe]:
    """Return every task at every level, in a random order, each with all seeds in turn."""
    pairs = [(task, level) for task in tasks for level in at]
    random.Random(5).shuffle(pairs)
    return [
        (task, seed, {} if level is None else levels.level_config(task, level))
        for task, level in pairs
        for seed in seeds
    ]


def check(wanted: list[Recipe]) -> None:
    """Assert that makers with and without reused data sets make the same problems."""
    guard.install()
    reusing, fresh = ProblemMaker(), ProblemMaker(reuse_datasets=False)
    for task, seed, config in wanted:
        assert repr(reusing.make(task, seed, config)) == repr(fresh.make(task, seed, config)), task
        reused, new = (maker.dataset(task, seed, config) for maker in (reusing, fresh))
        assert vars(reused).keys() == vars(new).keys(), task


def test_reused_data_sets_make_the_problems_of_new_ones() -> None:
    """The top level, with small and large seeds, makes equal problems."""
    some = recipes(PREPARED, [3, LARGEST_SEED], at=(1.0,))
    part = {"datasets": [{"name": "codeio", "config": {"difficulty": 7}}]}  # has other programs
    before, after = recipes(["codeio"], [26]), recipes(["codeio"], [43])
    check([*some, *before, ("composite", 1, part), *after])


@pytest.mark.soak
def test_every_task_makes_the_same_problems_with_reused_data_sets() -> None:
    """All tasks at all levels make equal problems, in one order and in another."""
    tasks = sorted(set(KNOWN_TASKS) - {"composite", "pool_matrix"})
    wanted = recipes(tasks, [3, 26, 43, LARGEST_SEED]) + recipes(["pool_matrix"], [3, 26, 43])
    check(wanted)
    random.Random(6).shuffle(wanted)
    check([recipe for recipe in wanted if recipe[0] in PREPARED])
