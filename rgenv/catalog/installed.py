"""Which tasks are installed.

The release that was measured needs no look at the library. Of any other one, and of a checked-out
submodule, a worker tells the tasks, which takes a second or two.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rgenv.errors import MissingReasoningGym
from rgenv.measured import RELEASE
from rgenv.pool.library import checkout_path
from rgenv.task_names import KNOWN_TASKS
from rgenv.worker.protocol import OWN


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


def installed() -> Library:
    """Return the tasks of the installed library; those of `RELEASE` if there is none."""
    try:
        is_checkout = checkout_path() is not None
    except MissingReasoningGym:
        return Library("", KNOWN_TASKS)
    if not is_checkout and _version() == RELEASE:
        return Library(RELEASE, KNOWN_TASKS)
    return asked()


def _version() -> str | None:
    try:
        return importlib.metadata.version("reasoning-gym")
    except importlib.metadata.PackageNotFoundError:  # a folder on the path
        return None


def asked(task_modules: Sequence[str] = ()) -> Library:
    """Return what a worker says of the library and of own tasks; raises as `start_pool`."""
    import asyncio  # here, because asking is rare, and all this takes a while to import

    from rgenv.gym.settings import Settings, start_pool

    async def ask() -> Library:
        pool = await start_pool(Settings(workers=1, task_modules=task_modules))
        try:
            states = {**pool.coverage.states, **dict.fromkeys(pool.own_tasks, OWN)}
            tasks = pool.task_categories or KNOWN_TASKS
            return Library(pool.version, tasks, states, pool.own_tasks)
        finally:
            await pool.close()

    return asyncio.run(ask())
