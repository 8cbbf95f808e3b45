"""WorkerFactory: starts the template, has it fork workers, and ends them.

A worker's sandbox has layers; `say_layers` names those that are not there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from rgenv.errors import PoolBroken
from rgenv.pool.process import Template, Worker, WorkerDied, WorkerTimeout
from rgenv.worker.protocol import Confined, Greeting, WorkerSettings

log = logging.getLogger(__name__)


class WallIncomplete(WorkerDied):
    """A worker lacks a layer that its machine could have; the message has the remedy."""


class WorkerFactory:
    """Starts workers and ends them.

    Args:
        settings: for each worker.
        require_wall: refuse a worker without all layers that its machine could have.

    Attributes:
        greeting: what the workers know of the library, once there was one.
        live: all started workers, until they are gone.
    """

    def __init__(self, settings: WorkerSettings, *, require_wall: bool = False) -> None:
        self._settings = settings
        self._require_wall = require_wall
        self._template: Template | None = None
        self._turn = asyncio.Lock()
        self._preparing: asyncio.Task[None] | None = None
        self._tasks: list[str] = []
        self._not_prepared: set[str] = set()  # because their template ended meanwhile
        self._closed = False
        self.greeting: Greeting | None = None
        self.live: set[Worker] = set()

    async def take(self) -> Worker:
        """Return a new worker.

        Raises:
            WorkerDied: it could not be started, or its template ended; the next call starts one.
            WorkerTimeout: it could not be started in time.
            TasksRefused: it can't load a user's own tasks.
            PoolBroken: it has other tasks than the workers before.
        """
        if self.live and self._preparing is not None:
            await asyncio.wait([self._preparing])  # one worker serves meanwhile
        async with self._turn:
            if self._closed:
                raise WorkerDied("the pool is closed")
            template = self._template = self._template or Template(self._settings)
            try:
                if template.greeting is None:
                    self._require_same(await template.greet())
                    self._preparing = asyncio.create_task(self._prepare(template))
                worker = await template.fork()
            except BaseException:
                if template.ended:
                    self._template = None
                    await template.kill()
                raise
        self.live.add(worker)
        missing = _without(worker.confined, "missing")
        if missing and self._require_wall:
            await self.retire(worker)
            raise WallIncomplete(
                "--env.require_wall demands all layers around the workers, and they run without "
                f"{missing}."
            )
        return worker

    def _require_same(self, greeting: Greeting) -> None:
        self.greeting = self.greeting or greeting
        if greeting != self.greeting:
            modules = self._settings.task_modules
            names = ", ".join(module.word for module in modules) or "reasoning-gym"
            raise PoolBroken(f"{names} changed while this run used it: start the run again.")

    def prepare(self, tasks: Iterable[str]) -> None:
        """Prepare tasks in the background; workers that are forked later have what that made."""
        self._tasks = list(tasks)
        if self._template is not None and self._template.greeting is not None:
            self._preparing = asyncio.create_task(self._prepare(self._template))

    async def _prepare(self, template: Template) -> None:
        for task in self._tasks:
            if task in self._not_prepared:
                continue
            try:
                await template.prepare(task)
            except (WorkerDied, WorkerTimeout):  # the next template does not try it
                self._not_prepared.add(task)
                return

    def is_outdated(self, worker: Worker) -> bool:
        """Return whether a worker was forked before all tasks were prepared, and now they are."""
        done = self._preparing is not None and self._preparing.done()
        return done and worker.prepared < worker.template.prepared

    async def retire(self, worker: Worker) -> None:
        await worker.end()
        self.live.discard(worker)

    def kill_at_once(self) -> None:
        """Kill all workers without waiting, from any thread or event loop."""
        if self._template is not None:
            self._template.kill_at_once()

    async def close(self) -> None:
        self._closed = True
        if self._preparing is not None:
            self._preparing.cancel()
        await asyncio.gather(*map(self.retire, list(self.live)))
        if self._template is not None:
            await self._template.kill()


def say_layers(confined: Confined) -> None:
    """Log one line: the layers of a worker; a warning, with the remedies, if some are missing."""
    held = ", ".join(confined.layers)
    missing, absent = (_without(confined, state) for state in ("missing", "absent"))
    if missing:
        log.warning("Workers are confined by %s only, without %s.", held, missing)
    else:
        log.info("Workers are confined by %s%s.", held, absent and f", without {absent}")


def _without(confined: Confined, state: str) -> str:
    """Return the layers of a state, each with its words."""
    others = confined.missing.items()
    return ", ".join(f"{name} ({words})" for name, (found, words) in others if found == state)
