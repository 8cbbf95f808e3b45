"""rgenv/worker/stub_imports.py: stubbed packages can be imported and are empty."""

import subprocess
import sys

from rgenv.pool.process import worker_environment

PROGRAM = """
from rgenv.worker.stub_imports import stub_packages
stub_packages("wave", "xml")
import wave
import xml.etree.ElementTree as tree
from xml.dom import minidom
import json.decoder
print(wave.open, tree.parse, minidom, tree.__name__, json.decoder.JSONDecoder)
print(hasattr(wave, "__file__"), hasattr(json, "__file__"))
"""

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


def test_stubbed_packages_are_empty_and_others_are_not() -> None:
    """Submodules of a stubbed package can be imported, its names are None, no file is read."""
    assert run(PROGRAM).stdout.splitlines() == [
        "None None None xml.etree.ElementTree <class 'json.decoder.JSONDecoder'>",
        "False True",
    ]


def test_a_worker_does_not_load_matplotlib() -> None:
    """In a worker process matplotlib is a stub."""
    assert run(WORKER).stderr.splitlines()[-1] == "loaded: False"
