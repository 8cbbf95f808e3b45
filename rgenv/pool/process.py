"""One worker process: start it, exchange JSON lines with it, end it.

::

    worker = await WorkerProcess.start(WorkerSettings(), timeout=60)
    await worker.send({"op": "make", "task": "chain_sum", "seed": 7, "level": None, "config": {}})
    reply = await worker.receive(timeout=10)

Replies are data: read with a size limit, parsed as JSON, never unpickled. The child has a minimal
environment and an empty working directory, and ends when its stdin is closed.

Not here: which worker gets which request (jobs.py), and what a failure means (pool.py).
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
    """The process ended or sent an invalid reply; replace it."""


class WorkerTimeout(RuntimeError):
    """The process sent no reply in time and may be stuck; replace it."""


def worker_environment(import_path: str | None = None) -> dict[str, str]:
    """Return the whole environment of a worker, without the parent's keys, tokens and proxies.

    Args:
        import_path: a folder to import reasoning-gym from; None for the installed package.
    """
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
    """A running worker. It handles one request at a time.

    Attributes:
        handshake: what the worker sent after its start: tasks, version, sandbox layers.
    """

    def __init__(self, process: asyncio.subprocess.Process, folder: str) -> None:
        self._process = process
        self._folder = folder
        self._stderr = bytearray()
        self._stderr_reader = asyncio.create_task(self._read_stderr())
        self.handshake: dict[str, Any] = {}

    @classmethod
    async def start(cls, settings: WorkerSettings, *, timeout: float) -> WorkerProcess:
        """Start a worker and wait for its handshake.

        Raises:
            WorkerDied: it ended first; the message has its last line of stderr.
            WorkerTimeout: no handshake within `timeout` seconds.
        """
        folder = tempfile.mkdtemp(prefix="rgenv-worker-")
        try:
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
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        worker = cls(process, folder)
        try:
            worker.handshake = await worker.receive(timeout=timeout)
        except BaseException:
            await worker.kill()
            raise
        return worker

    @property
    def pid(self) -> int:
        """The process id, for logs and tests."""
        return self._process.pid

    async def send(self, request: dict[str, Any]) -> None:
        """Send one request. If the worker has ended, the next `receive` says so."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            await self._process.stdin.drain()

    async def receive(self, *, timeout: float) -> dict[str, Any]:
        """Return the next reply.

        Raises:
            WorkerDied: the stream ended, or a line is too long or not a JSON object.
            WorkerTimeout: no whole line came within `timeout` seconds.
        """
        assert self._process.stdout is not None
        try:
            # asyncio.wait_for loses a cancellation that comes with the result in Python 3.11.
            async with asyncio.timeout(timeout):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise WorkerTimeout(f"no reply within {timeout:g} s") from None
        except ValueError:
            raise WorkerDied(f"a reply of more than {MAX_REPLY_BYTES} bytes") from None
        if not line.endswith(b"\n"):
            await self._wait_for_exit()
            raise WorkerDied(self._exit_reason())
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise WorkerDied("a reply that is not a JSON object")
        return reply

    async def _wait_for_exit(self) -> None:
        """Give the process a second to exit, so its exit status is its own and not a kill's."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._process.wait()
        await self.kill()

    def _exit_reason(self) -> str:
        """Return the exit status and the last line of stderr."""
        tail = self._stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1]
        return f"exit status {self._process.returncode}" + (f": {tail}" if tail else "")

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(65536):
            self._stderr += chunk
            del self._stderr[:-STDERR_TAIL_BYTES]

    async def kill(self) -> None:
        """Kill the process and wait until it is gone; idempotent."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()
        await asyncio.wait({self._stderr_reader}, timeout=1)
        shutil.rmtree(self._folder, ignore_errors=True)
