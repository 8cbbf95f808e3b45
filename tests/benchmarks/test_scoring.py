"""benchmarks/scoring.py: the time of scoring in two checkouts."""

from pathlib import Path

import pytest

from benchmarks.scoring import compare

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_checkout_is_as_fast_as_itself() -> None:
    """The ratio of a checkout to itself is about one."""
    result = compare(ROOT, ["gcd", "maze"], rounds=2)
    assert set(result["tasks"]) == {"gcd", "maze"}
    assert 0.2 < result["total_ratio"] < 5.0
