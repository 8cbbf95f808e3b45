"""rgenv/worker/levels.py: every task has levels, which get harder and make winnable problems."""

from itertools import groupby, pairwise
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from reasoning_gym.factory import DATASETS

from rgenv.tasks.registry import record_of
from rgenv.worker.levels import interpolate, level_config, work_range

TASKS = sorted(set(DATASETS) - {"composite"})
WITHOUT_DIFFICULTY = set(
    "acre aiw arc_agi codeio gsm_symbolic list_functions self_reference syllogism".split()
)


@settings(max_examples=500)
@given(task=st.sampled_from(TASKS), level=st.floats(0, 1))
def test_any_level_passes_the_tasks_own_validation(task: str, level: float) -> None:
    config = level_config(task, level)
    checked = DATASETS[task][1](**config, size=1, seed=0)
    getattr(checked, "validate", lambda: None)()
    for name in config:
        if name.startswith("min_"):
            assert config[name] <= config["max_" + name.removeprefix("min_")]


def test_parameters_move_in_one_direction_and_kinds_take_their_turns() -> None:
    """On a fine grid of levels. The record of a task in which nothing moves says why."""
    still = set()
    for task in TASKS:
        configs = [level_config(task, step / 50) for step in range(51)]
        still |= {task} if configs[0] == configs[-1] else set()
        for name, value in configs[0].items():
            track = [size_of(config[name]) for config in configs]
            way = track[-1] - track[0]
            assert all((later - now) * way >= 0 for now, later in pairwise(track)), (task, name)
            assert way or len(set(track)) == 1, (task, name)
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                for kind in {kind for config in configs for kind in config[name]}:
                    asked = [is_asked for is_asked, _ in groupby(kind in c[name] for c in configs)]
                    assert asked.count(True) == 1, (task, name, kind)
    assert still == WITHOUT_DIFFICULTY == {task for task in TASKS if record_of(task).levels.fixed}


def size_of(value: Any) -> float:
    """Return a number that orders values: for weights their centre, for other lists the length."""
    if isinstance(value, list):
        weights = all(isinstance(part, float) for part in value)
        return sum(i * part for i, part in enumerate(value)) if weights else len(value)
    return float(value)


def test_the_wanted_work_rises() -> None:
    for task in (task for task in TASKS if record_of(task).levels.work):
        bounds = [work_range(task, step / 50) for step in range(51)]
        assert all(bound is not None and bound[0] <= bound[1] for bound in bounds), task
        for low, high in pairwise(bound for bound in bounds if bound):
            assert low[0] <= high[0] and low[1] <= high[1], task
        assert bounds[0] != bounds[-1], task


@given(place=st.floats(0, 1))
@example(place=0.25)  # 1.5 and 2.5, which round() makes 2 and 2
def test_neighbouring_whole_numbers_stay_apart(place: float) -> None:
    values = [1, 2, 3, 4]
    assert interpolate(values[:-1], place) + 1 == interpolate(values[1:], place)
