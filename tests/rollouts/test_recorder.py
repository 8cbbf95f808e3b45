"""rgenv/rollouts/recorder.py: recording a scored group."""

import logging
import time
from pathlib import Path
from typing import Any

import pytest

from rgenv.rollouts.dump import RolloutDump
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.recorder import REMEMBERED_GROUPS, Dumps, GroupRecorder
from rgenv.types import Verdict
from tests.support.dumps import dump_rows
from tests.support.rollouts import group, problem

PROBLEM = problem(7, level=0.3)


def new_recorder(folder: Path | None = None, **settings: Any) -> GroupRecorder:
    good, failed = [
        folder and RolloutDump(folder, run_id="1f3a", batch_size=100, label=label)
        for label in ("rollouts", "FAILED_rollouts")
    ]
    dumps = Dumps(good, failed, threshold=0.7, version="0.1.25", run_id="1f3a")
    metrics = TrainMetrics({"gcd": "arithmetic"})
    return GroupRecorder(metrics, lambda *observed: None, dumps, **settings)


def test_errors_of_verifiers_are_counted() -> None:
    """An error in one of the two forms of an answer counts although the answer has a score."""
    recorder = new_recorder()
    verdicts = [
        Verdict(1.0, "scored", 1.0, None, "tagged: ValueError"),
        Verdict(0.0, "error", detail="raw: ValueError; tagged: ValueError"),
        Verdict(0.0, "rejected", detail="unknown name"),
        Verdict(1.0, "scored", 1.0, 1.0),
    ]
    recorder.record(group(PROBLEM, verdicts))
    assert recorder.metrics.take()["train/verifier_errors"] == 2


def test_good_and_failed_groups_are_saved_in_different_files(tmp_path: Path) -> None:
    """A reward above the threshold makes a group good; it is failed if all scores are 0."""
    recorder, began = new_recorder(folder=tmp_path), time.time()
    above, zero, at, partial = (
        group(problem(seed), [score, 0.0]) for seed, score in enumerate((0.71, 0.0, 0.7, 0.1))
    )
    for each in (above, zero, at, partial):
        recorder.record(each)
    recorder.close()
    [good] = dump_rows(tmp_path)
    [failed] = dump_rows(tmp_path, "FAILED_rollouts")
    assert good["metadata"]["group_id"] == above.group_id
    assert failed["metadata"]["group_id"] == zero.group_id
    assert good["metadata"]["reasoning_gym"] == "0.1.25"
    assert began - 1 < good["metadata"]["time"] <= failed["metadata"]["time"] <= time.time() + 1


KINDS = ("timeout", "rejected", "no_answer")


def test_trouble_is_logged_once_for_each_task_and_kind(caplog: pytest.LogCaptureFixture) -> None:
    """The line has the recipe and the answer; of missing answers, only the first is logged."""
    caplog.set_level(logging.INFO, logger="rgenv")
    recorder = new_recorder()
    trouble = [Verdict(0.0, kind, detail="unknown name") for kind in KINDS]
    for seed in range(3):
        for task in ("gcd", "lcm"):
            recorder.record(group(problem(seed, task), trouble))
    lines = [record for record in caplog.records if record.message.startswith("First ")]
    assert [r.levelname for r in lines] == ["WARNING", "WARNING", "INFO", "WARNING", "WARNING"]
    assert '"seed": 0' in lines[0].message and "answer '2'" in lines[0].message
    assert "unknown name" in lines[1].message


@pytest.mark.parametrize(("table_rows", "kept"), [(0, 0), (2, 2), (-1, 3)])
def test_the_table_has_the_configured_number_of_rollouts(table_rows: int, kept: int) -> None:
    """-1 stands for all rollouts of a group. Rows are returned once; old ones are dropped."""
    recorder = new_recorder(table_rows=table_rows)
    groups = [group(PROBLEM, [1.0, 0.5, 0.0]) for _ in range(1 + REMEMBERED_GROUPS)]
    for each in groups:
        recorder.record(each)
    tables = [recorder.table(groups[n].group_id) for n in (-1, -1, 0)]
    assert [row[1] for row in tables[0]] == list(groups[-1].rewards)[:kept]
    assert tables[1:] == [[], []]
