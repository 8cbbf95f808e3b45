"""Exchange JSON lines with a real worker program, without a pool."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from rgenv.pool.process import worker_environment
from tests.support.paths import ROOT

NO_ID = "none"


def exchange(*requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Start a worker, send `requests`, and return all replies, the greeting first.

    Requests without ids get some, and their replies come without them. Fails if the worker does not
    end cleanly when its stdin is closed.
    """
    run = subprocess.run(
        [sys.executable, "-m", "rgenv.worker", "{}"],
        input="".join(json.dumps({"ids": no_ids(one), **one}) + "\n" for one in requests),
        env=worker_environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    replies = [json.loads(line) for line in run.stdout.splitlines()]
    return [reply if reply.get("id") != NO_ID else unlabelled(reply) for reply in replies]


def no_ids(request: dict[str, Any]) -> list[str]:
    return [NO_ID] * (1 + len(request.get("answers", ())))


def unlabelled(reply: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if name != "id"}
