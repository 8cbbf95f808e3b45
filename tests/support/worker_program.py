"""Exchange JSON lines with a real worker program, without a pool."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from rgenv.pool.process import worker_environment
from tests.support.paths import ROOT

NO_ID = "none"


def exchange(*requests: dict[str, Any], settings: str = "{}") -> list[dict[str, Any]]:
    """Start a worker with `settings`, send `requests`, and return all replies, the greeting first.

    Requests without an id get one, and their replies come without it. Fails if the worker does not
    end cleanly when its stdin is closed.
    """
    run = subprocess.run(
        [sys.executable, "-m", "rgenv.worker", settings],
        input="".join(json.dumps({"id": NO_ID, **line}) + "\n" for line in asked(*requests)),
        env=worker_environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    replies = [json.loads(line) for line in run.stdout.splitlines()]
    return [reply if reply.get("id") != NO_ID else unlabelled(reply) for reply in replies]


def asked(*requests: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield requests, each with the lines that ask for its further replies, if it has none yet."""
    for request in requests:
        yield request
        if "id" not in request:
            yield from ({} for _ in request.get("answers", ()))


def unlabelled(reply: dict[str, Any]) -> dict[str, Any]:
    """Return a reply without its id."""
    return {name: value for name, value in reply.items() if name != "id"}
