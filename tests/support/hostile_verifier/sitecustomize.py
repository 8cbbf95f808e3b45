"""Register the task ``probe`` in a real worker, whose verifier misbehaves as a test demands.

Put this folder on the worker's import path; Python imports ``sitecustomize`` at start-up. An answer
to ``probe`` names one of `ACTIONS`, and its result is the score. ``config={"on_make": NAME}`` runs
an action while the problem is made.
"""

import gc
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import register_dataset


def report(fact: str) -> float:
    """Tell the test a fact: the reply contains the message of an exception."""
    raise RuntimeError(fact)


def hang() -> float:
    while True:
        time.sleep(0.1)


def hang_deaf() -> float:
    """Loop for ever in C and swallow every exception, as a bare ``except:`` does."""
    while True:
        try:
            sum(range(10**8))
        except BaseException:
            continue


def write_everywhere(data: bytes) -> float:
    """Write `data` to every descriptor, the reply pipe included."""
    for number in range(3, 64):
        try:
            os.write(number, data)
        except OSError:
            continue
    return 0.0


def reply_to_all() -> float:
    """Write perfect scores with every id that is somewhere in this process."""
    ids = {found["id"] for found in gc.get_objects() if type(found) is dict and "id" in found}
    for asked_id in ids:
        reply = {"id": asked_id, "raw": 1.0, "tagged": 1.0}
        write_everywhere(json.dumps(reply).encode() + b"\n")
    return 0.0


ACTIONS: dict[str, Callable[[], Any]] = {
    "right": lambda: 1.0,
    "half": lambda: 0.5,
    "wrong": lambda: 0.0,
    "three": lambda: 3.0,
    "negative": lambda: -1.0,
    "inf": lambda: float("inf"),
    "raise": lambda: 1 / 0,
    "slow": lambda: time.sleep(0.5) or 1.0,
    "environment": lambda: report(json.dumps(dict(os.environ))),
    "folder": lambda: report(os.getcwd()),
    "reply_to_all": reply_to_all,
    "hang": hang,
    "hang_deaf": hang_deaf,
}


@dataclass
class ProbeConfig:
    size: int = 1
    seed: int = 0
    on_make: str = "right"

    def validate(self) -> None:
        """Accept everything."""


class ProbeDataset(ProceduralDataset):
    __module__ = "reasoning_gym.probes"  # its category, ``probes``, is read from here

    def __init__(self, config: ProbeConfig) -> None:
        self.config = config

    def __getitem__(self, _index: int) -> dict[str, Any]:
        """Run the action `on_make`, then return the entry."""
        ACTIONS[self.config.on_make]()
        number = Random(self.config.seed).randrange(10**9)
        return {
            "question": f"{number} ?",
            "answer": "right",
            "metadata": {"source_dataset": "probe", "pid": os.getpid()},
        }

    def score_answer(self, answer: str, entry: dict[str, Any]) -> Any:
        """Run the action that the answer names; its tagged form scores 0.0."""
        if answer.startswith("<answer>"):
            return 0.0
        return ACTIONS[answer]()


register_dataset("probe", ProbeDataset, ProbeConfig)
