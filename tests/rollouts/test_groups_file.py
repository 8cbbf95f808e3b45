"""rgenv/rollouts/groups_file.py: the file of `process`."""

import json
from pathlib import Path

import pytest

from rgenv.rollouts.groups_file import GroupsFile


def test_each_group_is_a_line_at_once(tmp_path: Path) -> None:
    """A line is in the file when `write` returns; closing twice is fine."""
    path = tmp_path / "groups.jsonl"
    path.write_text("old")
    groups = GroupsFile(path)
    for index in range(3):
        groups.write({"scores": [index], "text": "é"})
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["scores"] for line in lines] == [[n] for n in range(index + 1)]
    groups.close()
    groups.close()


def test_a_full_disk_is_an_error_that_names_the_file() -> None:
    """/dev/full takes no byte."""
    groups = GroupsFile(Path("/dev/full"))
    with pytest.raises(OSError, match="No space left on device") as refused:
        groups.write({"scores": [1.0]})
    assert refused.value.filename == "/dev/full"
    groups.close()
