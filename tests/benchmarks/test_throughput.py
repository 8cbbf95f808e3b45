"""The speed comparison: its numbers, its plots, and that both sides do the same work."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed.plots import draw
from benchmarks.throughput import Runner, cpu, stalls

pytestmark = pytest.mark.slow

STALLS = {"idle": {"p999_ms": 1.0, "longest_ms": 2.0}, "busy": {"p999_ms": 4.0, "longest_ms": 9.0}}


def grown(value: int) -> dict[str, Any]:
    return {"value": value, "completions_per_second": 8.0, "stalls": stalls([STALLS])}


def test_medians_are_of_each_runs_own_difference() -> None:
    """The stalls that work adds are the median of each run's own difference."""
    busy = {"p999_ms": 10.0, "longest_ms": 9.0}
    noisy = {"idle": {"p999_ms": 9.0, "longest_ms": 9.0}, "busy": busy}
    assert stalls([STALLS, noisy, noisy])["p999_above_idle_ms"] == 1.0
    runs = [{"cpu_ms_a_group": {"env": n, "workers": 2 * n}} for n in (1, 2, 9)]
    assert cpu(runs) == {"env": 2, "workers": 4}


def test_plots_are_drawn(tmp_path: Path) -> None:
    """Results with any number of workers give three pictures."""
    result = {
        "cores": 2,
        "groups_per_second": {"direct": 30.0, "workers_1": 50.0, "workers_2": 90.0},
        "stalls": {"workers_1": stalls([STALLS]), "workers_2": stalls([STALLS])},
        "start_seconds": {"cold": {"first_item": 2.0}, "warm": {"first_item": 1.0}},
        "memory_mb": dict.fromkeys(
            (
                "reasoning_gym_imported",
                "reasoning_gym_after_the_same_work",
                "largest_worker",
                "env_imported",
                "env_after_work",
            ),
            100.0,
        ),
        "growth": {"group_size": [grown(4), grown(8)], "replicas": [grown(1), grown(2)]},
    }
    plots = draw(result, tmp_path / "plots")
    assert [path.read_bytes()[:4] for path in plots] == [b"\x89PNG"] * 3


def test_both_sides_get_the_same_recipes_and_answers(tmp_path: Path) -> None:
    """The plan holds one right answer of eight, and both sides score its items."""
    runner = Runner(tmp_path, total=3)
    plan = runner.plan("gcd", 5, task_names=["gcd"], workers=1)
    lines = [json.loads(line) for line in Path(plan.path).read_text().splitlines()]
    assert [(line["task"], len(line["answers"])) for line in lines] == [("gcd", 8)] * 5
    run = runner.served("run", plan.settings)
    assert 1 / 8 <= run["accuracy"] < 1 and run["worker_restarts"] == 0 and run["not_made"] == {}
    assert runner.direct(plan)["groups_per_second"] > 0
