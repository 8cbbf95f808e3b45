"""Programs that run in place of rgenv.worker, for tests of the parent's side."""

from pathlib import Path

from rgenv.worker.protocol import WorkerSettings

HANDSHAKE = "print(json.dumps({'ready': True}), flush=True)\n"
IDLE = HANDSHAKE + "sys.stdin.read()"
"""Starts and does nothing until its stdin is closed."""
ECHO = HANDSHAKE + "for line in sys.stdin:\n    print(line, end='', flush=True)"
"""Replies to each request with the request."""


def worker_program(folder: Path, body: str) -> WorkerSettings:
    """Return settings with which a worker process runs `body` in place of rgenv.worker."""
    package = folder / "rgenv"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "worker.py").write_text(f"import json, os, sys, time\n{body}\n")
    return WorkerSettings(import_path=str(folder))
