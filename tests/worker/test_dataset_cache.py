"""rgenv/worker/dataset_cache.py: a kept data set gives what a new one would."""

import dataclasses
import random
from collections.abc import Iterable
from typing import Any

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.tasks import KNOWN_TASKS
from rgenv.worker import guard, levels
from rgenv.worker.dataset_cache import PREPARED, DatasetCache
from rgenv.worker.operations import Problems

pytestmark = pytest.mark.slow

Recipe = tuple[str, int, dict[str, Any]]
LEVELS = (None, 0.0, 0.5, 1.0)
BIG = 2**53 - 1


@dataclasses.dataclass
class Config:
    seed: int
    size: int
    data: int = 0
    style: int = 0

    def validate(self) -> None:
        if self.style < 0:
            raise ValueError("a negative style")


class Dataset:
    def __init__(self, config: Config) -> None:
        self.config, self.seed = config, config.seed
        self.prepared = object()


def new(_task: str, seed: int, config: dict[str, Any]) -> Dataset:
    return Dataset(Config(seed, 1, **config))


def test_what_was_prepared_is_used_again_under_another_seed_and_config() -> None:
    """Only the parameters that matter to it make it anew; a kept one is never changed."""
    shelf = DatasetCache(new, {"task": ("data",)})
    first = shelf.dataset("task", 1, {})
    second = shelf.dataset("task", 2, {"style": 3})
    assert second.prepared is first.prepared
    assert (second.seed, second.config) == (2, Config(2, 1, style=3))
    assert (first.seed, first.config) == (1, Config(1, 1))
    assert shelf.dataset("task", 1, {"data": 5}).prepared is not first.prepared
    assert shelf.dataset("other", 1, {}).prepared is not shelf.dataset("other", 1, {}).prepared


def test_parameters_are_validated_each_time() -> None:
    """A kept data set takes no parameters that a new one would refuse."""
    shelf = DatasetCache(new, {"task": ()})
    shelf.dataset("task", 1, {})
    with pytest.raises(ValueError, match="negative"):
        shelf.dataset("task", 1, {"style": -1})


def test_a_mixture_ends_what_codeio_prepared() -> None:
    """Its class holds the data, and a part of the mixture may have replaced it."""
    shelf = DatasetCache(new, {"codeio": ()})
    before = shelf.dataset("codeio", 1, {})
    shelf.dataset("composite", 1, {})
    assert shelf.dataset("codeio", 1, {}).prepared is not before.prepared


@pytest.mark.parametrize("task", PREPARED)
def test_nothing_else_is_read_when_a_data_set_is_made(task: str) -> None:
    """PREPARED names every parameter that `__init__` looks at."""
    dataset_cls, config_cls = DATASETS[task]
    read: set[str] = set()

    class Watched(config_cls):
        def __getattribute__(self, name: str) -> Any:
            read.add(name)
            return super().__getattribute__(name)

        def validate(self) -> None:
            """Looks at everything, and changes nothing."""

    config = Watched(seed=1, size=1)
    read.clear()
    dataset_cls(config)
    names = {field.name for field in dataclasses.fields(config_cls)}
    assert read & names - {"seed", "size"} == set(PREPARED[task])


def recipes(
    tasks: Iterable[str], seeds: list[int], at: Iterable[float | None] = LEVELS
) -> list[Recipe]:
    """Every task at every level, shuffled, each with all seeds in turn."""
    pairs = [(task, level) for task in tasks for level in at]
    random.Random(5).shuffle(pairs)
    return [
        (task, seed, {} if level is None else levels.level_config(task, level))
        for task, level in pairs
        for seed in seeds
    ]


def check(wanted: list[Recipe]) -> None:
    """Problems of one maker that keeps data sets, and of one that does not, are the same."""
    guard.install()
    keeps, anew = Problems(), Problems(keep=False)
    for task, seed, config in wanted:
        assert repr(keeps.make(task, seed, config)) == repr(anew.make(task, seed, config)), task
        ours, theirs = (problems.dataset(task, seed, config) for problems in (keeps, anew))
        assert vars(ours).keys() == vars(theirs).keys(), task


def test_kept_data_sets_make_the_problems_of_new_ones() -> None:
    """Defaults and the top level, seeds small and large; codeio's with state of their own too."""
    check([*recipes(PREPARED, [3, BIG], at=(None, 1.0)), *recipes(["codeio"], [26, 43, BIG])])


@pytest.mark.soak
def test_every_tasks_problems_are_the_same_whether_data_sets_are_kept() -> None:
    """All tasks, all levels, several seeds, up to the largest; in one order and in another."""
    tasks = sorted(set(KNOWN_TASKS) - {"composite", "pool_matrix"})
    wanted = recipes(tasks, [3, 26, 43, BIG]) + recipes(["pool_matrix"], [3, 26, 43])
    check(wanted)
    random.Random(6).shuffle(wanted)
    check([recipe for recipe in wanted if recipe[0] in PREPARED])
