"""rgenv/pages/curves.py: metrics as columns."""

import json

import pytest

from rgenv.pages.curves import MAX_POINTS, Run
from rgenv.pages.group_rows import read_line
from rgenv.rollouts.saved_lines import MetricsRow
from tests.support.viewed import report


def add(run: Run, *args: float, **metrics: float) -> None:
    found = read_line(json.dumps(report(*args, **metrics)).encode(), "")  # type: ignore[arg-type]
    assert isinstance(found, MetricsRow)
    run.add(found)


def test_columns() -> None:
    run = Run()
    add(run, 1, 10.5, train__accuracy=0.5, train__gcd__accuracy=1.0, train__gcd__groups=2)
    add(run, 2, 20.5, train__accuracy=0.25, tokens__trained=7, pool__worker_restarts=1)
    assert run.columns() == {
        "steps": [1, 2],
        "merged": 1,
        "series": {"tokens/trained": [None, 7], "train/accuracy": [0.5, 0.25]},
        "tasks": {"gcd": [[1.0, None], [2, 0]]},
    }


def test_the_rest_of_a_step_is_no_point_of_its_own() -> None:
    """What is reported when a run ends covers few groups, and belongs to the report before."""
    run = Run()
    add(run, 1, 10.5, train__accuracy=0.5, train__gcd__groups=4)
    add(run, 2, 20.5, train__accuracy=0.5, train__gcd__groups=6)
    add(run, 2, 21.0, train__accuracy=1.0, train__gcd__groups=2)
    found = run.columns()
    assert found["steps"] == [1, 2] and found["series"]["train/accuracy"] == [0.5, 0.625]
    assert found["tasks"]["gcd"][1] == [4, 8] and run.last == 21.0


def test_a_long_run_is_thinned() -> None:
    run = Run()
    for step in range(4 * MAX_POINTS):
        right = step % 4 == 0
        gcd = {"train__gcd__accuracy": float(right), "train__gcd__groups": 1 + 2 * right}
        rates = {"train__accuracy": 0.25 + 0.5 * right, "tokens__trained": step}
        add(run, step, step + 0.5, **gcd, **rates)
    found = run.columns()
    assert found["merged"] == 4
    assert len(found["steps"]) == MAX_POINTS
    assert set(found["tasks"]["gcd"][0]) == {0.5}  # 3 right groups of 6
    assert set(found["tasks"]["gcd"][1]) == {6}
    assert found["series"]["train/accuracy"][0] == pytest.approx(0.5)
    assert found["series"]["tokens/trained"][-1] == 4 * MAX_POINTS - 1
    assert run.reports == 4 * MAX_POINTS
