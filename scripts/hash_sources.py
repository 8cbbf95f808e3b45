"""Write the hashes of the tasks that our corrections apply to: rgenv/worker/sources.json.

    python scripts/hash_sources.py

Run it after the corrections were measured on another release of reasoning-gym, which is the
installed one. Until then, the tasks that differ there are served without any corrections. A test
fails if the file is not what this script makes.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rgenv.worker.coverage import TABLE_PATH, sources


def table() -> dict[str, Any]:
    """Return what the installed library gives."""
    release = importlib.metadata.version("reasoning-gym")
    return {"release": release, "tasks": dict(sorted(sources().items()))}


def main() -> None:
    """Write the file."""
    TABLE_PATH.write_text(json.dumps(table(), indent=1) + "\n", encoding="utf-8")
    print(f"{TABLE_PATH} is written.")


if __name__ == "__main__":
    main()
