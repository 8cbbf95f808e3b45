"""Programs that run in place of rgenv.worker, for tests of the parent's side."""

import json
from pathlib import Path

from rgenv.worker.protocol import WorkerSettings
from tests.support.paths import ROOT

GREETING = {"ready": True, "version": "0", "tasks": {}, "fixed": [], "layers": ["seccomp"]}
HANDSHAKE = f"print({json.dumps(GREETING)!r}, flush=True)\n"

TEMPLATE = f"""
import json, os, socket, sys, time
from rgenv.worker import template
if len(sys.argv) > 2:
    print({json.dumps(GREETING)!r}, flush=True)
    passing = socket.socket(fileno=int(sys.argv[2]))
    replies = os.fdopen(os.dup(1), "wb")
    if not template.serve(sys.stdin.buffer, replies, passing, prepare=print):
        sys.exit()
"""
"""Forks workers, each of which goes on with the program, like rgenv.worker."""


def worker_program(folder: Path, body: str) -> WorkerSettings:
    """Return settings with which workers run `body` in place of rgenv.worker."""
    package = folder / "rgenv"
    (package / "worker").mkdir(parents=True)
    (package / "__init__.py").touch()
    real = str(ROOT / "rgenv" / "worker")
    (package / "worker" / "__init__.py").write_text(f"__path__.append({real!r})\n")
    (package / "worker" / "__main__.py").write_text(f"{TEMPLATE}{body}\n")
    return WorkerSettings(import_path=str(folder))
