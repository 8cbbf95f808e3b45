"""rgenv/rollouts/snapshot.py: what one replica goes on from."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import StartupError
from rgenv.rollouts import snapshot as module
from rgenv.rollouts.snapshot import Snapshot
from rgenv.stream.source import StreamState
from tests.support.polling import until

STREAM = StreamState(12, [("gcd", 7, None)], [], {"gcd": b"x" * 8}, {}, {}, {})
NOW = {"run": "1f3a", "step": 6, "tokens": {"trained": 7}, "stream": STREAM}


@pytest.fixture(autouse=True)
def all_lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="ReasoningGymEnv")


def new(root: Path, **changes: Any) -> Snapshot:
    settings = {"seed": changes.pop("seed", 42)}
    values = {"replica_id": 0, "num_replicas": 1, "name": "run", "settings": settings, **changes}
    snapshot = Snapshot(**values)
    snapshot.root = str(root)
    return snapshot


def test_the_last_state_is_found_whatever_the_step_and_the_settings(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says that they differ, and names the option that starts over."""
    new(tmp_path).save(NOW)
    found = new(tmp_path).find(step=6)
    assert found is not None
    assert {name: getattr(found, name) for name in NOW} == NOW and not caplog.messages
    assert new(tmp_path).find(step=0) is not None  # as Atropos' example trainer always starts
    assert new(tmp_path, seed=43).find(step=6) is not None
    earlier, other = caplog.messages
    assert "starts at step 0" in earlier and "--force" in earlier
    assert "seed 42 instead of 43" in other and "--force" in other
    assert new(tmp_path, replica_id=1, num_replicas=2).find(step=6) is None


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    new(tmp_path).save(NOW)
    path = new(tmp_path).path
    for content in ("", "[]\n", '{"reasoning_gym": {"run": 3}}'):
        path.write_text(content)
        with pytest.raises(StartupError, match=r"snapshot.json is damaged.*move it away.*--force"):
            new(tmp_path).find(step=3)
    path.unlink()
    path.mkdir()
    with pytest.raises(StartupError, match=r"json can't be read .it is a folder.: move it away"):
        new(tmp_path).find(step=3)


async def test_two_environments_do_not_share_a_folder(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second, other = new(tmp_path), new(tmp_path), new(tmp_path, replica_id=1, num_replicas=2)
    await first.claim(str(tmp_path), 5)
    await other.claim(str(tmp_path), 0)
    with pytest.raises(StartupError, match=r"run_replica0of1.*--env\.replica_id"):
        await second.claim(str(tmp_path), 0.1)
    assert "waiting" in caplog.text
    first.release()
    await second.claim(str(tmp_path), 0)
    second.release()


async def test_a_disk_that_refuses_does_not_end_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    snapshot = new(tmp_path)
    snapshot.folder.parent.touch()
    await new(tmp_path).claim(str(tmp_path), 0)
    for _ in range(3):
        snapshot.save(NOW)
    lock, error = [line for line in caplog.messages if "can't be written" in line]
    assert str(snapshot.path) in error and "asks again" in error and "begins anew" in lock
    snapshot.folder.parent.unlink()
    snapshot.save(NOW)
    assert f"{snapshot.path} is written again" in caplog.text


async def test_it_is_saved_at_once_from_time_to_time_when_asked_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot, looks = new(tmp_path), 0

    def look() -> dict[str, Any]:
        nonlocal looks
        looks += 1
        return {**NOW, "step": looks}

    async def saved(step: int) -> dict[str, Any]:
        await until(lambda: getattr(new(tmp_path).find(step=step), "step", None) == step)
        found: dict[str, Any] = json.loads(snapshot.path.read_text())
        return found

    snapshot.begin(look)
    assert set(await saved(1)) == {"reasoning_gym"}
    snapshot.save_soon({"mine": 1})
    assert (await saved(2))["mine"] == 1
    monkeypatch.setattr(module, "SECONDS", 0.01)
    snapshot.save_soon()
    assert (await saved(looks + 2))["mine"] == 1
    for _ in range(2):
        await snapshot.close()
    assert (await saved(looks))["mine"] == 1
