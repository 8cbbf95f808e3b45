"""One worker process, seen from its parent: start it, exchange JSON lines, end it.

::

    worker = await WorkerProcess.start(WorkerSettings(), timeout=60)
    await worker.send({"op": "make", "task": "chain_sum", "seed": 7, "level": None, "config": {}})
    reply = await worker.receive(timeout=10)

What comes back is data: read with a size limit, parsed as JSON, never unpickled. The child gets an
empty environment and an empty working directory, and its stdin is its leash: it ends at EOF.
Which request goes to which worker, and what a failure means, is decided in scoring.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rgenv.worker.protocol import WorkerSettings

ROOT = Path(__file__).resolve().parents[2]

MAX_REPLY_BYTES = 4 * 1024 * 1024
STDERR_TAIL_BYTES = 4096


class WorkerDied(RuntimeError):
    """The process ended, or wrote something that is no reply; it has to be replaced."""


class WorkerTimeout(RuntimeError):
    """No reply within the limit; the process may be stuck and has to be replaced."""


def worker_environment(import_path: str | None = None) -> dict[str, str]:
    """The whole environment of a worker: no keys, tokens or proxies of the parent's get in."""
    paths = [import_path, str(ROOT), os.environ.get("PYTHONPATH")]
    return {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


class WorkerProcess:
    """A running worker. Not safe for concurrent use: one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process, folder: str) -> None:
        self._process = process
        self._folder = folder
        self._stderr = bytearray()
        self._drain = asyncio.create_task(self._drain_stderr())
        self.hello: dict[str, Any] = {}

    @classmethod
    async def start(cls, settings: WorkerSettings, *, timeout: float) -> WorkerProcess:
        """Spawn a worker and wait for its handshake.

        Raises:
            WorkerDied: it ended first; the message ends with what it wrote to stderr.
            WorkerTimeout: no handshake within `timeout` seconds.
        """
        folder = tempfile.mkdtemp(prefix="rgenv-worker-")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "rgenv.worker",
            json.dumps(asdict(settings)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=worker_environment(settings.import_path),
            cwd=folder,
            limit=MAX_REPLY_BYTES,
            start_new_session=True,
        )
        worker = cls(process, folder)
        try:
            worker.hello = await worker.receive(timeout=timeout)
        except BaseException:
            await worker.kill()
            raise
        return worker

    @property
    def pid(self) -> int:
        """The process id, for logs and tests."""
        return self._process.pid

    async def send(self, request: dict[str, Any]) -> None:
        """Write one request line. A worker that is already gone shows at the next `receive`."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            await self._process.stdin.drain()

    async def receive(self, *, timeout: float) -> dict[str, Any]:
        """The next reply line.

        Raises:
            WorkerDied: end of stream, a line over the size limit, or one that is no JSON object.
            WorkerTimeout: nothing whole came within `timeout` seconds.
        """
        assert self._process.stdout is not None
        try:
            # Not wait_for: in Python 3.11 it loses a cancellation that comes with the result.
            async with asyncio.timeout(timeout):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise WorkerTimeout(f"no reply within {timeout:g} s") from None
        except ValueError:
            raise WorkerDied(f"a reply of more than {MAX_REPLY_BYTES} bytes") from None
        if not line.endswith(b"\n"):
            await self._end()
            raise WorkerDied(self._last_words())
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise WorkerDied("a reply that is not a JSON object")
        return reply

    async def _end(self) -> None:
        """After the end of its stream: let it leave an exit status, which a kill could swallow."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._process.wait()
        await self.kill()

    def _last_words(self) -> str:
        tail = self._stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1]
        return f"exit status {self._process.returncode}" + (f": {tail}" if tail else "")

    async def _drain_stderr(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(65536):
            self._stderr += chunk
            del self._stderr[:-STDERR_TAIL_BYTES]

    async def kill(self) -> None:
        """End the process at once and wait until it is gone; idempotent."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()
        await asyncio.wait({self._drain}, timeout=1)
        shutil.rmtree(self._folder, ignore_errors=True)
