"""Find the record of a task.

::

    record_of("gcd").verify
    record_of("gcd").levels.knots

What a record says was measured on one release of the library. A task whose source has changed may
ask other questions, so only what protects from model text applies to it (`Task.protection`). This
is the one place that asks whether a task is covered. The record of a user's own task, which `add`
registers, was written for it and applies as it is.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from functools import cache

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.coverage import covered
from rgenv.tasks.record import Task


@cache
def records() -> Mapping[str, Task]:
    """Return the record of each task that has a file here, whatever its source is now."""
    return {
        task: importlib.import_module(f"rgenv.tasks.{category}.{task}").TASK
        for task, category in KNOWN_TASKS.items()
    }


def asks(task: str) -> str:
    """Return what a task asks, as its file begins; an empty text if it has none."""
    category = KNOWN_TASKS.get(task)
    module = category and importlib.import_module(f"rgenv.tasks.{category}.{task}")
    return inspect.getdoc(module) or "" if module else ""


_own: dict[str, Task] = {}


def add(task: str, record: Task) -> None:
    """Register a user's own task with its record."""
    _own[task] = record


def is_own(task: str) -> bool:
    """Return whether a task is a user's own."""
    return task in _own


def record_of(task: str) -> Task:
    """Return what applies to a task; an empty record for one that nobody knows."""
    return _own[task] if task in _own else _record_of(task)


@cache
def _record_of(task: str) -> Task:
    record = records().get(task, Task())
    return record if covered(task) else record.protection
