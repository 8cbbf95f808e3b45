"""Compare what is made with recordings: data/recordings.json.gz, or data/contract.json.gz.

A change that alters items, scores or files on purpose records them again, and says so:

    RECORD=1 python -m pytest tests/test_recordings.py  # or test_conformance.py, test_hostile.py
"""

import gzip
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from tests.support.paths import DATA

FILE = DATA / "recordings.json.gz"
RECORDING = bool(os.environ.get("RECORD"))


def short_hash(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def recording(file: Path, *way: str, found: Any) -> Any:
    """Return what is recorded at the end of a way of keys; record `found` there if asked to."""
    top = json.loads(gzip.decompress(file.read_bytes())) if file.exists() else {}
    *keys, last = way
    place = top
    for key in keys:
        place = place.setdefault(key, {})
    if RECORDING:
        place[last] = found
        text = json.dumps(top, sort_keys=True, indent=0)
        file.write_bytes(gzip.compress(text.encode(), mtime=0))
    return place[last]


def compare(name: str, found: Any) -> None:
    """Compare `found` with the recording of that name, or record it."""
    plain = json.loads(json.dumps(found))
    theirs = recording(FILE, name, found=plain)
    if isinstance(plain, list):
        for place, (one, other) in enumerate(zip(plain, theirs)):  # noqa: B905
            assert one == other, f"{name}, {place}"
    assert plain == theirs
