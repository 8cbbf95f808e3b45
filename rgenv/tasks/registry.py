"""Find the record of a task.

::

    record_of("gcd").verify
    record_of("gcd").levels.knots

What a record says was measured on one release of the library. A task whose source has changed may
ask other questions, so only what protects from model text applies to it (`Task.protection`). This
is the one place that asks whether a task is covered. A user's own task was never measured; the
record that `add` registers for it applies as it is.
"""

import importlib
import inspect
from functools import cache

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.coverage import covered
from rgenv.tasks.record import Task


@cache
def records() -> dict[str, Task]:
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


def add(task: str, record: Task) -> None:
    """Register the record of a user's own task."""
    records()[task] = record


@cache
def record_of(task: str) -> Task:
    """Return what applies to a task; an empty record for one that nobody knows."""
    record = records().get(task, Task().protection)
    return record if covered(task) or task not in KNOWN_TASKS else record.protection
