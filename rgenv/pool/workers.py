"""WorkerSupply: starts workers ahead of need, hands them out, and ends them."""

from __future__ import annotations

import asyncio
from collections import deque

from rgenv.pool import wall
from rgenv.pool.process import WorkerDied, WorkerProcess
from rgenv.worker.protocol import WorkerSettings

START_TIMEOUT = 60.0
"""Seconds that a worker may take to start."""


class WorkerSupply:
    """Workers that are starting or waiting to be taken, and those that were taken.

    Args:
        settings: for each worker.
        require_wall: refuse a worker without all layers that its machine could have.

    Attributes:
        live: all started workers, until they are retired.
    """

    def __init__(self, settings: WorkerSettings, *, require_wall: bool = False) -> None:
        self._settings = settings
        self._require_wall = require_wall
        self._prepared: deque[asyncio.Task[WorkerProcess]] = deque()
        self.live: set[WorkerProcess] = set()

    def prepare(self, count: int) -> None:
        """Start workers in the background until `count` are prepared."""
        while len(self._prepared) < count:
            self._prepared.append(asyncio.create_task(self._start()))

    async def first(self) -> WorkerProcess:
        """Wait for the first prepared worker and leave it there.

        Raises:
            WorkerDied: it could not be started.
            WorkerTimeout: as above, within START_TIMEOUT.
            TasksRefused: it can't load a user's own tasks.
        """
        starting = self._prepared[0]
        await asyncio.wait({starting})
        if starting.cancelled():
            raise WorkerDied("it was closed while it started")
        return starting.result()

    async def take(self) -> WorkerProcess:
        """Return a started worker, a prepared one if there is one.

        Raises:
            WorkerDied: it could not be started, or ended while it waited to be taken.
            MalformedReply: it wrote something while it waited.
            WorkerTimeout: it could not be started within START_TIMEOUT.
            TasksRefused: it can't load a user's own tasks.
        """
        self.prepare(1)
        worker = await self._prepared.popleft()
        try:
            worker.require_usable()
        except WorkerDied:
            await self.retire(worker)
            raise
        return worker

    async def retire(self, worker: WorkerProcess) -> None:
        """Kill one worker."""
        self.live.discard(worker)
        await worker.kill()

    def kill_at_once(self) -> None:
        """Kill all workers without waiting, from any thread or event loop."""
        for worker in list(self.live):
            worker.kill_at_once()

    async def close(self) -> None:
        """Kill all workers."""
        prepared, self._prepared = list(self._prepared), deque()
        for starting in prepared:
            starting.cancel()
        await asyncio.gather(*prepared, return_exceptions=True)
        await asyncio.gather(*(worker.kill() for worker in self.live))
        self.live.clear()

    async def _start(self) -> WorkerProcess:
        worker = await WorkerProcess.start(self._settings, timeout=START_TIMEOUT)
        if self._require_wall:
            try:
                wall.require(worker.handshake)
            except wall.WallIncomplete:
                await worker.kill()
                raise
        self.live.add(worker)
        return worker
