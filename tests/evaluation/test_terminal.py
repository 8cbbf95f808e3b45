"""Tests of rgenv/evaluation/terminal.py."""

from pathlib import Path
from typing import Any

from rgenv.evaluation.compare import EarlierRun, compare_runs
from rgenv.evaluation.evaluate import Evaluation
from rgenv.evaluation.metrics import metrics
from rgenv.evaluation.terminal import closing_line, comparison_text, report, score_table
from rgenv.types import Sample
from tests.support.samples import run_of, sample


def finished(samples: list[Sample], folder: Path | None = None, **about: Any) -> Evaluation:
    described = {"model": "m", "items": len(samples), **about}
    return Evaluation(described, samples, metrics(samples), folder, seconds=12.4)


def cells_of(samples: list[Sample]) -> list[list[str]]:
    return [line.split() for line in score_table(samples, metrics(samples)).splitlines()]


def test_the_table_has_a_line_for_each_task_below_its_category() -> None:
    """Two totals follow; columns are problems, accuracy, interval, blind, format and truncated."""
    cells = cells_of([*run_of(1.0, 0.5), sample("lcm", 0, 1.0), sample("maze", 0, 0.0)])
    assert cells[0][-3:] == ["blind", "format", "truncated"]
    assert [row[0] for row in cells[2:7]] == ["arithmetic", "gcd", "lcm", "games", "maze"]
    assert cells[2][1:3] == ["3", "0.667"] and cells[3][1:3] == ["2", "0.500"]
    assert cells[7][:5] == ["all", "tasks", "(macro)", "4", "0.500"]
    assert cells[9][:5] == ["all", "problems", "(micro)", "4", "0.500"]
    assert cells[10][:4] == ["Between", "two", "runs", "of"]


def test_the_closing_line_has_the_result_and_where_the_report_is(tmp_path: Path) -> None:
    """Both means, samples, failures, seconds, and the path of report.html."""
    line = closing_line(finished([*run_of(1.0, 0.0), sample("maze", 0, 1.0)], tmp_path))
    assert line == (
        "Accuracy 0.750 by task (macro), 0.667 by problem (micro); 3 samples in 12 s. "
        f"Report: {tmp_path / 'report.html'}"
    )
    line = closing_line(finished([*run_of(1.0, 0.0), sample(seed=5, score=None)]))
    assert line.endswith("3 samples, 1 of them failed, in 12 s.")
    assert closing_line(finished([sample(score=None)])) == (
        "No sample could be scored: 1 samples, 1 of them failed, in 12 s."
    )


def test_a_limited_set_is_called_so() -> None:
    """The closing line never gives its accuracy as that of the whole set."""
    assert "(a limited set of 2 problems)" in closing_line(finished(run_of(1.0, 0.0), limit=2))


def test_a_comparison_names_both_models_and_the_settings_that_differ() -> None:
    """Tasks that changed are listed, too."""
    old, new = run_of(*[0.0] * 40), run_of(*[1.0] * 40)
    abouts = [{"model": "a", "temperature": 0.1}, {"model": "b", "temperature": 1.0}]
    found = compare_runs(old, new, earlier_about=abouts[0], about=abouts[1])
    text = comparison_text(found, EarlierRun("evals/a", old, abouts[0]), "b")
    assert text.startswith("Compared with evals/a (model a; now b): accuracy +100.0 points (")
    assert "on 40 common problems: better." in text
    assert "Settings that differ: model a, now b; temperature 0.1, now 1.0." in text
    assert text.endswith("Tasks that got better: gcd.")
    nothing = compare_runs([], new, earlier_about=abouts[0], about=abouts[1])
    assert "no scored problem in common" in comparison_text(nothing, EarlierRun("x", []), "b")


def test_a_name_that_no_terminal_can_show_is_escaped() -> None:
    """Another program may have written it into samples.jsonl."""
    assert "\n\\ud800\\x1b" in report(finished([sample(category="\ud800\x1b")]))


def test_the_report_has_table_comparison_and_result(tmp_path: Path) -> None:
    """Without an earlier run there is no comparison."""
    run = run_of(1.0, 0.0)
    done = finished(run, tmp_path)
    earlier = EarlierRun("last", run, {"model": "m"})
    compared = Evaluation(
        done.about, run, done.metrics, tmp_path, 1.0, earlier, compare_runs(run, run)
    )
    assert "Compared with" not in report(done)
    text = report(compared)
    table, result = text.index("problems  accuracy"), text.index("Accuracy 0.500 by task")
    assert table < text.index("Compared with last") < result
