"""Exchange JSON lines with a real worker program, without a pool."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from rgenv.pool.process import worker_environment
from tests.support.paths import ROOT


def exchange(*requests: dict[str, Any], settings: str = "{}") -> list[dict[str, Any]]:
    """Start a worker with `settings`, send `requests`, and return all replies, the greeting first.

    Fails if the worker does not end cleanly when its stdin is closed.
    """
    run = subprocess.run(
        [sys.executable, "-m", "rgenv.worker", settings],
        input="".join(json.dumps(request) + "\n" for request in requests),
        env=worker_environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]
