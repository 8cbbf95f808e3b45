"""Checkpoint files: written whole or not at all, found by step, read with suspicion.

::

    write(folder / step_name(40), {"schema": 1, ...})
    path = newest(folder, at_most=43)    # step-40.json, when 41 to 43 are not there
    state = read(path)

What is in a state is the environment's business.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rgenv.errors import BadCheckpoint

SCHEMA = 1
KEY = "reasoning_gym"
"""Our part of the file; other keys are left to others."""


def step_name(step: int) -> str:
    """The file of a step, as Atropos names it."""
    return f"step-{step}.json"


def write(path: Path, state: Mapping[str, Any], others: Mapping[str, Any] | None = None) -> None:
    """Put a checkpoint at `path`, complete, or leave what was there.

    Raises:
        OSError: the disk refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    working = path.with_suffix(".tmp")
    with working.open("w", encoding="utf-8") as file:
        json.dump({**(others or {}), KEY: {"schema": SCHEMA, **state}}, file)
        file.flush()
        os.fsync(file.fileno())
    working.replace(path)


def newest(folder: Path, *, at_most: int) -> Path | None:
    """The checkpoint of the highest step not above `at_most`; None when there is none."""
    steps = [
        int(found[1])
        for path in folder.glob("step-*.json")
        if (found := re.fullmatch(r"step-(\d+)\.json", path.name)) and int(found[1]) <= at_most
    ]
    return folder / step_name(max(steps)) if steps else None


def read(path: Path) -> dict[str, Any]:
    """The state in `path`.

    Raises:
        BadCheckpoint: it can't be ours; the message says why and what to do.
    """
    try:
        state = json.loads(path.read_text(encoding="utf-8"))[KEY]
        schema = state["schema"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _bad(path, f"{type(error).__name__}: {error}") from None
    if schema != SCHEMA:
        raise _bad(path, f"its schema is {schema}, this version reads {SCHEMA}")
    return dict(state)


def _bad(path: Path, why: str) -> BadCheckpoint:
    return BadCheckpoint(
        f"{path} is not a checkpoint of this environment ({why}): move it away to go on from an "
        "older one, or from the start."
    )
