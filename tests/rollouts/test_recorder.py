"""rgenv/rollouts/recorder.py: recording a scored group, and writing groups to disk."""

import errno
import logging
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.recorder import REMEMBERED_GROUPS, Dumps, GroupRecorder, RolloutDump
from rgenv.types import Verdict
from tests.support.dumps import Disk, dump_rows, group_row
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


def test_each_answer_is_logged_for_debugging(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "rgenv")
    new_recorder().record(group(PROBLEM, [Verdict(1.0, "scored", 1.0, 0.0)]))
    [line] = [line for line in caplog.messages if line.startswith("Answer to ")]
    assert line.startswith("Answer to gcd, seed 7, level 0.3: ")
    assert line.endswith("; raw 1.0, tagged 0.0 (scored)")


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


def dump_in(folder: Path, batch_size: int = 2) -> RolloutDump:
    return RolloutDump(folder, run_id="run", batch_size=batch_size)


def saved(folder: Path) -> list[int]:
    return [found["metadata"]["n"] for found in dump_rows(folder)]


def row(number: int = 0) -> dict:
    return group_row("gcd", [[{"role": "user", "content": "q"}]], [1.0], metadata={"n": number})


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.setattr("rgenv.rollouts.recorder.RETRY_SECONDS", 0.0)
    return Disk(monkeypatch)


def test_groups_are_written_once_a_full_disk_has_space_again(
    tmp_path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    dump = dump_in(tmp_path, batch_size=5)
    assert dump.add(row(0)) is True
    disk.full = True
    assert [dump.add(row(n)) for n in (1, 2, 3)] == [False] * 3
    assert (dump.held, dump.lost) == (3, 0)
    errors = [r for r in caplog.records if r.levelname == "ERROR"]
    assert len(errors) == 1 and "No space left" in errors[0].message
    disk.full = False
    assert dump.add(row(4)) is True
    assert (dump.held, dump.lost) == (0, 0)
    disk.full = True
    assert not any(dump.add(row(n)) for n in range(5, 13))
    disk.full = False
    assert dump.catch_up() is True
    dump.close()
    assert saved(tmp_path) == list(range(13))


def test_a_deleted_folder_or_replaced_file_is_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    dump = dump_in(folder, batch_size=5)
    dump.add(row(0))
    shutil.rmtree(folder)
    assert dump.add(row(1)) is True
    [path] = folder.iterdir()
    path.rename(tmp_path / "taken")
    path.touch()
    assert dump.add(row(2)) is True
    dump.close()
    assert saved(folder) == [2] and path.read_bytes() == b""


def test_a_disk_that_does_not_sync_loses_no_group(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = dump_in(tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr("rgenv.runtime.json_lines.os.fsync", refuse)
        assert all(dump.add(row(n)) for n in range(3))
    dump.close()
    # Nobody knows whether two of them are on disk, so the run fails in the end.
    assert saved(tmp_path) == [0, 1, 2] and dump.lost == 2
    assert len([*tmp_path.glob("*.jsonl")]) == 2
