"""rgenv/rollouts/groups_file.py: the file of `process`."""

from pathlib import Path

import pytest

from rgenv.rollouts.group import scored_data
from rgenv.rollouts.groups_file import GroupsFile
from tests.support.disks import fill
from tests.support.rollouts import group, problem


def test_a_full_disk_is_an_error_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """/dev/full takes no byte."""
    fill(monkeypatch)
    groups = GroupsFile(tmp_path / "groups.jsonl")
    with pytest.raises(OSError, match="No space left on device") as refused:
        groups.write({"scores": [1.0]})
    assert refused.value.filename == str(tmp_path / "groups.jsonl")
    groups.close()


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


def test_another_file_than_the_one_that_was_named_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What is there stays: a file, and a link that leads nowhere, which is not followed."""
    wanted = tmp_path / "a.jsonl"
    wanted.write_text("")
    (tmp_path / "a_1.jsonl").symlink_to(tmp_path / "outside")
    groups = GroupsFile(wanted)
    assert groups.path == tmp_path / "a_2.jsonl" and not (tmp_path / "outside").exists()
    assert "a.jsonl exists and stays as it is; these groups go to" in caplog.text
    groups.close()


def test_a_run_without_a_group_leaves_nothing(tmp_path: Path) -> None:
    """The repaired command writes where it was told to; what another has put there stays."""
    wanted = tmp_path / "new" / "data" / "groups.jsonl"
    groups = GroupsFile(wanted)
    groups.close()
    groups.close()
    assert list(tmp_path.iterdir()) == []
    groups = GroupsFile(wanted)
    (wanted.parent / "other").write_text("x")
    groups.close()
    assert [path.name for path in wanted.parent.iterdir()] == ["other"]
