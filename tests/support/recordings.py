"""Compare what the environment does with data/recordings.json.gz.

A change that alters items, scores or files on purpose records them again, and says so:

    RECORD=1 python -m pytest tests/test_recordings.py  # or test_conformance.py, test_hostile.py
"""

import gzip
import hashlib
import json
import os
from typing import Any

from tests.support.paths import DATA

FILE = DATA / "recordings.json.gz"
RECORDING = bool(os.environ.get("RECORD"))


def short_hash(*parts: Any) -> str:
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=6).hexdigest()


def compare(name: str, found: Any) -> None:
    """Compare `found` with the recording of that name, or record it."""
    recordings = json.loads(gzip.decompress(FILE.read_bytes())) if FILE.exists() else {}
    plain = json.loads(json.dumps(found))
    if RECORDING:
        text = json.dumps({**recordings, name: plain}, sort_keys=True, indent=0)
        FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    if isinstance(plain, list):
        for place, (mine, theirs) in enumerate(zip(plain, recordings.get(name, plain))):  # noqa: B905
            assert mine == theirs or RECORDING, f"{name}, {place}"
    assert RECORDING or plain == recordings[name]
