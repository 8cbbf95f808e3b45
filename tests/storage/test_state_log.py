"""rgenv/storage/state_log.py: a state and its events in one file."""

from pathlib import Path

import pytest

from rgenv.storage.state_log import StateLog
from tests.support.disks import Disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in a folder that does not exist yet."""
    return tmp_path / "deep" / "progress.jsonl"


def test_a_torn_last_line_is_left_out(path: Path) -> None:
    """A killed process may have written a part of its last event."""
    log = StateLog(path)
    log.restart({"n": 1})
    log.append(["asked", 1])
    path.write_bytes(path.read_bytes() + b'["asked", 2')
    assert log.read() == ({"schema": 1, "n": 1}, [["asked", 1]])


@pytest.mark.parametrize("content", ['{"schema": 99}', '{"schema": 1}\n{', '{"schema": 1}\n7'])
def test_another_schema_and_what_is_no_event_are_refused(path: Path, content: str) -> None:
    """tests/resume/test_checkpoints.py has damaged states."""
    path.parent.mkdir()
    path.write_text(f"{content}\n")
    with pytest.raises(ValueError):
        StateLog(path).read()


def test_after_a_failed_append_nothing_is_appended_until_a_new_state(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with a gap would be read as if nothing had happened in between."""

    disk, log = Disk(monkeypatch), StateLog(path)
    log.restart({"n": 1})
    disk.full = True
    with pytest.raises(OSError, match="No space"):
        log.append(["asked", 1])
    disk.full = False
    log.append(["asked", 2])
    assert log.needs_restart and log.read()[1] == []
    log.restart({"n": 2})
    log.append(["asked", 3])
    assert log.read() == ({"schema": 1, "n": 2}, [["asked", 3]])
