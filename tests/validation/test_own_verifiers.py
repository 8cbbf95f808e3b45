"""`validate` tells right tasks of a user from wrong ones (own_verifiers.py)."""

import re
from pathlib import Path

import pytest

from rgenv.cli.validate import main

pytestmark = pytest.mark.slow

MODULE = Path(__file__).with_name("own_verifiers.py")
RULES = {
    **{"contains": "wrong", "zero": "blind", "nan": "junk", "elsewhere": "remake"},
    **{"one_family": "record", "unknown_rule": "record", "same": "record", "hangs": "record"},
    **{"never_right": "record", "half_refused": "record"},
    **{"unsigned": "wrong", "any_key": "wrong", "any_unit": "wrong"},
    **{"ends_with": "wrong", "three_decimals": "wrong", "five": "blind"},
    **{"upside_down": "wrong", "copies": "wrong", "copies_rows": "wrong", "turned_over": "wrong"},
}
"""Wrong tasks, and a rule that each breaks."""


def test_wrong_tasks_are_told_from_right_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--task-modules", str(MODULE), "--levels", "none"]) == 1
    out = capsys.readouterr().out
    unhealthy = set(re.findall(r"^own_(\w+) .*UNHEALTHY", out, re.M))
    right, wrong = (
        set(re.findall(r'^    "(\w+)": \(', part, re.M))
        for part in MODULE.read_text().split("WRONG: ")
    )
    assert unhealthy <= wrong and len(wrong - unhealthy) <= 1, out
    for name, rule in RULES.items():
        assert re.search(rf"^own_{name}: {rule}(: .+)? at default", out, re.M), out
    assert f"\n{len(right) + len(wrong)} tasks, " in out
