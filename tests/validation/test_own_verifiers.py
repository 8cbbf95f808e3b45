"""`validate` tells right verifiers of own tasks from wrong ones (own_verifiers.py)."""

import re
from pathlib import Path

import pytest

from rgenv.cli.validate import main

pytestmark = pytest.mark.slow

MODULE = Path(__file__).with_name("own_verifiers.py")
RIGHT, WRONG = 7, 16


def test_wrong_verifiers_are_told_from_right_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """At most one wrong verifier is called healthy, and no right one unhealthy."""
    assert main(["--task-modules", str(MODULE), "--levels", "none"]) == 1
    out = capsys.readouterr().out
    unhealthy = set(re.findall(r"^own_(\w+) .*UNHEALTHY", out, re.M))
    wrong = set(re.findall(r'^    "(\w+)": \(', MODULE.read_text().split("WRONG: ")[1], re.M))
    assert len(wrong) == WRONG and unhealthy <= wrong and len(wrong - unhealthy) <= 1, out
    assert f"{RIGHT + WRONG} tasks, {10 * (RIGHT + WRONG)} problems" in out
