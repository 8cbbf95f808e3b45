"""rgenv/rollouts/dump.py: writing groups to disk."""

import errno
import shutil
from pathlib import Path

import pytest

from rgenv.rollouts.dump import RolloutDump, group_row
from rgenv.rollouts.group import scored_data
from rgenv.rollouts.groups_file import GroupsFile
from tests.support.dumps import Disk, dump_rows
from tests.support.rollouts import group, problem


def dump_in(folder: Path, batch_size: int = 2) -> RolloutDump:
    return RolloutDump(folder, run_id="run", batch_size=batch_size)


def saved(folder: Path) -> list[int]:
    return [found["metadata"]["n"] for found in dump_rows(folder)]


def row(number: int = 0) -> dict:
    return group_row("gcd", [[{"role": "user", "content": "q"}]], [1.0], metadata={"n": number})


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.setattr("rgenv.rollouts.dump.RETRY_SECONDS", 0.0)
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


def test_a_deleted_folder_is_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    dump = dump_in(folder, batch_size=5)
    dump.add(row(0))
    shutil.rmtree(folder)
    assert dump.add(row(1)) is True
    dump.close()
    assert saved(folder) == [1]


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


def test_the_summary_has_number_place_means_and_seconds(tmp_path: Path) -> None:
    """Groups that were expected and not written don't count."""
    path = tmp_path / "groups.jsonl"
    groups = GroupsFile(path)
    assert groups.summary() == "no group"
    for made in (group(problem(), [1.0, 0.5]), group(problem(2), [0.0, 0.0])):
        groups.expect(made)
        groups.write(dict(scored_data(made)))
    groups.expect(group(problem(3), [1.0, 1.0]))
    assert groups.summary() == f"2 groups in {path}: mean reward 0.375, accuracy 0.250, 0 s"
    groups.close()


def test_a_run_without_a_group_leaves_nothing(tmp_path: Path) -> None:
    """The repaired command writes where it was told to; what another has put there stays."""
    wanted = tmp_path / "new" / "data" / "groups.jsonl"
    for others in ([], ["other"]):
        groups = GroupsFile(wanted)
        for name in others:
            (wanted.parent / name).write_text("x")
        groups.close()
        groups.close()
        assert [path.name for path in wanted.parent.iterdir()] == others
