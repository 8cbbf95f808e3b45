"""The version of the scoring: which code turns a completion into a score.

Two evaluations with different versions can differ although the model did not change.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = (
    "tasks",
    "worker",
    *(f"dialogue/{name}.py" for name in ("formats", "pattern", "reading")),
)
"""What scores depend on, relative to the package; all files of a folder."""


@cache
def scoring_version() -> str:
    """Return 16 hex digits over the source files of the scoring, which change with any of them."""
    return digest_of(PACKAGE)


def digest_of(package: Path) -> str:
    """Return the digest over the `SOURCES` in a copy of the package."""
    digest = hashlib.blake2b(digest_size=8)
    for source in SOURCES:
        path = package / source
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in (".py", ".json"):
                content = hashlib.blake2b(file.read_bytes()).hexdigest()
                digest.update(f"{file.relative_to(package).as_posix()} {content}\n".encode())
    return digest.hexdigest()
