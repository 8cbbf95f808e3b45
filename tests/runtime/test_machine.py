"""rgenv/runtime/machine.py: facts about the machine."""

from pathlib import Path

import pytest

from rgenv.errors import BadUsage
from rgenv.runtime.machine import dumps_folder, replica


def test_the_replica_is_read_from_the_launcher() -> None:
    """SLURM has priority over torch's launcher; one variable without the other is ignored."""
    torch = {"RANK": "3", "WORLD_SIZE": "8"}
    assert replica({}) == replica({"SLURM_PROCID": "", "SLURM_NTASKS": "2"}) == (0, 1)
    assert replica(torch) == (3, 8)
    assert replica({**torch, "SLURM_PROCID": "1", "SLURM_NTASKS": "2"}) == (1, 2)
    with pytest.raises(BadUsage, match="SLURM_PROCID 2 does not exist among SLURM_NTASKS 2"):
        replica({"SLURM_PROCID": "2", "SLURM_NTASKS": "2"})


def test_dumps_are_written_beside_the_module_or_in_the_working_directory(tmp_path: Path) -> None:
    assert dumps_folder("x", tmp_path) == Path("x")
    assert dumps_folder(None, tmp_path) == Path("data_dumps")
    (tmp_path / "data_dumps").mkdir()
    assert dumps_folder(None, tmp_path) == tmp_path / "data_dumps"
