"""Runs are bounded and leave nothing behind."""

import decimal
import random
import signal
import sys
from typing import Any

import numpy
import pytest

from rgenv.tasks.programs import running
from rgenv.tasks.programs.running import ProgramFailed, compiled, run, run_freely
from tests.support.timing import processor_seconds


def result(body: str, **kwargs: Any) -> Any:
    names = ", ".join(kwargs)
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return run(compiled(f"def main_solution({names}):\n{lines}"), "main_solution", **kwargs)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return n * n", 49),
        ("return [i for i in range(n) if i % 2]", [1, 3, 5]),
        ("'''Text.'''\nreturn (lambda x: x + 1)(n)", 8),
        (
            "total = 0\nwhile n:\n    n -= 1\n    total += n\nelse:\n    total += 1\nreturn total",
            22,
        ),
        ("import numpy as np\nreturn np.std(np.arange(n)).item()", 2.0),
        ("print(n)\nreturn __name__", "builtins"),
        ("from datetime import datetime\nreturn datetime.strptime('7', '%d').day", 7),
    ],
)
def test_a_program_returns_what_it_would_anywhere(body: str, expected: Any) -> None:
    """Counting steps changes no result."""
    assert result(body, n=7) == expected


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "while True:\n    try:\n        pass\n    except BaseException:\n        pass",
        "while True:\n    try:\n        1 / 0\n    except:\n        continue",
        "def f(n): return f(n - 1) + f(n - 2) if n > 1 else 1\nreturn f(90)",
        "f = lambda n: f(n - 1) + f(n - 2) if n > 1 else 1\nreturn f(90)",
        "def f(n): return f(n + 1)\nreturn f(0)",
        "return [i for i in range(10**12)]",
        "return sum(i for i in range(10**12))",
        "import re\nreturn re.match('(a+)+$', 'a' * 40 + 'b')",
        "import itertools\nreturn max(x for x in itertools.count())",
        "return 7 ** (7 ** 9)",
        "return int('9' * 10_000)",
        "raise SystemExit",
        "raise KeyboardInterrupt",
        "return missing",
        "import os",
        "import subprocess",
        "return open('/etc/passwd').read()",
        "return eval('1')",
        "return __import__('os')",
        "return print.__globals__['builtins']['no such name']",
    ],
)
def test_a_run_ends(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Endless loops, recursion, large numbers, searches and forbidden names fail in time."""
    monkeypatch.setattr(running, "MAX_SECONDS", 0.5)
    with processor_seconds(5), pytest.raises(ProgramFailed):
        result(body)


def test_steps_do_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of as many steps as are allowed returns, and one of more fails, also if time stands."""
    monkeypatch.setattr(running, "MAX_STEPS", 101)
    monkeypatch.setattr(running, "MAX_SECONDS", 1_000.0)
    assert result("for i in range(n): pass\nreturn i", n=100) == 99
    with pytest.raises(ProgramFailed, match="steps"):
        result("for i in range(n): pass\nreturn i", n=101)


def test_a_run_leaves_global_state_alone() -> None:
    """Random generators, decimals, limits and signal handlers are as before."""
    random.seed(1)
    numpy.random.seed(1)
    states = random.getstate(), numpy.random.get_state()[1].tolist()  # type: ignore[index]
    handler, limit = signal.getsignal(signal.SIGPROF), sys.getrecursionlimit()
    precision = decimal.getcontext().prec
    body = "import random, decimal, numpy\nrandom.seed(7)\nnumpy.random.seed(7)\n"
    body += "decimal.getcontext().prec = 99\nreturn random.random()"
    assert result(body) == result(body)
    assert states == (random.getstate(), numpy.random.get_state()[1].tolist())  # type: ignore[index]
    assert (handler, limit) == (signal.getsignal(signal.SIGPROF), sys.getrecursionlimit())
    assert decimal.getcontext().prec == precision
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_run_keeps_nothing_for_the_next() -> None:
    """Each run has global names of its own."""
    code = compiled("seen = []\ndef main_solution(n):\n    seen.append(n)\n    return seen")
    assert [run(code, "main_solution", n=n) for n in (1, 2)] == [[1], [2]]


def test_the_librarys_own_input_runs_freely() -> None:
    """Nothing is limited, and an exception of any kind is one failure."""
    source = "import os\ndef main_solution(n):\n    return os.path.join('a', n)"
    assert run_freely(source, "main_solution", n="b") == "a/b"
    with pytest.raises(ProgramFailed):
        run_freely("raise SystemExit", "main_solution")
