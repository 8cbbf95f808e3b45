"""Tests of rgenv/evaluation/scoring_code.py."""

import shutil
from pathlib import Path

import pytest

from rgenv.evaluation.scoring_code import PACKAGE, digest_of, scoring_version


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("worker/scoring.py", True),
        ("tasks/answers/numbers.py", True),
        ("dialogue/reading.py", True),
        ("rollouts/metrics.py", False),
    ],
)
def test_the_version_changes_with_the_code_that_scores(
    tmp_path: Path, file: str, counts: bool
) -> None:
    """A changed verifier is another version, a changed metric is not."""
    copy = tmp_path / "rgenv"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert digest_of(copy) == scoring_version()
    with (copy / file).open("a") as source:
        source.write("# changed\n")
    assert (digest_of(copy) != scoring_version()) == counts
