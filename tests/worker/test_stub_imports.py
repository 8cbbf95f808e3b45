"""rgenv/worker/stub_imports.py: stubbed packages can be imported and are empty."""

import subprocess
import sys

from rgenv.pool.process import worker_environment

WORKER = """
import atexit, runpy, sys
def report():
    print("loaded:", hasattr(sys.modules["matplotlib"], "__file__"), file=sys.stderr)
atexit.register(report)
sys.argv = ["rgenv.worker", "{}"]
runpy.run_module("rgenv.worker", run_name="__main__")
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in an environment like a worker's, with an empty stdin."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=worker_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_a_worker_does_not_load_matplotlib() -> None:
    """In a worker process matplotlib is a stub."""
    assert run(WORKER).stderr.splitlines()[-1] == "loaded: False"
