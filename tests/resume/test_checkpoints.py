"""rgenv/resume/checkpoints.py: the state that one replica goes on from."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import StartupError
from rgenv.resume.checkpoints import BEHIND, Checkpoints, damaged_error
from rgenv.rollouts.metrics_file import MetricsFile
from rgenv.storage.state_log import StateLog

SOURCE = {"next_item": 12, "again": [["gcd", 7, None]]}


@pytest.fixture(autouse=True)
def all_lines(caplog: pytest.LogCaptureFixture) -> None:
    """Capture all lines of the log."""
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


def test_the_folder_depends_on_the_replica_only(tmp_path: Path) -> None:
    """Each replica has one, with one replica as with many."""
    folders = [new(tmp_path, replica_id=r, num_replicas=3).folder for r in range(3)]
    assert len(set(folders)) == 3
    assert folders[1] == tmp_path / "env_checkpoints" / "run_replica1of3"
    assert new(tmp_path).folder == tmp_path / "env_checkpoints" / "run_replica0of1"


# What a run goes on from


def test_a_saved_state_is_found_again(tmp_path: Path) -> None:
    """A checkpoint holds the run, the replica and the state of the source."""
    save(new(tmp_path), 40)
    found = new(tmp_path).find(step=40)
    assert found is not None and found.path == new(tmp_path).folder / "step-40.json"
    assert {name: found.state[name] for name in SOURCE} == SOURCE
    assert (found.state["run"], found.state["seed"]) == ("1f3a", 42)
    assert found.state["replica"] == "replica0of1" and found.events == []


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


def test_without_a_latest_state_the_newest_checkpoint_is_not_beyond_the_step(
    tmp_path: Path,
) -> None:
    """So it was in earlier versions, which wrote no latest state."""
    for step in (9, 10, 100):
        save(new(tmp_path), step)
    found = new(tmp_path).find(step=99)
    assert found is not None and found.path.name == "step-10.json"
    assert new(tmp_path).find(step=8) is None


def test_a_folder_without_checkpoints_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says that the stream starts at its beginning, and where a state would be."""
    assert new(tmp_path / "missing").find(step=5) is None
    assert "starts at its beginning" in caplog.text and str(tmp_path / "missing") in caplog.text


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
    """One sentence names what differs."""
    record(new(tmp_path), step=1)
    assert new(tmp_path).find(step=1) is not None
    assert "instead of" not in caplog.text
    assert new(tmp_path, **change).find(step=1) is not None
    [warning] = [line for line in caplog.messages if "instead of" in line]
    assert words in warning and "--force" in warning


def test_a_checkpoint_of_an_earlier_version_is_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It has no settings but the seed."""
    path = new(tmp_path).folder / "step-1.json"
    path.parent.mkdir(parents=True)
    state = {"schema": 1, "seed": 7, "replica": "replica0of1", "run": "1f3a", **SOURCE}
    path.write_text(json.dumps({"reasoning_gym": state}))
    assert new(tmp_path).find(step=1) is not None
    assert "written with seed 7 instead of 42" in caplog.text


def test_another_source_of_the_library_is_told_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It names the tasks whose source differs; a state of an older version has no sources."""
    before, now = new(tmp_path), new(tmp_path)
    save(before, 1)
    before.sources = {"gcd": "aa", "lcm": "bb", "maze": "cc"}
    save(before, 2)
    now.sources = {"gcd": "aa", "lcm": "dd", "dice": "ee"}
    assert now.find(step=1) is not None and "another source" not in caplog.text
    assert now.find(step=2) is not None
    [line] = [line for line in caplog.messages if "another source" in line]
    assert "another source of the tasks lcm: " in line and "step-2.json" in line


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        json.dumps({"reasoning_gym": {"schema": 99}}),
        json.dumps({"reasoning_gym": {"schema": 1, "next_item": 4}}),
    ],
)
@pytest.mark.parametrize("name", ["step-2.json", "progress.jsonl"])
def test_a_damaged_or_foreign_file_is_an_error_that_names_it(
    tmp_path: Path, content: str, name: str
) -> None:
    """An older checkpoint is not used instead."""
    save(new(tmp_path), 1)
    (new(tmp_path).folder / name).write_text(content + "\n")
    with pytest.raises(StartupError, match=rf"{name}.*move it away"):
        new(tmp_path).find(step=2)


def test_a_state_that_cannot_be_loaded_is_named() -> None:
    """The message has the file, the exception and the remedy."""
    error = damaged_error(Path("a/step-1.json"), KeyError("plans"))
    assert isinstance(error, StartupError)
    assert "a/step-1.json is damaged (KeyError: 'plans')" in str(error)


# Starting over


def test_starting_over_keeps_the_earlier_checkpoints(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They are in another folder, which the log names."""
    for number in (1, 2):
        save(new(tmp_path), number)
        assert new(tmp_path).find(step=number, start_over=True) is None
        aside = new(tmp_path).folder.with_name(f"run_replica0of1.before-{number}")
        assert (aside / f"step-{number}.json").exists() and str(aside) in caplog.text
    assert new(tmp_path).find(step=9) is None
    assert new(tmp_path).find(step=9, start_over=True) is None


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
    """The second one waits, and then ends with the options that tell them apart."""
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


def test_a_disk_that_refuses_costs_the_checkpoint_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """`save` raises nothing, and the log has the reason."""
    (tmp_path / "env_checkpoints").touch()
    save(new(tmp_path), 3)
    assert "No checkpoint at step 3" in caplog.text


def test_each_checkpoint_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The log has the path of each checkpoint."""
    save(new(tmp_path), 3)
    assert str(new(tmp_path).folder / "step-3.json") in caplog.text


def test_a_subclass_may_save_keys_of_its_own(tmp_path: Path) -> None:
    """Further keys are stored beside the state of the environment."""
    save(new(tmp_path), 3, others={"mine": 1})
    found = new(tmp_path).find(step=3)
    assert json.loads((new(tmp_path).folder / "step-3.json").read_text())["mine"] == 1
    assert found is not None and "mine" not in found.state


async def test_a_folder_that_is_a_link_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither to go on from, nor to save in, nor for the metrics of a run."""
    outside = tmp_path / "outside"
    outside.mkdir()
    checkpoints = new(tmp_path)
    checkpoints.folder.parent.mkdir()
    checkpoints.folder.symlink_to(outside)
    with pytest.raises(StartupError, match="it is a symbolic link"):
        await checkpoints.claim(str(tmp_path), 0)
    with pytest.raises(StartupError, match="it is a symbolic link"):
        checkpoints.find(step=0)
    save(checkpoints, 3)
    assert "No checkpoint at step 3" in caplog.text
    MetricsFile(lambda: checkpoints.own_folder).append({"step": 3})
    assert "Metrics can't be written" in caplog.text and not any(outside.iterdir())
