"""rgenv/worker/dataset_cache.py: a reused data set makes the same problems as a new one."""

import dataclasses
import random
from collections.abc import Iterable
from typing import Any

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.record import Task
from rgenv.worker import dataset_cache, levels
from rgenv.worker.dataset_cache import DatasetCache
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import PREPARED

pytestmark = pytest.mark.slow

Recipe = tuple[str, int, dict[str, Any]]
LEVELS = (None, 0.0, 0.5, 1.0)
LARGEST_SEED = 2**53 - 1


@dataclasses.dataclass
class Config:
    """`data` affects what a data set prepares; `style` does not."""

    seed: int
    size: int
    data: int = 0
    style: int = 0

    def validate(self) -> None:
        if self.style < 0:
            raise ValueError("a negative style")


class Dataset:
    """Prepares a new object whenever it is constructed."""

    def __init__(self, config: Config) -> None:
        self.config, self.seed = config, config.seed
        self.prepared = object()


def new(_task: str, seed: int, config: dict[str, Any]) -> Dataset:
    return Dataset(Config(seed, 1, **config))


def test_prepared_data_is_reused_under_another_seed_and_config(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only a change of a relevant parameter makes a new data set; earlier ones never change."""
    monkeypatch.setattr(
        dataset_cache, "record_of", lambda task: Task(prepared=("data",) if task == "gcd" else None)
    )
    cache = DatasetCache(new)
    first = cache.dataset("gcd", 1, {})
    second = cache.dataset("gcd", 2, {"style": 3})
    assert second.prepared is first.prepared
    assert (second.seed, second.config) == (2, Config(2, 1, style=3))
    assert (first.seed, first.config) == (1, Config(1, 1))
    assert cache.dataset("gcd", 1, {"data": 5}).prepared is not first.prepared
    assert cache.dataset("lcm", 1, {}).prepared is not cache.dataset("lcm", 1, {}).prepared


def test_a_composite_invalidates_codeios_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A codeio part of a composite replaces the data on the class, so it is not reused."""
    monkeypatch.setattr(dataset_cache, "record_of", lambda _: Task(prepared=()))
    cache = DatasetCache(new)
    before = cache.dataset("codeio", 1, {})
    cache.dataset("composite", 1, {})
    assert cache.dataset("codeio", 1, {}).prepared is not before.prepared


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
    stateful = recipes(["codeio"], [26, 43])
    check([*some, *stateful])


@pytest.mark.soak
def test_every_task_makes_the_same_problems_with_reused_data_sets() -> None:
    """All tasks at all levels make equal problems, in one order and in another."""
    tasks = sorted(set(KNOWN_TASKS) - {"composite", "pool_matrix"})
    wanted = recipes(tasks, [3, 26, 43, LARGEST_SEED]) + recipes(["pool_matrix"], [3, 26, 43])
    check(wanted)
    random.Random(6).shuffle(wanted)
    check([recipe for recipe in wanted if recipe[0] in PREPARED])
