"""rgenv/worker/problem_maker.py: a reused data set makes the same problems as a new one."""

import dataclasses
import random
from typing import Any

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.worker import levels
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import PREPARED

pytestmark = pytest.mark.slow

LARGEST_SEED = 2**53 - 1


@pytest.mark.parametrize("task", PREPARED)
def test_init_reads_exactly_the_parameters_in_prepared(task: str) -> None:
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


def test_reused_data_sets_make_the_problems_of_new_ones() -> None:
    guard.install()
    top = [(task, levels.level_config(task, 1.0)) for task in PREPARED]
    random.Random(5).shuffle(top)
    wanted: list[tuple[str, int, Any]] = [(task, LARGEST_SEED, at) for task, at in top]
    part = {"datasets": [{"name": "codeio", "config": {"difficulty": 7}}]}  # has other programs
    wanted += [("codeio", 26, {}), ("composite", 1, part), ("codeio", 43, {})]
    reusing = ProblemMaker()
    for task, seed, config in wanted:
        fresh = ProblemMaker()
        assert repr(reusing.make(task, seed, config)) == repr(fresh.make(task, seed, config)), task
        reused, new = (maker.dataset(task, seed, config) for maker in (reusing, fresh))
        assert vars(reused).keys() == vars(new).keys(), task
