import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from rgenv.errors import BadUsage
from rgenv.evaluation import compare
from rgenv.evaluation.compare import EarlierRun, chosen_run, compare_runs, earlier_run
from rgenv.evaluation.eval_metrics import metrics
from rgenv.types import Problem, Sample
from tests.support.samples import run_of, sample


def compared(earlier: Sequence[Sample], now: Sequence[Sample]) -> compare.Comparison:
    return compare_runs(EarlierRun("before", earlier), now)


def test_paired_differences_find_changes_that_separate_intervals_hide() -> None:
    """One newly solved problem in five is a clear change, though the runs' intervals overlap."""
    earlier = run_of(*[1.0, 0.0] * 20)
    now = run_of(*[1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0] * 4)
    [change] = compared(earlier, now).tasks.values()
    assert change.verdict == "better" and change.change == pytest.approx(0.2)
    assert change.now - change.earlier == pytest.approx(0.2)
    assert metrics(earlier)["eval/accuracy_high"] > metrics(now)["eval/accuracy_low"]


def test_changed_tasks_are_listed_with_the_largest_change_first() -> None:
    half, right = [0.0, 1.0] * 10, [1.0] * 20
    earlier = [s for task in ("gcd", "lcm", "maze") for s in run_of(*half, task=task)]
    gcd, maze = run_of(*right), run_of(*half, task="maze")
    found = compared(earlier, [*gcd, *run_of(*[0.0] * 20, task="lcm"), *maze])
    assert found.changed_tasks("better") == ["gcd"]
    assert found.changed_tasks("worse") == ["lcm"]
    assert found.overall is not None and found.overall.change == 0
    assert found.categories["games"].change == 0
    other = compared(earlier, [*gcd, *run_of(*right[:15], task="lcm")])
    assert other.changed_tasks("better") == ["lcm", "gcd"]


def test_problems_of_another_source_are_left_out() -> None:
    now = [{**s, "source": "1"} for s in run_of(*[1.0] * 20)]
    more = [{**s, "source": "2"} for s in run_of(*[0.0] * 20, task="maze")]
    earlier = [{**s, "source": "1" if s["seed"] < 15 else "0"} for s in run_of(*[0.0] * 20)]
    before = EarlierRun("before", [*earlier, *more], {"set": "12", "items": 40})
    found = compare_runs(before, now, {"set": "1", "items": 20})
    assert found.tasks["gcd"].verdict == "better" and not found.scored_differently
    assert found.tasks["gcd"].problems == 15 and found.changed == 5
    assert list(found.settings) == ["items"] and "earlier run: 5 problems." in found.cautions[0]


def test_a_problem_has_as_many_completions_in_both_runs() -> None:
    """Where one run has more of them, or some failed, only common ones are compared."""
    one = [sample(seed=seed, score=float(seed < 10)) for seed in range(20)]
    four = [sample(seed=seed, score=float(n == 3), index=n) for seed in range(20) for n in range(4)]
    found = compared(one, [*four[4:], sample(seed=0, score=None), *four[1:4]])
    assert found.overall is not None and found.overall.problems == 19
    assert (found.overall.earlier, found.overall.now) == (pytest.approx(9 / 19), 0.0)
    assert (found.only_earlier, found.only_now) == (1, 1)


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
    one, two, three = (sample(seed=seed) for seed in (1, 2, 3))
    now = tmp_path / "now"
    save_run(tmp_path / "old", [one, two], age=300)
    save_run(tmp_path / "newer", [two, three], age=200)
    save_run(tmp_path / "others", [sample(seed=8)], age=100)
    save_run(tmp_path / "foreign", [{"score": 1.0}], age=50)
    save_run(now, [one, two, three])
    save_run(tmp_path / "unfinished", [one])
    (tmp_path / "unfinished" / "metrics.json").unlink()
    ids, about = {s["id"] for s in (one, two, three)}, {"model": "m"}
    assert earlier_run(now, ids, about) == EarlierRun("newer", [two, three], about)
    assert earlier_run(now, {"gcd/77/none/0"}, about) is None


def test_another_model_and_another_limit_are_compared_only_if_chosen(tmp_path: Path) -> None:
    run, now = [sample()], tmp_path / "now"
    save_run(tmp_path / "old", run, age=300)
    save_run(tmp_path / "other", run, age=200, about='{"model": "n"}')
    save_run(tmp_path / "limited", run, age=100, about='{"model": "m", "limit": 1}')
    save_run(tmp_path / "step-20", run, age=100, about='{"model": "s", "step": 20}')
    save_run(tmp_path / "step-90", run, age=50, about='{"model": "s", "step": 90}')
    save_run(now, run)
    ids = {run[0]["id"]}
    for about, name in (
        ({"model": "s", "step": 40}, "step-20"),
        ({"model": "m", "limit": None}, "old"),
        ({"model": "n"}, "other"),
        ({"model": "m", "limit": 1}, "limited"),
    ):
        found = earlier_run(now, ids, about)
        assert found is not None and found.name == name
    assert earlier_run(now, ids, {"model": "unknown"}) is None
    chosen = chosen_run(tmp_path / "other", [PROBLEM], now)
    assert chosen == EarlierRun(str(tmp_path / "other"), run, {"model": "n"})


def test_a_chosen_run_must_hold_answers_to_these_problems(tmp_path: Path) -> None:
    save_run(tmp_path / "good", [sample()])
    save_run(tmp_path / "others", [sample(seed=8)])
    save_run(tmp_path / "failed", [sample(score=None)])
    for name, message in (
        ("missing", "there is no evaluation"),
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
    found = compare_runs(earlier, new, about)
    [caution] = found.cautions
    assert "No change is marked" in caution and "verifiers" in caution
    assert found.overall is not None and found.overall.verdict == ""
