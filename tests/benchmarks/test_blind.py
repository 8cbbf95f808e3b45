"""The measurement of blind policies."""

import pytest

from benchmarks.blind import measure, parse_options
from rgenv.worker.problem_maker import ProblemMaker


@pytest.mark.parametrize(
    ("task", "level", "share"),
    [("syllogism", 0.5, 0.5), ("gcd", 0.0, 0.3), ("chain_sum", 1.0, 0.0), ("lcm", None, 0.0)],
)
def test_a_constant_earns_the_share_of_its_label(
    task: str, level: float | None, share: float
) -> None:
    """It is what selection gives the most frequent label; nothing where answers are many."""
    options = parse_options(["--problems", "60"])
    assert measure(ProblemMaker(strict=True), task, level, options) == pytest.approx(share, abs=0.1)
