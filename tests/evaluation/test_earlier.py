"""Tests of rgenv/evaluation/earlier.py."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from rgenv.errors import BadUsage
from rgenv.evaluation.compare import compare_runs
from rgenv.evaluation.earlier import EarlierRun, chosen_run, earlier_run
from rgenv.evaluation.html_report import write
from rgenv.evaluation.metrics import metrics
from rgenv.types import Problem, Sample
from tests.support.samples import sample

PROBLEM = Problem("gcd", 0, None, {}, "gcd 0?", "12")


def save_run(
    folder: Path, samples: Sequence[Sample], *, age: float = 0, about: str = '{"model": "m"}'
) -> None:
    """Save a finished evaluation that ended `age` seconds ago."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(sample) + "\n" for sample in samples]
    (folder / "samples.jsonl").write_text("".join(lines))
    (folder / "metrics.json").write_text("{}")
    (folder / "evaluation.json").write_text(about)
    os.utime(folder / "metrics.json", (1e9 - age, 1e9 - age))


def test_the_earlier_run_is_the_newest_finished_one_with_common_samples(tmp_path: Path) -> None:
    """The run itself, runs of other problems, of other environments and unfinished ones do not
    count."""
    one, two, three = (sample(seed=seed) for seed in (1, 2, 3))
    now = tmp_path / "now"
    save_run(tmp_path / "old", [one, two], age=300)
    save_run(tmp_path / "newer", [two, three], age=200)
    save_run(tmp_path / "others", [sample(seed=8)], age=100)
    save_run(tmp_path / "foreign", [{"score": 1.0}], age=50)
    save_run(now, [one, two, three])
    save_run(tmp_path / "unfinished", [one])
    (tmp_path / "unfinished" / "metrics.json").unlink()
    ids = {s["id"] for s in (one, two, three)}
    assert earlier_run(now, ids, {"model": "m"}) == EarlierRun(
        "newer", [two, three], {"model": "m"}
    )
    assert earlier_run(now, {"gcd/77/none/0"}, {"model": "m"}) is None


def test_another_model_and_another_limit_are_compared_only_if_chosen(tmp_path: Path) -> None:
    """The newest run of the same model and limit counts, however new the others are."""
    run, now = [sample()], tmp_path / "now"
    save_run(tmp_path / "old", run, age=300)
    save_run(tmp_path / "other", run, age=200, about='{"model": "n"}')
    save_run(tmp_path / "limited", run, age=100, about='{"model": "m", "limit": 1}')
    save_run(now, run)
    ids = {run[0]["id"]}
    for about, name in (
        ({"model": "m", "limit": None}, "old"),
        ({"model": "n"}, "other"),
        ({"model": "m", "limit": 1}, "limited"),
    ):
        found = earlier_run(now, ids, about)
        assert found is not None and found.name == name
    assert earlier_run(now, ids, {"model": "unknown"}) is None
    chosen = chosen_run(tmp_path / "other", [PROBLEM], now)
    assert chosen == EarlierRun(str(tmp_path / "other"), run, {"model": "n"})
    assert chosen.model == "n"


def test_a_chosen_run_must_hold_answers_to_these_problems(tmp_path: Path) -> None:
    """The sentence says what is wrong with the folder."""
    save_run(tmp_path / "good", [sample()])
    save_run(tmp_path / "others", [sample(seed=8)])
    save_run(tmp_path / "failed", [sample(score=None)])
    (tmp_path / "file").touch()
    for name, message in (
        ("missing", "there is no evaluation"),
        ("file", "there is no evaluation"),
        ("others", "asked none of these problems"),
        ("failed", "asked none of these problems"),
        ("good", "the results of this evaluation itself"),
    ):
        with pytest.raises(BadUsage, match=f"--compare .*{name}: .*{message}"):
            chosen_run(tmp_path / name, [PROBLEM], tmp_path / "good")


def test_an_earlier_run_with_a_damaged_definition_has_unknown_settings(tmp_path: Path) -> None:
    """So it counts as scored with other verifiers, and no change is marked."""
    old = [sample(seed=seed, score=0.0) for seed in range(40)]
    new = [sample(seed=seed) for seed in range(40)]
    save_run(tmp_path / "old", old, about="{")
    earlier = chosen_run(tmp_path / "old", [PROBLEM])
    about = {"model": "m", "verifiers": "5f1c"}
    found = compare_runs(old, new, earlier_about=earlier.about, about=about)
    write(tmp_path, new, metrics(new), about, earlier=earlier, comparison=found)
    page = (tmp_path / "report.html").read_text()
    assert "No change is marked" in page and "verifiers" in page and "▲ Better" not in page
