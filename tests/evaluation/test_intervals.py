from collections.abc import Iterable

import numpy as np
import pytest

from rgenv.evaluation.intervals import Sampled, Stratum, difference, interval

RUNS = 200
ERROR = 0.04
"""Two and a half standard errors of a coverage of 95 % in so many runs."""


def completions(
    shares: Iterable[float], problems: int, each: int, correlation: float, rng: np.random.Generator
) -> list[Stratum]:
    """Draw a stratum for each share: the solved shares of its problems."""
    strata = []
    for share in shares:
        if correlation >= 1:
            chances = (rng.random(problems) < share).astype(float)
        elif correlation > 0:
            size = 1 / correlation - 1
            chances = rng.beta(share * size, (1 - share) * size, problems)
        else:
            chances = np.full(problems, share)
        strata.append(Stratum((rng.binomial(each, chances) / each).tolist()))
    return strata


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.5])
@pytest.mark.parametrize(("problems", "each"), [(5, 4), (100, 4), (20, 8)])
@pytest.mark.parametrize("correlation", [0.2, 1.0])
def test_completions_of_a_problem_may_be_correlated(
    share: float, problems: int, each: int, correlation: float
) -> None:
    """The coverage is at least .90 for any correlation within a problem."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(RUNS):
        found = interval(completions([share], problems, each, correlation, rng), completions=each)
        covered += found.low <= share <= found.high
    assert covered / RUNS >= 0.90 - ERROR / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "shares",
    [np.linspace(0.02, 0.98, 105), np.where(np.arange(105) % 2, 0.02, 0.98)],
    ids=["spread", "extremes"],
)
def test_some_of_the_tasks_speak_for_all(shares: np.ndarray) -> None:
    """With 20 of 105 tasks, the interval covers the mean of all of them in 95 %."""
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(RUNS):
        strata = completions(rng.choice(shares, 20, replace=False), 10, 1, 0, rng)
        found = interval(strata, sampled=Sampled([[stratum] for stratum in strata], of=105))
        covered += found.low <= shares.mean() <= found.high
    assert abs(covered / RUNS - 0.95) <= ERROR


def test_problems_that_are_alone_in_their_stratum_are_taken_together() -> None:
    """Nothing is known of the noise within such strata."""
    values = [1.0] * 30 + [0.0] * 70
    alone = interval([Stratum([value]) for value in values])
    assert alone == pytest.approx(interval([Stratum(values)]), abs=1e-6)


@pytest.mark.parametrize(("win", "loss"), [(0.02, 0.02), (0.1, 0.3), (0.4, 0.05), (0.0, 0.0)])
@pytest.mark.parametrize("problems", [10, 300])
def test_a_change_covers_95_percent(win: float, loss: float, problems: int) -> None:
    """Problems are won, lost or equal; the coverage is never much too small."""
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(RUNS):
        results = rng.choice([1, -1, 0], problems, p=[win, loss, 1 - win - loss])
        gains, losses = (interval([Stratum((results == s).astype(float))]) for s in (1, -1))
        found = difference(gains, losses)
        covered += found.low <= win - loss <= found.high
    assert covered / RUNS >= 0.95 - ERROR
