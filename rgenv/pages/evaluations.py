"""What an evaluation wrote beside its samples: its definition, its numbers, and what changed."""

from pathlib import Path
from typing import Any

from rgenv.runtime.files import parse_json, read_file

ABOUT, METRICS, CHANGES = "evaluation.json", "metrics.json", "comparison.json"
"""Files in the folder of a finished evaluation (docs/files.md); `CHANGES` may be missing."""

MOST_BYTES = 2**24


def read_evaluation(folder: Path) -> dict[str, Any] | None:
    """Return what the page shows of an evaluation; None: it is not finished.

    Numbers have their names without ``eval/``.
    """
    try:
        numbers = _read(folder / METRICS)["results"]["all"].items()
    except (LookupError, TypeError, AttributeError):  # it is there only at the end, and of others
        return None
    names = [(name.removeprefix("eval/"), value) for name, value in numbers]
    return {
        "about": _read(folder / ABOUT),
        "numbers": {name: value for name, value in names if isinstance(value, int | float)},
        "changes": _read(folder / CHANGES) or None,
    }


def _read(path: Path) -> dict[str, Any]:
    """Return a file's mapping; an empty one if there is none."""
    try:
        found = parse_json(read_file(path, at_most=MOST_BYTES))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
