"""Checkpoint files: written atomically, found by step, validated when read.

::

    write(folder / step_name(40), {"n": 12})
    path = newest(folder, at_most=43)    # step-40.json, if there is no 41, 42 or 43
    state = read(path)                   # {"schema": 1, "n": 12}
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rgenv.errors import BadCheckpoint
from rgenv.storage.atomic import write_atomic
from rgenv.storage.files import parse_json, read_file
from rgenv.text import refusal

SCHEMA = 1
KEY = "reasoning_gym"
"""The key of the file that holds our state; Atropos writes the other keys."""


_NAME = re.compile(r"step-(0|[1-9][0-9]{0,17})\.json")


def step_name(step: int) -> str:
    """Return the file name of a step, as Atropos names it."""
    return f"step-{step}.json"


def write(path: Path, state: Mapping[str, Any], others: Mapping[str, Any] | None = None) -> None:
    """Replace the checkpoint at `path` atomically.

    Args:
        state: our state, JSON-able.
        others: further top-level keys of the file, JSON-able.

    Raises:
        OSError: the disk refuses; an old checkpoint at `path` is unchanged.
        TypeError: `state` or `others` is not JSON-able; as above.
    """
    text = json.dumps({**(others or {}), KEY: {"schema": SCHEMA, **state}})
    write_atomic(path, text.encode())


def newest(folder: Path, *, at_most: int) -> Path | None:
    """Return the checkpoint with the highest step up to `at_most`, or None if there is none."""
    steps = [
        int(match[1])
        for path in folder.glob("step-*.json")
        if (match := _NAME.fullmatch(path.name)) and int(match[1]) <= at_most
    ]
    return folder / step_name(max(steps)) if steps else None


def read(path: Path) -> dict[str, Any]:
    """Return our state from the checkpoint at `path`.

    Raises:
        BadCheckpoint: the file is unreadable, damaged, not ours, or of another schema. The message
            gives the reason and the remedy.
    """
    try:
        state = parse_json(read_file(path))[KEY]
        schema = state["schema"]
    except OSError as error:
        raise _bad(path, refusal(error)) from None
    except (ValueError, KeyError, TypeError) as error:
        raise _bad(path, f"{type(error).__name__}: {error}") from None
    if schema != SCHEMA:
        raise _bad(path, f"its schema is {schema!r:.40}, this version reads {SCHEMA}")
    return dict(state)


def _bad(path: Path, reason: str) -> BadCheckpoint:
    return BadCheckpoint(
        f"{path} is not a checkpoint of this environment ({reason}): move it away to resume from "
        "an older checkpoint or to start anew."
    )
