"""WorkerSupply: starts workers, has them forked where that is possible, and ends them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from rgenv.pool import template as forking
from rgenv.pool import wall
from rgenv.pool.process import WorkerDied, WorkerProcess, WorkerTimeout
from rgenv.pool.template import Template
from rgenv.worker.protocol import WorkerSettings

START_TIMEOUT = 60.0
"""Seconds that a worker may take to start, and a template to start or to prepare a task."""

MANY = 40
"""Further prepared tasks for which the only worker is replaced while others are being prepared."""


class WorkerSupply:
    """Starts workers and ends them.

    Args:
        settings: for each worker.
        require_wall: refuse a worker without all layers that its machine could have.

    Attributes:
        live: all started workers, until they are gone, each with its template if it has one.
    """

    def __init__(self, settings: WorkerSettings, *, require_wall: bool = False) -> None:
        self._settings = settings
        self._require_wall = require_wall
        self._starting: asyncio.Task[Template] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._tasks: list[str] = []
        self.live: dict[WorkerProcess, Template | None] = {}

    async def take(self) -> WorkerProcess:
        """Return a started worker.

        Raises:
            WorkerDied: it, or the template, could not be started or ended.
            WorkerTimeout: it could not be started within START_TIMEOUT.
            TasksRefused: it can't load a user's own tasks.
        """
        if forking.CAN_FORK:
            worker = await self._forked()
        else:
            worker = await WorkerProcess.start(self._settings, timeout=START_TIMEOUT)
            self.live[worker] = None
        if self._require_wall:
            try:
                wall.require(worker.handshake)
            except wall.WallIncomplete:
                await self.retire(worker)
                raise
        return worker

    async def _forked(self) -> WorkerProcess:
        """Return a worker that has greeted. `_template` tells one caller that a template ended."""
        while True:
            template = await self._template()
            if self.live and self._preparing is not None:
                # One worker serves meanwhile. Others would each prepare what they are asked for.
                await asyncio.wait([self._preparing])
            try:
                worker = await template.fork(timeout=START_TIMEOUT)
                self.live[worker] = template
                try:
                    await worker.greet(START_TIMEOUT)
                except BaseException:
                    await self.retire(worker)
                    raise
                return worker
            except WorkerDied:
                if not template.ended:
                    raise

    async def _template(self) -> Template:
        """Return the template, which is started if there is none.

        Raises:
            WorkerDied: it has ended, which one caller is told; then another one is started.
            WorkerTimeout, TasksRefused: it could not be started.
        """
        while True:
            if self._starting is None:
                self._starting = asyncio.create_task(self._start_template())
            starting = self._starting
            try:
                template = await asyncio.shield(starting)
                if not template.ended:
                    return template
                await template.kill()
                raise WorkerDied("the template ended")
            except (WorkerDied, WorkerTimeout):
                if self._starting is starting:
                    self._starting = None
                    raise
            except asyncio.CancelledError:
                caller = asyncio.current_task()
                if starting.cancelled() and not (caller and caller.cancelling()):
                    raise WorkerDied("the pool was closed while it started") from None
                raise
            except Exception:
                self._starting = None
                raise

    async def _start_template(self) -> Template:
        template = await Template.start(self._settings, timeout=START_TIMEOUT)
        self._prepare_in(template)
        return template

    def prepare(self, tasks: Iterable[str]) -> None:
        """Prepare tasks in the background; workers that are forked later have what that made."""
        self._tasks = list(tasks)
        if (template := self._started()) is not None:
            self._prepare_in(template)

    def _started(self) -> Template | None:
        starting = self._starting
        if starting is None or not starting.done() or starting.cancelled() or starting.exception():
            return None
        return starting.result()

    def _prepare_in(self, template: Template) -> None:
        self._preparing = asyncio.create_task(self._prepare(template))

    async def _prepare(self, template: Template) -> None:
        for task in list(self._tasks):
            try:
                await template.prepare(task, timeout=START_TIMEOUT)
            except (WorkerDied, WorkerTimeout):  # the next template does not try it
                self._tasks.remove(task)
                return

    def is_outdated(self, worker: WorkerProcess) -> bool:
        """Return whether a new worker would have more tasks prepared, and need not wait."""
        template = self.live[worker]
        more = template.prepared - worker.prepared if template is not None else 0
        if self._preparing is not None and self._preparing.done():
            return more > 0
        return more >= MANY and len(self.live) == 1

    def is_orphan(self, worker: WorkerProcess) -> bool:
        """Return whether the template of a worker has ended, and so the worker."""
        template = self.live.get(worker)
        return template is not None and template.ended

    async def retire(self, worker: WorkerProcess) -> None:
        await worker.kill()
        self.live.pop(worker, None)

    def kill_at_once(self) -> None:
        """Kill all workers without waiting, from any thread or event loop."""
        for worker in list(self.live):
            worker.kill_at_once()
        if (template := self._started()) is not None:
            template.kill_at_once()

    async def close(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
        await asyncio.gather(*(worker.kill() for worker in self.live))
        self.live.clear()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
            if (template := self._started()) is not None:
                await template.kill()
