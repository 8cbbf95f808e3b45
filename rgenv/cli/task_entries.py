"""What is known about each task of the reasoning-gym that the workers import."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rgenv.errors import MissingReasoningGym
from rgenv.measured import RELEASE, TASKS, Health
from rgenv.pool.library import is_measured
from rgenv.task_names import KNOWN_TASKS
from rgenv.worker.protocol import OWN

UNCHECKED = {
    "": "not checked",
    "changed": "not checked: another source",
    "new": "not checked: a new task",
    "own": "not checked: `validate --task-modules` checks it",
}
"""The health of tasks that were not measured, by what they are instead of the measured ones."""

KINDS = {
    "number": "one number, also as a fraction, in another base, or with a unit",
    "expression": "a formula",
    "yes/no": "yes or no, true or false",
    "choice": "one of a few words or characters",
    "word": "one word or string",
    "text": "words",
    "sentence": "statements",
    "list": "a sequence or a set of values",
    "mapping": "a value for each name",
    "grid": "rows of cells",
    "moves": "a move, or a sequence of moves",
    "any": "depends on the problem",
}
"""The kinds of answers."""


@dataclass(frozen=True)
class Entry:
    """One task.

    Attributes:
        measured: None: it was not measured, or not with this source.
        state: ``changed`` or ``new`` if it has another source than the measured one, ``own`` if it
            is the user's, else empty.
    """

    task: str
    category: str
    about: str = ""
    kind: str = ""
    measured: Health | None = None
    state: str = ""

    @property
    def health(self) -> str:
        """``healthy``, ``known: RULES``, ``UNHEALTHY: RULES``, or that it was not checked."""
        return UNCHECKED[self.state] if self.measured is None else str(self.measured)

    @property
    def file(self) -> str:
        """The path of the file with all that is known about it; empty for a user's own task."""
        if self.state == "own" or self.task not in KNOWN_TASKS:
            return ""
        file = Path(__file__).parents[1] / "tasks" / KNOWN_TASKS[self.task] / f"{self.task}.py"
        return os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)

    @property
    def has_levels(self) -> bool:
        """Whether levels make it harder, as far as is known."""
        return self.measured is None or any(at is not None for at in self.measured.levels)


@dataclass(frozen=True)
class Library:
    """The reasoning-gym that the workers import.

    Attributes:
        version: its release; empty if it is not installed.
        states: the tasks whose source is not the one that was measured: ``changed`` or ``new``, and
            ``own`` for a user's own.
        asks: what a user's own tasks ask for.
    """

    version: str
    categories: Mapping[str, str]
    states: Mapping[str, str] = field(default_factory=dict)
    asks: Mapping[str, str] = field(default_factory=dict)

    def entry(self, task: str) -> Entry:
        """Return what is known about a task; measures hold for the measured source only."""
        category, state = self.categories[task], self.states.get(task, "")
        if (known := TASKS.get(task)) is None:
            return Entry(task, category, self.asks.get(task, ""), state=state)
        health = None if state else known.health
        return Entry(task, category, known.asks, known.answer, health, state)


def installed() -> Library:
    """Return the tasks of the installed library; those of `RELEASE` if there is none.

    Of another release, and of a checked-out submodule, a worker tells them, which takes seconds.
    """
    if is_measured():
        return Library(RELEASE, KNOWN_TASKS)
    try:
        return asked()
    except MissingReasoningGym:
        return Library("", KNOWN_TASKS)


def asked(task_modules: Sequence[str] = ()) -> Library:
    """Return what a worker says of the library and of own tasks; raises as `start_pool`."""
    import asyncio  # here, because asking is rare, and all this takes a while to import

    from rgenv.gym.settings import read_settings, start_pool

    async def ask() -> Library:
        pool = await start_pool(read_settings(workers=1, task_modules=task_modules))
        try:
            states = {**pool.coverage.states, **dict.fromkeys(pool.own_tasks, OWN)}
            tasks = pool.task_categories or KNOWN_TASKS
            return Library(pool.version, tasks, states, pool.own_tasks)
        finally:
            await pool.close()

    return asyncio.run(ask())
