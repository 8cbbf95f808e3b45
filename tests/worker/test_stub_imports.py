"""rgenv/worker/stub_imports.py: packages that are imported, and not loaded."""

import subprocess
import sys

from rgenv.pool.process import worker_environment

PROGRAM = """
import sys
from rgenv.worker.stub_imports import stub_packages
stub_packages("wave", "xml")
import wave
import xml.etree.ElementTree as tree
from xml.dom import minidom
import json.decoder
print(wave.open, tree.parse, minidom, tree.__name__, json.decoder.JSONDecoder)
print(hasattr(wave, "__file__"), hasattr(json, "__file__"))
"""


def output_of(program: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", program], env=worker_environment(), capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_a_package_left_out_is_empty_and_others_are_not() -> None:
    """Submodules import, names are None, nothing is read from disk; the rest is as ever."""
    assert output_of(PROGRAM) == [
        "None None None xml.etree.ElementTree <class 'json.decoder.JSONDecoder'>",
        "False True",
    ]


def test_a_worker_does_without_matplotlib() -> None:
    """Nothing of it is loaded in the program; the module itself, imported, leaves it alone."""
    program = (
        "import sys, runpy\n"
        "sys.argv = ['rgenv.worker', '{}']\n"
        "runpy.run_module('rgenv.worker', run_name='__main__')\n"
    )
    look = "import io, sys, atexit\natexit.register(lambda: print(hasattr(sys.modules['matplotlib'], '__file__'), file=sys.stderr))\n"  # noqa: E501 - one line of a program
    run = subprocess.run(
        [sys.executable, "-c", look + program],
        env=worker_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert run.stderr.splitlines()[-1] == "False"
