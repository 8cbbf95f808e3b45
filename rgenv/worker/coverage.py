"""Which tasks are covered: our corrections apply to the source of the task in the library.

::

    covered("gcd")       # True: its source is that of the release in sources.json
    sources()["gcd"]     # "8c5b1f0a94d2e7b3", a hash of the source
    differences()        # {"changed": [], "new": [], "gone": []}

Reference answers, verifiers, written forms, clarifications, levels, shortcuts, symmetries, measures
of work and faster generators were measured on one release of the library. A task of another source
may ask other questions, so none of them applies to it: it has the library's own problems and
verifier, at its default level. Every table of tasks in this package asks `covered` first. Only the
protection from model text (guard.py, answer_limits.py) holds for all tasks.

sources.json has the hashes of the release; scripts/hash_sources.py writes it.

Not here: what belongs to the source of a task (source_hash.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import reasoning_gym
from reasoning_gym.factory import CURRICULA, DATASETS

from rgenv.worker.source_hash import Source, package_digest

TABLE_PATH = Path(__file__).with_name("sources.json")
TABLE: dict[str, Any] = json.loads(TABLE_PATH.read_text(encoding="utf-8"))


@cache
def covered(task: str) -> bool:
    """Return whether our corrections apply to a task. False for a task that nobody knows."""
    return task in TABLE["tasks"] and sources().get(task) == TABLE["tasks"][task]


def differences() -> dict[str, list[str]]:
    """Return the tasks that are not covered, and those that the library has no more."""
    known = TABLE["tasks"]
    return {
        "changed": [task for task in sources() if task in known and not covered(task)],
        "new": [task for task in sources() if task not in known],
        "gone": [task for task in known if task not in sources()],
    }


@cache
def sources() -> Mapping[str, str]:
    """Return the hash of the source of each registered task.

    It takes 20 ms if the library is exactly that of the table, or what `expect` was given, and else
    2 s.
    """
    for table in (TABLE, *_expected):
        if table["package"] == _package():
            return dict(table["tasks"])
    return measured(_folder())


def expect(measurement: Mapping[str, Any] | None) -> None:
    """Take over what another worker has measured, if it had the same library."""
    if measurement is not None:
        _expected.append(measurement)


def measurement() -> dict[str, Any]:
    """Return what `expect` takes: the digest of the library, and the hash of each task's source."""
    return {"package": _package(), "tasks": dict(sources())}


_expected: list[Mapping[str, Any]] = []


@cache
def _package() -> str:
    return package_digest(_folder())


def _folder() -> Path:
    return Path(str(reasoning_gym.__file__)).parent


def measured(folder: Path) -> dict[str, str]:
    """Return the hash of the source of each registered task, read from the files of the library."""
    source = Source(folder)
    return {task: source.hash_of(_roots(task)) for task in DATASETS}


def _roots(task: str) -> list[tuple[str, str]]:
    """Return module and name of each class of a task."""
    classes = [*DATASETS[task], *filter(None, [CURRICULA.get(task)])]
    return [(one.__module__.partition(".")[2], one.__qualname__) for one in classes]
