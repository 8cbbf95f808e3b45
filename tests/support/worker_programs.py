"""Programs that run in place of rgenv.worker, for tests of the parent's side."""

from collections.abc import Mapping
from pathlib import Path

from rgenv.worker.protocol import WorkerSettings
from tests.support.paths import ROOT

PROGRAM = """
import json, os, signal, sys, time
import msgspec
from rgenv.worker import template
from rgenv.worker.protocol import *

replies = os.fdopen(os.dup(1), "wb")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

def write(data):
    replies.write(data)
    replies.flush()

def send(reply):
    write(msgspec.json.encode(reply) + b"\\n")

def requests():
    for line in os.fdopen(0, "rb"):
        yield json.loads(line)
"""
GREET = """
send(Greeting("0", {}, [], [], {}, {}, {}))
if not template.serve(replies, send, print):
    sys.exit()
START
send(Confined(["rlimits"], MISSING))
"""
SCRIPTED = """
for request in requests():
    seed = str(request["seed"])
    if request["op"] == "make":
        exec(request["config"].get("run", ""))
        send(Drawn(seed, seed, request["seed"], request["config"], True, False, 0, False))
    else:
        exec(request["config"].get("run", ""))
        send(Ready())
        for answer in request["answers"]:
            if answer.startswith("run "):
                exec(answer[4:])
            else:
                send(Scored(float(answer == seed), 0.0))
"""


def worker_program(folder: Path, body: str) -> WorkerSettings:
    """Return settings with which `body` runs in place of rgenv.worker, before it greets."""
    package = folder / "rgenv"
    for parts in ((), ("worker",)):
        place = package.joinpath(*parts)
        place.mkdir(parents=True)
        real = str(ROOT.joinpath("rgenv", *parts))
        (place / "__init__.py").write_text(f"__path__.append({real!r})\n")
    (package / "worker" / "__main__.py").write_text(f"{PROGRAM}{body}\n")
    return WorkerSettings(import_path=str(folder))


def scripted(
    folder: Path, start: str = "", missing: Mapping[str, tuple[str, str]] | None = None
) -> WorkerSettings:
    """Return settings of workers that start in milliseconds and do what they are told.

    Question and answer of a problem are its seed. An answer ``run CODE`` executes the code in place
    of a reply; a config ``{"run": CODE}`` before the problem is made. `start` runs in each worker
    before it is ready.
    """
    greet = GREET.replace("MISSING", repr(dict(missing or {}))).replace("START", start)
    return worker_program(folder, greet + SCRIPTED)
