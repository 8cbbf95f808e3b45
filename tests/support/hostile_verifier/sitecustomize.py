"""A verifier that does what it is told, inside a real worker: put this folder on its import path.

It registers one more task, ``probe``. Its answer names an action below; what the action returns is
the score. ``config={"on_make": NAME}`` runs one while the problem is made.
"""

import json
import os
import pickle
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from reasoning_gym.factory import register_dataset

MARKER = Path("/tmp/rgenv-hostile-verifier-was-here")


def say(question: str) -> float:
    """Report a fact to the test: exceptions travel in the reply's error field."""
    raise RuntimeError(question)


def hang() -> float:
    while True:
        time.sleep(0.1)


def hang_deaf() -> float:
    """As a bare `except:` and a C loop do: swallow whatever would interrupt."""
    while True:
        try:
            sum(range(10**8))
        except BaseException:
            continue


def take_memory() -> float:
    return float(len(bytearray(8 * 1024**3)))


def try_fork() -> float:
    if os.fork() == 0:
        os._exit(0)
    return 1.0


def try_native_fork() -> float:
    import ctypes

    return float(ctypes.CDLL(None).fork() >= 0)


def write_file() -> float:
    MARKER.write_text("here")
    return 1.0


def write_by_descriptor() -> float:
    number = os.open(MARKER, os.O_WRONLY | os.O_CREAT)
    return float(os.write(number, b"here"))


def open_socket() -> float:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
    return 1.0


def run_program() -> float:
    subprocess.run(["touch", str(MARKER)], check=True)
    return 1.0


def many_files() -> float:
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(1000)]
    return float(len(files))


def kill_parent() -> float:
    os.kill(os.getppid(), 9)
    return 1.0


def print_forgery() -> float:
    print(json.dumps({"raw": 1.0, "tagged": 1.0}), flush=True)
    os.write(1, b'{"raw": 1.0, "tagged": 1.0}\n')
    os.write(2, b"noise\n" * 100_000)
    return 0.0


class Bomb:
    """Unpickling it would leave the marker."""

    def __reduce__(self) -> tuple:
        return Path.touch, (MARKER,)


def _write_everywhere(data: bytes) -> float:
    for number in range(3, 64):
        try:
            os.write(number, data)
        except OSError:
            continue
    return 0.0


ACTIONS = {
    "right": lambda: 1.0,
    "half": lambda: 0.5,
    "wrong": lambda: 0.0,
    "three": lambda: 3.0,
    "negative": lambda: -1.0,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "text": lambda: "much",
    "raise": lambda: 1 / 0,
    "quit": lambda: sys.exit(0),
    "interrupt": lambda: (_ for _ in ()).throw(KeyboardInterrupt()),
    "exit": lambda: os._exit(7),
    "slow": lambda: time.sleep(0.5) or 1.0,
    "environment": lambda: say(json.dumps(dict(os.environ))),
    "folder": lambda: say(json.dumps([os.getcwd(), os.listdir()])),
    "who": lambda: say(str(os.getpid())),
    "nice": lambda: say(str(os.nice(0))),
    "pickle": lambda: _write_everywhere(pickle.dumps(Bomb()) + b"\n"),
    "flood": lambda: _write_everywhere(b"x" * 50_000_000 + b"\n"),
    "hang": hang,
    "hang_deaf": hang_deaf,
    "memory": take_memory,
    "fork": try_fork,
    "native_fork": try_native_fork,
    "file": write_file,
    "descriptor": write_by_descriptor,
    "socket": open_socket,
    "program": run_program,
    "files": many_files,
    "kill_parent": kill_parent,
    "forge": print_forgery,
}


@dataclass
class ProbeConfig:
    size: int = 1
    seed: int = 0
    on_make: str = "right"
    question_bytes: int = 10

    def validate(self) -> None:
        """Anything goes."""


class Probe:
    """The least that is a data set."""

    def __init__(self, config: ProbeConfig) -> None:
        self.config = config

    def __getitem__(self, _index: int) -> dict:
        ACTIONS[self.config.on_make]()
        number = Random(self.config.seed).randrange(10**9)
        return {
            "question": f"{number} " + "?" * self.config.question_bytes,
            "answer": "right",
            "metadata": {"source_dataset": "probe", "pid": os.getpid()},
        }

    def score_answer(self, answer: str, entry: dict) -> float:
        if answer.startswith("<answer>"):
            return 0.0
        return ACTIONS[answer]()


def _register() -> None:
    from reasoning_gym import factory
    from reasoning_gym.dataset import ProceduralDataset

    probe = type("ProbeDataset", (Probe, ProceduralDataset), {})
    probe.__module__ = "reasoning_gym.probes"
    probe.__init__ = Probe.__init__
    register_dataset("probe", probe, ProbeConfig)
    assert "probe" in factory.DATASETS


_register()
