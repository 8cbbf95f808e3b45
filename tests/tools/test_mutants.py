"""tools/mutants.py: a tree whose tests see one of its functions and not the other."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tools.mutations import mutants_of, same

pytestmark = pytest.mark.soak

TOY = """
def larger(a: int, b: int) -> int:
    return a if a > b else b


def unseen(a: int) -> int:
    return a + 1
"""
TEST = """
from rgenv.toy import larger, unseen


def test_larger():
    assert (larger(1, 2), larger(2, 1)) == (2, 2)
    unseen(1)
"""


def tree(folder: Path) -> Path:
    """Write a tree with one module and its test."""
    files = {"rgenv/__init__.py": "", "rgenv/toy.py": TOY, "tests/test_toy.py": TEST}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def test_survivors_are_those_that_no_test_sees(tmp_path: Path) -> None:
    """Faults of a tested function are caught, those of the other survive; a second run tries none.

    `larger` has one fault that changes nothing: it may return either of two equal numbers.
    """
    root, summary = tree(tmp_path / "tree"), tmp_path / "summary.json"
    command = [sys.executable, "-m", "tools.mutants", "--root", str(root), "--number", "10"]
    command += ["--draw", str(tmp_path / "draw.json"), "--results", str(tmp_path / "results")]
    for tried in (True, False):
        done = subprocess.run(
            [*command, "--summary", str(summary)],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        assert ("caught (failed) tests/test_toy.py::test_larger" in done.stdout) is tried
        found = json.loads(summary.read_text())
        assert found["tried"] == found["drawn"] == 2  # one a line
        assert [one["function"] for one in found["survivors"]] == ["unseen"]
    assert (root / "rgenv" / "toy.py").read_text() == TOY


def test_a_mutant_is_found_again_where_its_function_has_moved() -> None:
    """Another file, class and line make no difference; another line of code does."""
    [saved] = [
        m for m in mutants_of("rgenv/toy.py", TOY.encode()) if m.before == ">=" or m.after == ">="
    ]
    moved = "class Numbers:\n" + TOY.replace("\n", "\n    ")
    again = same(saved, mutants_of("rgenv/other.py", moved.encode()))
    assert again is not None and (again.function, again.line) == ("Numbers.larger", 4)
    assert (
        same(saved, mutants_of("rgenv/other.py", moved.replace("a > b", "a > b + 0").encode()))
        is None
    )
