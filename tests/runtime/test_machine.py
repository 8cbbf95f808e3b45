"""rgenv/runtime/machine.py: facts about the host, and the garbage collector."""

from pathlib import Path

import pytest

from rgenv.errors import BadUsage
from rgenv.runtime.machine import dumps_folder, replica
from tests.support.programs import run_python

SCRIPT = """
import gc, weakref
from rgenv.runtime.machine import tune_garbage_collector

class Node:
    pass

def cycle():
    node = Node()
    node.cycle = node
    return weakref.ref(node)

gc.disable()
before = cycle()
tune_garbage_collector()
after = cycle()
gc.enable()
gc.collect()
early_is_kept = before() is not None
late_is_collected = after() is None
last = cycle()
containers = [[] for _ in range(500_000)]  # enough to start automatic collections
print(early_is_kept, late_is_collected, last() is None)
"""


def test_only_later_objects_are_collected() -> None:
    """Cycles from before tuning are never collected; later ones are, by hand and automatically."""
    assert run_python("-c", SCRIPT).stdout.split() == ["True", "True", "True"]


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, (0, 1)),
        ({"RANK": "3"}, (0, 1)),
        ({"RANK": "3", "WORLD_SIZE": "8"}, (3, 8)),
        ({"RANK": "3", "WORLD_SIZE": "8", "SLURM_PROCID": "1", "SLURM_NTASKS": "2"}, (1, 2)),
        ({"SLURM_PROCID": "", "SLURM_NTASKS": "2"}, (0, 1)),
    ],
)
def test_the_replica_is_read_from_the_launcher(
    environment: dict[str, str], found: tuple[int, int]
) -> None:
    """SLURM has priority over torch's launcher; one variable without the other is ignored."""
    assert replica(environment) == found


def test_dumps_are_written_beside_the_module_or_in_the_working_directory(tmp_path: Path) -> None:
    assert dumps_folder("x", tmp_path) == Path("x")
    assert dumps_folder(None, tmp_path) == Path("data_dumps")
    (tmp_path / "data_dumps").mkdir()
    assert dumps_folder(None, tmp_path) == tmp_path / "data_dumps"


def test_a_rank_beyond_the_size_is_bad_usage() -> None:
    with pytest.raises(BadUsage, match="SLURM_PROCID 2 does not exist among SLURM_NTASKS 2"):
        replica({"SLURM_PROCID": "2", "SLURM_NTASKS": "2"})
