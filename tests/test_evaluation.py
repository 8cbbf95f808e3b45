"""rgenv/evaluation.py: the numbers of an evaluation."""

import pytest

from rgenv.evaluation import metrics, score_table, scores_by_task


def sample(task: str, score: float, verdict: str = "scored") -> dict:
    return {"task": task, "score": score, "correct": score >= 0.5, "verdict": verdict}


SAMPLES = [
    sample("gcd", 1.0), sample("gcd", 0.0, "no_answer"), sample("lcm", 0.6),
    {"task": "lcm", "error": "timeout"},
]  # fmt: skip


def test_failed_items_are_counted_and_not_averaged() -> None:
    """Overall numbers are over what was scored."""
    out = metrics(SAMPLES)
    assert out["eval/errors"] == 1
    assert out["eval/percent_correct"] == pytest.approx(2 / 3)
    assert out["eval/mean_score"] == pytest.approx(1.6 / 3)


def test_every_task_and_verdict_has_its_number() -> None:
    """By task, and what became of the answers."""
    out = metrics(SAMPLES)
    assert out["eval/gcd/score"] == 0.5 and out["eval/lcm/score"] == 0.6
    assert out["eval/verdicts/scored"] == 2 and out["eval/verdicts/gcd/no_answer"] == 1


def test_an_evaluation_in_which_everything_failed_still_has_numbers() -> None:
    """No division by nothing."""
    assert metrics([{"task": "gcd", "error": "x"}]) == {
        "eval/errors": 1, "eval/percent_correct": 0.0,
    }  # fmt: skip
    assert scores_by_task([]) == {}
    assert score_table([]).endswith("all       0       0.000")


def test_the_table_ends_with_the_mean_over_items() -> None:
    """A line a task, with its number of items; tasks weigh by their items."""
    lines = score_table(SAMPLES).splitlines()
    assert lines[2].split() == ["gcd", "2", "0.500"]
    assert lines[-1].split() == ["all", "3", "0.533"]
