"""benchmarks/throughput.py: what it measures is what the environment does."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed.plots import draw
from benchmarks.throughput import Children, _settings, cpu, stalls

pytestmark = pytest.mark.slow

STALLS = {"idle": {"p999_ms": 1.0, "longest_ms": 2.0}, "busy": {"p999_ms": 4.0, "longest_ms": 9.0}}


def grown(value: int) -> dict[str, Any]:
    return {"value": value, "completions_per_second": 8.0, "stalls": stalls([STALLS])}


def test_medians_are_of_each_runs_own_difference() -> None:
    """What work adds to the stalls is taken run by run."""
    busy = {"p999_ms": 10.0, "longest_ms": 9.0}
    noisy = {"idle": {"p999_ms": 9.0, "longest_ms": 9.0}, "busy": busy}
    assert stalls([STALLS, noisy, noisy])["p999_above_idle_ms"] == 1.0
    runs = [{"cpu_ms_a_group": {"env": n, "workers": 2 * n}} for n in (1, 2, 9)]
    assert cpu(runs) == {"env": 2, "workers": 4}


def test_plots_are_drawn(tmp_path: Path) -> None:
    """Three files, whatever the number of workers."""
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


@pytest.fixture(scope="module")
def children(tmp_path_factory: pytest.TempPathFactory) -> Children:
    """Measurements in a folder of their own."""
    return Children(tmp_path_factory.mktemp("speed"), 3)


def test_both_sides_get_the_same_recipes_and_answers(children: Children) -> None:
    """The plan holds one right answer of eight, and the environment asks for its items again."""
    plan = children.plan("gcd", 5, task_names=["gcd"], workers=1)
    lines = [json.loads(line) for line in Path(plan["plan"]).read_text().splitlines()]
    assert [(line["task"], len(line["answers"])) for line in lines] == [("gcd", 8)] * 5
    run = children.served("run", **_settings(plan))
    assert 1 / 8 <= run["accuracy"] < 1 and run["worker_restarts"] == 0 and run["not_made"] == {}
    assert children.direct(plan["plan"])["groups_per_second"] > 0
