"""What the host tells about itself, and what this process sets for itself.

replica()                     # (3, 16) in a SLURM array or under torch's launcher
tune_garbage_collector()      # once, when everything is imported and before work begins
"""

from __future__ import annotations

import contextlib
import gc
import netrc
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlparse

THRESHOLDS = (20_000, 20, 10)
"""New containers before the young are looked through, and how often that before the next older."""


def replica(environment: Mapping[str, str] = os.environ) -> tuple[int, int]:
    """Which replica this process is and of how many, as SLURM or torch's launcher tell it."""
    for rank, size in (("SLURM_PROCID", "SLURM_NTASKS"), ("RANK", "WORLD_SIZE")):
        if environment.get(rank, "").isdigit() and environment.get(size, "").isdigit():
            return int(environment[rank]), int(environment[size])
    return 0, 1


def has_wandb_account(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether wandb would log in without asking, or was told what to do instead."""
    if any(environment.get(name) for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DISABLED")):
        return True
    host = urlparse(environment.get("WANDB_BASE_URL", "https://api.wandb.ai")).hostname or ""
    with contextlib.suppress(OSError, netrc.NetrcParseError):
        return netrc.netrc(environment.get("NETRC")).authenticators(host) is not None
    return False


def dumps_folder(configured: str | None, root: Path) -> Path:
    """Where rollouts go: as configured, else data_dumps beside the module, else here."""
    if configured is not None:
        return Path(configured)
    beside = root / "data_dumps"
    return beside if beside.is_dir() and os.access(beside, os.W_OK) else Path("data_dumps")


def tune_garbage_collector() -> None:
    """Never look again through what there is now, and seldom through what comes."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
