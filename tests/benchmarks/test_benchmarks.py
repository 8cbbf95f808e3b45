"""Each program of benchmarks/ runs with the smallest settings and prints JSON."""

import json
import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.soak

WORDS = {
    "blind": "--tasks gcd --problems 5",
    "labels": "--tasks spell_backward gcd --items 20",
}
"""Program -> options. test_faults.py has `faults`; the others take long."""


@pytest.mark.parametrize("name", WORDS)
def test_a_benchmark_runs(name: str) -> None:
    """It ends well, and its last lines are JSON."""
    done = subprocess.run(
        [sys.executable, f"benchmarks/{name}.py", *WORDS[name].split()],
        cwd=ROOT,
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
