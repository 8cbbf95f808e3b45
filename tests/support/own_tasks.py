"""A user's own task in one file, whose verifier fails in many ways when it is asked to."""

from pathlib import Path

WHOLE = '''"""Numbers backwards."""

import ast
import json
import io
import marshal
import os
import pickle
import signal
import socket
import sys
import time
import types
from dataclasses import dataclass
from importlib import machinery
from random import Random

from reasoning_gym.coaching import BaseCurriculum, RangeAttributeDefinition
from reasoning_gym.factory import ProceduralDataset, register_dataset

from rgenv.tasks.record import Task


@dataclass
class BackwardsConfig:
    min_digits: int = 6
    max_digits: int = 9
    seed: int | None = None
    size: int = 500


class BackwardsDataset(ProceduralDataset):
    """Write a number backwards."""

    def __init__(self, config):
        super().__init__(config=config, seed=config.seed, size=config.size)

    def __getitem__(self, idx):
        rng = Random(self.seed + idx)
        digits = rng.randint(self.config.min_digits, self.config.max_digits)
        number = str(rng.randrange(10 ** (digits - 1), 10**digits))
        return {"question": f"Write {number} backwards.", "answer": number[::-1], "metadata": {}}

    def score_answer(self, answer, entry):
        return FAULTS[answer]() if answer in FAULTS else float(answer == entry["answer"])


def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def say(fact):
    """Tell a test a fact: the reply contains the message of an exception."""
    raise RuntimeError(fact)


CODE = marshal.dumps(compile("1.0", "<x>", "eval"))

FAULTS = {
    "half": lambda: 0.5,
    "three": lambda: 3.0,
    "negative": lambda: -1.0,
    "slow": lambda: time.sleep(0.5) or 1.0,
    "environment": lambda: say(str(dict(os.environ))),
    "hang": hang,
    "raise": lambda: [][0],
    "quote": lambda: say("what is \\ud800?"),
    "recurse": lambda: FAULTS["recurse"]() + 1,
    "exit": lambda: sys.exit(0),
    "exit at once": lambda: os._exit(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "interrupt": lambda: signal.raise_signal(signal.SIGTERM),
    "print": lambda: print("1.0", flush=True) or os.write(1, b"1.0") * 0.0,
    "write": lambda: open("here.txt", "w").write("x"),
    "read": lambda: len(open("/etc/passwd").read()) > 0,
    "read itself": lambda: len(open(__file__).read()) > 0,
    "fork": lambda: os.fork() >= 0,
    "shell": lambda: os.system("true") == 0,
    "connect": lambda: bool(socket.create_connection(("127.0.0.1", 1))),
    "execute": lambda: eval("1.0"),
    "compile": lambda: compile("1.0", "answer.py", "eval") is not None,
    "under its name": lambda: exec(compile("1.0", __file__, "exec")),
    "bytecode": lambda: types.FunctionType(marshal.loads(CODE), {})(),
    "bytecode of a file": lambda: types.FunctionType(marshal.load(io.BytesIO(CODE)), {})(),
    "other constants": lambda: types.FunctionType(hang.__code__.replace(co_consts=(1.0,)), {}),
    "pickled": lambda: pickle.loads(pickle.dumps(len))("1"),
    "a module": lambda: machinery.SourceFileLoader("a", "a.py").source_to_code("1.0", "a.py"),
    "parse": lambda: float(ast.unparse(ast.parse("1.0"))) * ast.literal_eval("1.0"),
    "import": lambda: float(bool(__import__("sched").Event)),
    "fill": lambda: len(bytearray(1 << 40)),
    "nan": lambda: float("nan"),
    "none": lambda: None,
    "text": lambda: "1.0",
    "true": lambda: True,
}


class BackwardsCurriculum(BaseCurriculum):
    def __init__(self):
        super().__init__("BackwardsCurriculum", BackwardsConfig)
        self._define_attributes(
            RangeAttributeDefinition(
                name="digits",
                levels=[2, 4, 8, 16],
                lower_field_name="min_digits",
                upper_field_name="max_digits",
            )
        )


register_dataset("backwards", BackwardsDataset, BackwardsConfig, BackwardsCurriculum)
'''


def write(folder: Path, text: str = WHOLE, name: str = "my_tasks.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
