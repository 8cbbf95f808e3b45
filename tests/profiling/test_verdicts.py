"""rgenv/profiling/verdicts.py: what completions show, and how often that is wrong."""

import random
from typing import Any

import pytest

from rgenv.profiling.verdicts import (
    ERROR,
    STAGE,
    Counts,
    Verdict,
    alive_above,
    dead_below,
    guessed_below,
    verdict,
)

pytestmark = pytest.mark.slow

DEAD, ALIVE = dead_below(8), alive_above(8)
MOST = 200
"""Completions of a simulated cell: more than a profile takes, so more looks that may go wrong."""


def walk(
    rng: random.Random, right: float, *, cut: float = 0.0, broken: float = 0.0, blind: float = 0.0
) -> tuple[Verdict | None, int]:
    """Ask a cell stage by stage until it has a verdict; return it and the completions."""
    found = Counts()
    while found.trials < MOST:
        draws = [rng.random() for _ in range(STAGE)]
        rights = sum(x < right for x in draws)
        cuts = sum(right <= x < right + cut for x in draws)
        breaks = sum(right + cut <= x < right + cut + broken for x in draws)
        found = Counts(
            found.trials + STAGE, found.right + rights, found.cut + cuts, found.broken + breaks
        )
        if (now := verdict(found, group_size=8, blind=blind)) is not None:
            return now, found.trials
    return None, found.trials


def rate(wrong: Verdict, runs: int = 600, **cell: float) -> float:
    """Return the share of simulated cells that get a verdict."""
    rng = random.Random(7)
    return sum(walk(rng, **cell)[0] == wrong for _ in range(runs)) / runs


@pytest.mark.parametrize(
    ("wrong", "cell"),
    [
        ("dead", {"right": DEAD}),
        ("dead", {"right": 2 * DEAD}),
        ("mastered", {"right": 1 - DEAD}),
        ("learnable", {"right": ALIVE}),
        ("learnable", {"right": 1 - ALIVE}),
        ("learnable", {"right": 0.5, "blind": 0.5}),
        ("learnable", {"right": 0.12, "blind": 0.12}),
        ("guessable", {"right": guessed_below(0.5), "blind": 0.5}),
        ("guessable", {"right": guessed_below(0.12), "blind": 0.12}),
        ("broken format", {"right": 0.0, "broken": 0.5}),
        ("too long", {"right": 0.0, "cut": 0.5}),
    ],
)
def test_a_wrong_verdict_is_as_rare_as_promised(wrong: Verdict, cell: dict[str, float]) -> None:
    """Just where it begins to be wrong, its rate is at most the error, with many looks."""
    slack = 3 * (ERROR * (1 - ERROR) / 600) ** 0.5
    assert rate(wrong, **cell) <= ERROR + slack


@pytest.mark.parametrize(
    ("expected", "cell", "most"),
    [
        ("dead", {"right": 0.0}, 40),
        ("mastered", {"right": 1.0}, 40),
        ("learnable", {"right": 0.5}, 24),
        ("learnable", {"right": 0.25}, 40),
        ("learnable", {"right": 0.8, "blind": 0.5}, 64),
        ("dead", {"right": 0.0, "blind": 0.5}, 8),
        ("dead", {"right": 0.0, "blind": 0.12}, 40),
        ("dead", {"right": 0.25, "blind": 0.5}, 24),
        ("broken format", {"right": 0.0, "broken": 1.0}, 8),
        ("too long", {"right": 0.0, "cut": 1.0}, 8),
    ],
)
def test_a_clear_case_is_found_soon(expected: Verdict, cell: dict[str, float], most: int) -> None:
    """Nine of ten such cells get the right verdict, and half of them within so many completions."""
    rng = random.Random(3)
    walks = [walk(rng, **cell) for _ in range(200)]
    assert sum(found == expected for found, _ in walks) >= 180
    assert sorted(asked for _, asked in walks)[100] <= most


def test_groups_decide_what_is_dead() -> None:
    """Larger groups have a right completion more often; the border is where half of them do."""
    assert pytest.approx(0.5) == 1 - (1 - DEAD) ** 8
    assert dead_below(4) > DEAD > dead_below(64)


def sample(**changes: Any) -> dict[str, Any]:
    values = {"score": 1.0, "verdict": "scored", "finish_reason": "stop", "completion_tokens": 10}
    return {**values, **changes}


def test_samples_are_counted_by_what_became_of_them() -> None:
    """A cut completion is not right, and what says nothing about the model is no trial."""
    samples = [
        sample(),
        sample(score=0.5),
        sample(finish_reason="length"),
        sample(score=0.0, verdict="no_answer", finish_reason="length"),
        sample(score=0.0, verdict="no_answer"),
        sample(score=0.0, verdict="timeout"),
        {"error": "refused"},
    ]
    found = Counts.of(samples) + Counts(failed=1)
    assert found == Counts(trials=5, right=1, cut=2, broken=1, failed=3, tokens=60)
    assert found.share == 0.2


def test_a_cell_fails_if_more_fails_than_works() -> None:
    """Not before five failures."""
    assert verdict(Counts(trials=0, failed=4), group_size=8, blind=0.0) is None
    assert verdict(Counts(trials=4, failed=5), group_size=8, blind=0.0) == "failed"
    assert verdict(Counts(trials=8, right=4, failed=5), group_size=8, blind=0.0) == "learnable"
