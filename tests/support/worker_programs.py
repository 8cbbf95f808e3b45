"""Programs that run in place of rgenv.worker, for tests of the parent's side."""

import json
from pathlib import Path

from rgenv.worker.protocol import WorkerSettings

GREETING = {"ready": True, "version": "0", "tasks": {}, "fixed": [], "layers": ["seccomp"]}
HANDSHAKE = f"print({json.dumps(GREETING)!r}, flush=True)\n"
IDLE = HANDSHAKE + "sys.stdin.read()"
"""Starts and does nothing until its stdin is closed."""
ECHO = (
    HANDSHAKE
    + """
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["ids"][0], "answer": request["text"]}), flush=True)
"""
)
"""Replies to each request with its text."""


def worker_program(folder: Path, body: str) -> WorkerSettings:
    """Return settings with which a worker process runs `body` in place of rgenv.worker."""
    package = folder / "rgenv"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "worker.py").write_text(f"import json, os, sys, time\n{body}\n")
    return WorkerSettings(import_path=str(folder))
