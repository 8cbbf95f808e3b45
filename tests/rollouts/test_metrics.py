"""rgenv/rollouts/metrics.py: training metrics and their descriptions."""

import pytest

from rgenv.evaluation.metrics import metrics as evaluation_metrics
from rgenv.rollouts.metrics import DESCRIPTIONS, Outcomes, TrainMetrics
from tests.support.metric_names import pattern_of

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
    """Correct is a score of at least 0.5, solved of 0.99; the reward includes the penalty."""
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


def test_groups_with_equal_rewards_are_not_informative() -> None:
    """The informative rate is a share of groups, the informative tokens a share of tokens."""
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


def test_each_task_and_category_has_its_rates() -> None:
    """Rates are reported for the tasks and categories that had groups since the last report."""
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


def test_verdicts_are_counted_by_kind() -> None:
    """All kinds are counted in total, and all but "scored" for each task."""
    metrics = TrainMetrics()
    for task in ("gcd", "lcm"):
        kinds = ["timeout", "scored"]
        metrics.group(task, Outcomes([0, 0], [0, 0], kinds, [False] * 2, [1, 1], [False] * 2))
    out = metrics.take()
    assert out["verdicts/timeout"] == 2 and out["verdicts/scored"] == 2
    assert out["verdicts/gcd/timeout"] == 1
    assert "verdicts/gcd/scored" not in out


def test_take_resets() -> None:
    """Metrics are reported once, and a report without groups is empty."""
    metrics = TrainMetrics()
    metrics.count("failed_groups", 3)
    assert metrics.take() == {"train/failed_groups": 3}
    assert metrics.take() == {}


def test_columns_of_different_length_are_an_error() -> None:
    """Outcomes with a missing value are refused."""
    with pytest.raises(ValueError, match="length"):
        Outcomes([1.0], [1.0], [], [False], [1], [True])


def test_every_training_metric_is_described() -> None:
    """Each name that `take` returns matches a key of DESCRIPTIONS."""
    metrics = TrainMetrics({"gcd": "arithmetic"})
    metrics.group("gcd", MIXED)
    for name in metrics.take():
        assert pattern_of(name) is not None, name


def test_every_evaluation_metric_is_described() -> None:
    """Each metric of an evaluation matches a key of DESCRIPTIONS."""
    common = {"task": "gcd", "category": "arithmetic", "level": 0.5, "question": "?"}
    answered = {"finish_reason": "stop", "completion_tokens": 9, **common}
    samples = [
        {"id": "gcd/1/0.5/0", "score": 1.0, "verdict": "scored", **answered},
        {"id": "gcd/1/0.5/1", "score": 0.0, "verdict": "timeout", **answered},
        {"id": "gcd/2/0.5/0", "error": "no reply", **common},
    ]
    for name in evaluation_metrics(samples):
        assert pattern_of(name) is not None, name


def test_a_description_is_one_sentence() -> None:
    """Each description starts with a capital letter and ends with its only full stop."""
    for name, text in DESCRIPTIONS.items():
        assert text[0].isupper() and text.endswith(".") and ". " not in text, name
