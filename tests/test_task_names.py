"""rgenv/task_names.py: the known tasks, and the selection of tasks and levels."""

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.errors import BadUsage, UnknownTask
from rgenv.task_names import (
    COMPOSITE,
    KNOWN_TASKS,
    choose_tasks,
    parse_levels,
    require_task,
)


def test_the_fallback_list_is_the_registry() -> None:
    registry = {name: made[0].__module__.split(".")[1] for name, made in DATASETS.items()}
    assert registry == KNOWN_TASKS


def test_no_choice_means_every_task_that_needs_no_configuration() -> None:
    assert len(choose_tasks(KNOWN_TASKS)) == 105
    assert COMPOSITE in choose_tasks(KNOWN_TASKS, configured=[COMPOSITE])
    assert choose_tasks(KNOWN_TASKS, [COMPOSITE], configured=[COMPOSITE]) == [COMPOSITE]
    for word in (COMPOSITE, "compos*"):
        with pytest.raises(BadUsage, match=r"task_configs\.composite"):
            choose_tasks(KNOWN_TASKS, [word])


def test_a_category_is_no_task() -> None:
    with pytest.raises(UnknownTask, match=r"'arithmetic'\. It is a category: name one of"):
        require_task("arithmetic", KNOWN_TASKS)


def test_levels_are_none_or_numbers() -> None:
    assert parse_levels("null, 1") == [None, 1.0]
    assert parse_levels("0.5,none,.5,NONE,0.25,0.50") == [0.5, None, 0.25]
    for text in ("", ",", "easy", "0,2", "-0.1", "nan", "inf", "0 1", "[0, 1]"):
        with pytest.raises(BadUsage, match=r"none or numbers in \[0, 1\]") as refused:
            parse_levels(text)
        assert repr(text) in str(refused.value)
