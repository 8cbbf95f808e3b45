"""rgenv/atropos/checkpoints.py: checkpoints of one replica."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from rgenv.atropos.checkpoints import Checkpoints, damaged_error
from rgenv.errors import StartupError

SOURCE = {"next_item": 12, "again": [["gcd", 7, None]]}


def new(**changes: Any) -> Checkpoints:
    values = {"seed": 42, "replica_id": 0, "num_replicas": 1, "name": "run", **changes}
    return Checkpoints(**values)


def save(checkpoints: Checkpoints, folder: Path, step: int, **more: Any) -> None:
    checkpoints.save(folder, step, run_id="1f3a", source_state=SOURCE, **more)


def test_one_replica_has_the_folder_of_its_registered_name(tmp_path: Path) -> None:
    """The rollout API names environments in the order of their registration."""
    assert new().folder(str(tmp_path), "gym_0") == tmp_path / "env_checkpoints" / "gym_0"


def test_replicas_have_folders_of_their_own(tmp_path: Path) -> None:
    """The folder of a replica does not depend on the order of registration."""
    folders = {
        new(replica_id=r, num_replicas=3).folder(str(tmp_path), name)
        for r in range(3)
        for name in ("gym_0", "gym_1", None)
    }
    assert len(folders) == 3
    assert tmp_path / "env_checkpoints" / "run_replica1of3" in folders


def test_a_saved_state_is_found_again(tmp_path: Path) -> None:
    """A checkpoint holds the run, the replica and the state of the source."""
    save(new(), tmp_path, 40)
    path, state = new().newest(tmp_path, at_most=40)
    assert path == tmp_path / "step-40.json"
    assert {name: state[name] for name in SOURCE} == SOURCE
    assert (state["run"], state["seed"], state["replica"]) == ("1f3a", 42, "replica0of1")


def test_the_newest_checkpoint_is_not_beyond_the_step(tmp_path: Path) -> None:
    """Later checkpoints are ignored: the trainer may have gone back to an older one."""
    for step in (9, 10, 100):
        save(new(), tmp_path, step)
    assert new().newest(tmp_path, at_most=99)[0].name == "step-10.json"
    assert new().newest(tmp_path, at_most=8) is None


def test_a_folder_without_checkpoints_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says that the stream starts at its beginning."""
    assert new().newest(tmp_path / "missing", at_most=5) is None
    assert "starts at its beginning" in caplog.text


@pytest.mark.parametrize("change", [{"seed": 43}, {"num_replicas": 2}])
def test_a_checkpoint_of_another_stream_is_taken_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, int]
) -> None:
    """The warning is logged if the seed or the number of replicas differs."""
    save(new(), tmp_path, 1)
    assert new().newest(tmp_path, at_most=1) is not None
    assert caplog.text == ""
    assert new(**change).newest(tmp_path, at_most=1) is not None
    assert "this run asks other problems" in caplog.text


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        json.dumps({"reasoning_gym": {"schema": 99}}),
        json.dumps({"reasoning_gym": {"schema": 1, "seed": 42}}),
    ],
)
def test_a_damaged_or_foreign_file_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    """The error names the newest file; an older checkpoint is not used instead."""
    save(new(), tmp_path, 1)
    (tmp_path / "step-2.json").write_text(content)
    with pytest.raises(StartupError, match=r"step-2\.json.*move it away"):
        new().newest(tmp_path, at_most=2)


def test_a_disk_that_refuses_costs_the_checkpoint_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """`save` raises nothing, and the log has the reason."""
    (tmp_path / "file").touch()
    save(new(), tmp_path / "file", 3)
    assert "No checkpoint at step 3" in caplog.text


def test_each_checkpoint_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The log has the path of each checkpoint."""
    caplog.set_level(logging.INFO, logger="ReasoningGymEnv")
    save(new(), tmp_path, 3)
    assert str(tmp_path / "step-3.json") in caplog.text


def test_a_subclass_may_save_keys_of_its_own(tmp_path: Path) -> None:
    """Further keys are stored beside the state of the environment."""
    save(new(), tmp_path, 3, others={"mine": 1})
    assert json.loads((tmp_path / "step-3.json").read_text())["mine"] == 1
    assert "mine" not in new().newest(tmp_path, at_most=3)[1]


def test_a_state_that_cannot_be_loaded_is_named() -> None:
    """The message has the file, the exception and the remedy."""
    error = damaged_error(Path("a/step-1.json"), KeyError("plans"))
    assert isinstance(error, StartupError)
    assert str(error) == "a/step-1.json is damaged (KeyError: 'plans'): move it away."
