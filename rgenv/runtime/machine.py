"""Facts about the machine, and settings of this process."""

import gc
import os
from collections.abc import Mapping
from pathlib import Path

from rgenv.errors import BadUsage


def replica(environment: Mapping[str, str] = os.environ) -> tuple[int, int]:
    """Return the number of this replica and how many there are, by SLURM or torch's launcher.

    Without both variables of either it is (0, 1); BadUsage: they contradict each other.
    """
    for rank, size in (("SLURM_PROCID", "SLURM_NTASKS"), ("RANK", "WORLD_SIZE")):
        if environment.get(rank, "").isdigit() and environment.get(size, "").isdigit():
            index, count = int(environment[rank]), int(environment[size])
            if index >= count:
                raise BadUsage(
                    f"{rank} {index} does not exist among {size} {count}: ids count from 0; set "
                    "these variables right, or unset them."
                )
            return index, count
    return 0, 1


def dumps_folder(configured: str | None, root: Path) -> Path:
    """Return the folder for rollout dumps.

    By default it is ``data_dumps`` in `root`, if that is writable, else in the working directory.
    """
    if configured is not None:
        return Path(configured)
    beside_module = root / "data_dumps"
    is_writable = beside_module.is_dir() and os.access(beside_module, os.W_OK)
    return beside_module if is_writable else Path("data_dumps")


def tune_garbage_collector() -> None:
    """Let the garbage collector skip what exists now; reference counting frees almost all."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 10)
