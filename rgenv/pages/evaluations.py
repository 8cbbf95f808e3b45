"""What an evaluation wrote beside its samples: its definition, its numbers, and what changed."""

from pathlib import Path
from typing import Any

from rgenv.saved.lines import mapping, number_of
from rgenv.storage.files import parse_json, read_file

ABOUT, METRICS, CHANGES = "evaluation.json", "metrics.json", "comparison.json"
"""Files in the folder of a finished evaluation (docs/formats.md); `CHANGES` may be missing."""

MOST_BYTES = 2**24


def read_evaluation(folder: Path) -> dict[str, Any] | None:
    """Return what the page shows of an evaluation; None: it is not finished.

    Numbers have their names without ``eval/``.
    """
    results = mapping(_read(folder / METRICS).get("results")).get("all")
    numbers = {
        name.removeprefix("eval/"): number
        for name, value in mapping(results).items()
        if (number := number_of(value)) is not None
    }
    if not numbers:
        return None
    changes = _read(folder / CHANGES)
    return {"about": _read(folder / ABOUT), "numbers": numbers, "changes": changes or None}


def _read(path: Path) -> dict[str, Any]:
    """Return a file's mapping; an empty one if there is none."""
    try:
        found = parse_json(read_file(path, at_most=MOST_BYTES))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
