"""rgenv/storage/checkpoint.py: whole files, the right one, and refusals in words."""

import json
from pathlib import Path

import pytest

from rgenv.errors import BadCheckpoint
from rgenv.storage import checkpoint


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """A state comes back with its schema; others' keys stand beside it; no working file stays."""
    path = tmp_path / "deep" / "step-4.json"
    checkpoint.write(path, {"n": 3}, {"theirs": 1})
    assert checkpoint.read(path) == {"schema": 1, "n": 3}
    assert json.loads(path.read_text())["theirs"] == 1
    assert [file.name for file in path.parent.iterdir()] == ["step-4.json"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """A state that can't be written does not destroy the one that was."""
    path = tmp_path / "step-4.json"
    checkpoint.write(path, {"n": 3})
    with pytest.raises(TypeError):
        checkpoint.write(path, {"n": object()})
    assert checkpoint.read(path)["n"] == 3


def test_the_newest_not_beyond_the_step_is_taken(tmp_path: Path) -> None:
    """By number, not by name; later ones and foreign names do not count."""
    for name in ("step-2.json", "step-10.json", "step-30.json", "step-x.json", "step-9.tmp"):
        (tmp_path / name).touch()
    assert checkpoint.newest(tmp_path, at_most=29) == tmp_path / "step-10.json"
    assert checkpoint.newest(tmp_path, at_most=30) == tmp_path / "step-30.json"
    assert checkpoint.newest(tmp_path, at_most=1) is None
    assert checkpoint.newest(tmp_path / "nowhere", at_most=9) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "JSONDecodeError"),
        ("[]", "TypeError"),
        ('{"iter": 3, "rng_state": []}', "KeyError"),
        ('{"reasoning_gym": {"schema": 99}}', "schema is 99, this version reads 1"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_by_name(tmp_path: Path, text: str, reason: str) -> None:
    """Damaged, foreign and future files are an error that says which file and why."""
    path = tmp_path / "step-4.json"
    path.write_text(text)
    with pytest.raises(BadCheckpoint, match=f"step-4.*{reason}.*move it away"):
        checkpoint.read(path)
