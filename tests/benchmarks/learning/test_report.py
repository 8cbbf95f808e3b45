"""The report of a file of results."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="arms need requirements-learn.txt")

from benchmarks.learning.report import interval, report, tokens_to
from benchmarks.learning.results import append


def run(arm: str, seed: int, skill: float) -> dict[str, Any]:
    """A run whose accuracy rises to a skill."""
    points = [
        {
            "tokens": 1000 * n,
            "accuracy": {task: [skill * n / 4] * 4 for task in ("ab", "spell_backward")},
        }
        for n in range(5)
    ]
    return {
        **{"arm": arm, "seed": seed, "fingerprint": "abc", "checkpoints": points},
        **{"before": points[0]["accuracy"], "after": points[-1]["accuracy"]},
        **{"groups": {"ab": 30, "spell_backward": 10}, "informative_groups": 20, "seconds": 60.0},
    }


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two arms on three seeds; one is better by about 0.1 on each."""
    path = tmp_path / "results.jsonl"
    for seed, luck in enumerate((0.0, 0.3, 0.1)):
        append(path, run("uniform_curriculum", seed, 0.4 + luck))
        append(path, run("ours", seed, 0.5 + luck + 0.01 * seed))
    return path


def test_differences_are_those_of_the_same_seed(results: Path) -> None:
    """What seeds share drops out: the interval is that of the differences."""
    difference = report(results)["differences"]["mean less uniform_curriculum"]["ours"]
    assert difference["seeds"] == 3 and difference["mean"] == pytest.approx(0.11)
    low, high = difference["interval"]
    assert 0.08 < low < 0.11 < high < 0.14


def test_an_interval_is_that_of_students_distribution() -> None:
    """Two values, whose 95 % interval is known."""
    assert interval([1.0, 3.0]) == {"mean": 2.0, "interval": [-10.706, 14.706]}
    assert interval([1.0])["interval"] is None


def test_tokens_to_a_skill_are_interpolated_between_checkpoints() -> None:
    """A skill that is never reached has no number."""
    assert tokens_to(run("ours", 1, 0.4), 0.25) == pytest.approx(2500)
    assert tokens_to(run("ours", 1, 0.4), 0.45) is None


def test_of_two_runs_of_a_seed_the_last_one_counts(results: Path) -> None:
    """A run of newer code takes the place of the old one."""
    append(results, run("ours", 0, 0.9))
    assert report(results)["arms"]["ours"]["seeds"] == 3
    assert report(results)["arms"]["ours"]["mean"]["mean"] > 0.7


def test_seeds_whose_arms_started_from_other_weights_are_named(results: Path) -> None:
    """Their differences are not those of the rule alone."""
    assert report(results)["seeds that did not start alike"] == []
    other = run("ours", 1, 0.8)
    other["before"]["ab"] = [0.1] * 4
    append(results, other)
    assert report(results)["seeds that did not start alike"] == [1]


def test_a_plot_is_drawn(results: Path, tmp_path: Path) -> None:
    """The plot is a PNG file."""
    report(results, plot=tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
