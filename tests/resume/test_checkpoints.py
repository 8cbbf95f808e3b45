"""rgenv/resume/checkpoints.py: the state that one replica goes on from."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import StartupError
from rgenv.resume.checkpoints import BEHIND, Checkpoints
from rgenv.storage.state_log import StateLog

SOURCE = {"next_item": 12, "again": [["gcd", 7, None]]}


@pytest.fixture(autouse=True)
def all_lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="ReasoningGymEnv")


def new(root: Path, **changes: Any) -> Checkpoints:
    settings = {"seed": changes.pop("seed", 42), "complexity_mode": changes.pop("mode", None)}
    values = {"replica_id": 0, "num_replicas": 1, "name": "run", "settings": settings, **changes}
    checkpoints = Checkpoints(**values)
    checkpoints.root = str(root)
    return checkpoints


def save(checkpoints: Checkpoints, step: int, **more: Any) -> None:
    checkpoints.save(step, run_id="1f3a", source_state=SOURCE, **more)


def record(checkpoints: Checkpoints, *, step: int, reached: int | None = None) -> None:
    """Write a latest state of a step, and perhaps the event of a later one."""
    log = StateLog(checkpoints.progress)
    log.restart({**checkpoints.about, "step": step, "run": "latest", **SOURCE})
    if reached is not None:
        log.append(["step", reached])
    log.close()


# What a run goes on from


@pytest.mark.parametrize("step", [7, 9, 100])
def test_the_latest_state_is_found_whatever_the_step(tmp_path: Path, step: int) -> None:
    """The trainer may be ahead; after a restart of the API it may start at another step."""
    save(new(tmp_path), 6)
    record(new(tmp_path), step=6, reached=9)
    found = new(tmp_path).find(step=step)
    assert found is not None and found.step == 9 and found.events == [["step", 9]]
    assert found.path == new(tmp_path).progress


def test_a_trainer_that_starts_at_zero_does_not_start_the_stream_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Atropos' example trainer always does; the log names the option that would."""
    record(new(tmp_path), step=6)
    found = new(tmp_path).find(step=0)
    assert found is not None and found.path == new(tmp_path).progress
    assert "starts at step 0" in caplog.text and "--force" in caplog.text


def test_a_trainer_that_goes_back_to_its_checkpoint_takes_the_environment_along(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What was asked after that step never reached the trainer's model."""
    for step in (5, 10):
        save(new(tmp_path), step)
    record(new(tmp_path), step=5 + BEHIND + 1)
    found = new(tmp_path).find(step=5)
    assert found is not None and found.path.name == "step-5.json"
    assert f"went back from step {5 + BEHIND + 1} to 5" in caplog.text


def test_a_trainer_that_is_a_little_behind_has_not_gone_back(tmp_path: Path) -> None:
    """It registers with a restarted API, which had counted batches that it has not pulled."""
    save(new(tmp_path), 5)
    record(new(tmp_path), step=5 + BEHIND)
    found = new(tmp_path).find(step=5)
    assert found is not None and found.path == new(tmp_path).progress


def test_the_newest_checkpoint_up_to_a_step_is_found(tmp_path: Path) -> None:
    """As text, step-9.json would come after step-10.json."""
    for step in (2, 9, 10, 30):
        save(new(tmp_path), step)
    for name in ("step-x.json", "step-011.json", "step-12.tmp"):
        (new(tmp_path).folder / name).touch()
    for at, name in ((29, "step-10.json"), (30, "step-30.json"), (8, "step-2.json")):
        found = new(tmp_path).find(step=at)
        assert found is not None and found.path.name == name
        assert (found.run, found.state["schema"]) == ("1f3a", 1)
    assert new(tmp_path).find(step=1) is None


@pytest.mark.parametrize("name", ["progress.jsonl", "step-3.json"])
@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]\n",
        "{}\n",
        '{"schema": 99}\n',
        '{"schema": 1}\n',
        '{"reasoning_gym": 1}',
        '{"reasoning_gym": {"schema": 1}}',
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: str) -> None:
    save(new(tmp_path), 3)
    path = new(tmp_path).folder / name
    path.write_text(content)
    with pytest.raises(StartupError, match=rf"{name} is damaged.*move it away.*--force"):
        new(tmp_path).find(step=3)
    path.unlink()
    path.mkdir()
    with pytest.raises(StartupError, match=rf"{name} can't be read .it is a folder.: move it away"):
        new(tmp_path).find(step=3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 43}, "seed 42 instead of 43"),
        ({"mode": "curriculum"}, "complexity_mode None instead of 'curriculum'"),
    ],
)
def test_a_state_of_other_settings_is_taken_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, Any], words: str
) -> None:
    record(new(tmp_path), step=1)
    assert new(tmp_path).find(step=1) is not None
    assert "instead of" not in caplog.text
    assert new(tmp_path, **change).find(step=1) is not None
    [warning] = [line for line in caplog.messages if "instead of" in line]
    assert words in warning and "--force" in warning


# Starting over


def test_a_folder_that_cannot_be_set_aside_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the run would go on where the user wants to start over."""

    def refuse(path: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied")

    save(new(tmp_path), 1)
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(StartupError, match=r"run_replica0of1 can't be set aside"):
        new(tmp_path).find(step=1, start_over=True)


# One process for each folder


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


async def test_a_folder_that_cannot_be_locked_does_not_end_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The disk may refuse; the log says so."""
    (tmp_path / "env_checkpoints").touch()
    await new(tmp_path).claim(str(tmp_path), 0)
    assert "can't be written" in caplog.text


# Saving


def test_a_subclass_may_save_keys_of_its_own(tmp_path: Path) -> None:
    save(new(tmp_path), 3, others={"mine": 1})
    found = new(tmp_path).find(step=3)
    assert json.loads((new(tmp_path).folder / "step-3.json").read_text())["mine"] == 1
    assert found is not None and "mine" not in found.state
