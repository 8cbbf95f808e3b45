"""A child process that makes items of one task, under a time limit.

with ItemMaker("gcd", timeout=20) as maker:
    record = maker.make(level=0.5, seed=7)
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from benchmarks.harness import Json

PROGRAM = Path(__file__).with_name("make_items.py")
IMPORT_SECONDS = 60.0
"""Additional seconds for the first item, before which the child imports the library."""


class ItemMaker:
    """Starts the child when it is needed, and again after it died or exceeded the limit.

    Args:
        timeout: seconds that one item may take.
    """

    def __init__(self, task: str, timeout: float) -> None:
        self.task = task
        self.timeout = timeout
        self._folder = tempfile.TemporaryDirectory()  # some of codeio's programs write files
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> ItemMaker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()
        self._folder.cleanup()

    def make(self, **recipe: float) -> Json:
        """Make one item and return its record, which has only ``error`` if there is no item.

        Args:
            recipe: ``seed`` and ``level``.
        """
        limit = self.timeout if self._process else self.timeout + IMPORT_SECONDS
        process = self._process = self._process or self._start()
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(recipe) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], limit)
        line = process.stdout.readline() if ready else ""
        if not line:
            self._stop()
        reply = json.loads(line) if line else {"error": f"died, or killed after {limit:g} s"}
        return {"task": self.task, **recipe, **reply}

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(PROGRAM), self.task],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"},
            cwd=self._folder.name,
        )

    def _stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
        self._process = None
