"""rgenv/cli/entry.py: what a command line gets without an environment."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.programs import run_python

PROGRAM = ROOT / "reasoning_gym_environment.py"
HEAVY = ("atroposlib", "transformers", "wandb", "torch", "openai", "reasoning_gym", "sympy")

QUICK = [
    (["--help"], 0),
    (["--version"], 0),
    (["serve", "--help"], 0),
    (["tasks", "arithmetic"], 0),
    ([], 2),
    (["serve", "--env.levle", "1"], 2),
    (["serve", "--config", "/no/such.yaml"], 2),
    (["tasks", "GCD"], 2),
    (["validate", "--api_key", "marked-key-4f1c"], 2),
]


@pytest.mark.parametrize(("words", "code"), QUICK)
def test_words_are_checked_before_anything_heavy_is_imported(words: list[str], code: int) -> None:
    done = run_python("-X", "importtime", str(PROGRAM), *words, check=False)
    assert done.returncode == code and "marked" not in done.stdout + done.stderr
    imports = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    names = {line.rpartition("|")[2].strip().partition(".")[0] for line in imports}
    assert "rgenv" in names and not names & set(HEAVY)


@pytest.mark.parametrize("words", ["serve --help", "tasks"])
@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [("| true", 0, b""), (">/dev/full", 1, b"output: No space left on device: make room and run")],
)
def test_standard_output_may_be_full_or_left(
    words: str, streams: str, code: int, said: bytes
) -> None:
    command = f'"{sys.executable}" "{PROGRAM}" {words} {streams}; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == code
    assert said in done.stderr and done.stderr.count(b"\n") == code


@pytest.mark.parametrize(
    ("command", "number", "code"),
    [("serve", signal.SIGTERM, 143), ("validate", signal.SIGINT, 130)],
)
def test_a_signal_before_the_imports_has_a_last_line(
    command: str, number: signal.Signals, code: int
) -> None:
    """As soon as the program handles signals, long before it works, their end is clean."""
    words = [sys.executable, str(PROGRAM), command]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as child:
        while not handles(child.pid, signal.SIGTERM):
            assert child.poll() is None
        child.send_signal(number)
        err = child.communicate()[1]
    assert (child.returncode, err) == (code, f"Ended: signal {number.name}.\n")


@pytest.mark.parametrize("program", [["-m", "rgenv"], [str(PROGRAM)]])
def test_a_python_without_the_packages_says_how_to_install_them(program: list[str]) -> None:
    done = run_python("-S", *program, "tasks", "gcd", check=False)
    assert done.returncode == 1 and "pydantic" in done.stderr and done.stderr.count("\n") == 1
    assert "source .venv/bin/activate" in done.stderr and "pip install ." in done.stderr


def handles(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    [caught] = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")]
    return bool(int(caught, 16) >> (number - 1) & 1)
