"""Read the files that RolloutDump writes."""

import json
from pathlib import Path
from typing import Any


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def dump_rows(folder: Path, label: str = "rollouts") -> list[dict[str, Any]]:
    """Return the rows of all finished files with a label, in the order of the file names."""
    paths = sorted(folder.glob(f"reasoning_gym_environment_{label}_*.jsonl"))
    return [row for path in paths for row in rows(path)]
