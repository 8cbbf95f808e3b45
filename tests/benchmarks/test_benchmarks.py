"""Each program of benchmarks/ runs with the smallest settings and prints JSON."""

import json

import pytest

from tests.support.programs import run_python

pytestmark = pytest.mark.soak

WORDS = {
    "blind": "--tasks gcd --problems 5",
    "labels": "--tasks spell_backward gcd --items 20",
}
"""Program -> options. test_faults.py has `faults`; the others take long."""


@pytest.mark.parametrize("name", WORDS)
def test_a_benchmark_runs(name: str) -> None:
    """It ends well, and its last lines are JSON."""
    done = run_python(f"benchmarks/{name}.py", *WORDS[name].split())
    assert json.loads(done.stdout)
