"""rgenv/rollouts/metrics.py: what is reported between two steps."""

import pytest

from rgenv.rollouts.metrics import Outcomes, TrainMetrics

MIXED = Outcomes(
    scores=[1.0, 0.5, 0.2, 0.0],
    rewards=[0.6, 0.5, 0.2, 0.0],
    kinds=["scored", "scored", "scored", "no_answer"],
    truncated=[False, False, False, True],
    tokens=[10, 20, 30, 40],
    informative=[True] * 4,
)
SOLVED = Outcomes([1.0] * 2, [1.0] * 2, ["scored"] * 2, [False] * 2, [150] * 2, [False] * 2)


def test_rates_are_shares_of_completions() -> None:
    """Correct means at least 0.5, solved 0.99; the reward is what is left after penalties."""
    metrics = TrainMetrics()
    metrics.group("gcd", MIXED)
    out = metrics.take()
    assert out["train/percent_correct"] == 0.5
    for prefix in ("train", "train/gcd"):
        assert out[f"{prefix}/accuracy"] == 0.25
        assert out[f"{prefix}/score"] == pytest.approx(0.425)
        assert out[f"{prefix}/reward"] == pytest.approx(0.325)
        assert out[f"{prefix}/format_rate"] == 0.75
        assert out[f"{prefix}/truncation_rate"] == 0.25


def test_what_taught_nothing_shows() -> None:
    """Groups with different rewards are counted, and so are the tokens that were spent on them."""
    metrics = TrainMetrics()
    for _ in range(2):
        metrics.group("gcd", MIXED)
        metrics.group("lcm", SOLVED)
        metrics.group("lcm", SOLVED)
    out = metrics.take()
    assert out["train/informative_rate"] == pytest.approx(0.5)
    assert out["train/informative_tokens"] == pytest.approx(100 / 700)
    assert (out["train/gcd/informative_rate"], out["train/lcm/informative_tokens"]) == (1.0, 0.0)
    metrics.group("gcd", Outcomes([0.0], [0.0], ["no_answer"], [False], [0], [False]))
    assert metrics.take()["train/informative_tokens"] == 0.0


def test_tasks_and_categories_are_told_apart() -> None:
    """Each task since the last report has its rates, and so has each category of them."""
    metrics = TrainMetrics({"gcd": "arithmetic", "lcm": "arithmetic", "maze": "games"})
    metrics.group("gcd", MIXED)
    metrics.group("gcd", SOLVED)
    metrics.group("lcm", SOLVED)
    metrics.group("maze", SOLVED)
    metrics.group("new", SOLVED)
    out = metrics.take()
    assert out["train/gcd/accuracy"] == 0.5 and out["train/gcd/groups"] == 2
    assert out["train/category/arithmetic/accuracy"] == pytest.approx(5 / 8)
    assert out["train/category/games/accuracy"] == out["train/category/other/accuracy"] == 1.0
    metrics.group("lcm", SOLVED)
    assert not any("gcd" in name or "games" in name for name in metrics.take())


def test_every_verdict_kind_is_counted_and_trouble_is_counted_by_task() -> None:
    """Totals for all kinds; a line of its own for each task's timeouts, crashes and the like."""
    metrics = TrainMetrics()
    for task in ("gcd", "lcm"):
        kinds = ["timeout", "scored"]
        metrics.group(task, Outcomes([0, 0], [0, 0], kinds, [False] * 2, [1, 1], [False] * 2))
    out = metrics.take()
    assert out["verdicts/timeout"] == 2 and out["verdicts/scored"] == 2
    assert out["verdicts/gcd/timeout"] == 1
    assert "verdicts/gcd/scored" not in out


def test_taking_clears() -> None:
    """What was reported once is not reported again, and nothing is reported for nothing."""
    metrics = TrainMetrics()
    metrics.count("failed_groups", 3)
    assert metrics.take() == {"train/failed_groups": 3}
    assert metrics.take() == {}


def test_columns_of_different_length_are_an_error() -> None:
    """A score without its kind can't be counted."""
    with pytest.raises(ValueError, match="length"):
        Outcomes([1.0], [1.0], [], [False], [1], [True])
