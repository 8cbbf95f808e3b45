"""Exchange JSON lines with a real worker program, without a pool."""

from __future__ import annotations

import json
from typing import Any

from rgenv.pool.process import worker_environment
from tests.support.programs import run_python

NO_ID = "none"


def exchange(*requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Start a worker, send `requests`, and return all replies, the greeting first.

    Requests without ids get some, and their replies come without them. Fails if the worker does not
    end cleanly when its stdin is closed.
    """
    given = "".join(json.dumps({"ids": no_ids(one), **one}) + "\n" for one in requests)
    done = run_python("-m", "rgenv.worker", "{}", given=given, env=worker_environment())
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return [reply if reply.get("id") != NO_ID else unlabelled(reply) for reply in replies]


def no_ids(request: dict[str, Any]) -> list[str]:
    return [NO_ID] * (1 + len(request.get("answers", ())))


def unlabelled(reply: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if name != "id"}
