"""Tell which groups no longer count, because their run asked their problem again.

A run asks each problem once. It has a second group only if the process was killed before the first
one was delivered, or the trainer went back to a step before it. Either way, the trainer goes on
with the last one.
"""

from __future__ import annotations

import hashlib
import json

from rgenv.saved.lines import SavedGroup


class LastGroups:
    """Knows the last group of each problem of each run."""

    def __init__(self) -> None:
        self._last: dict[bytes, tuple[float, str]] = {}

    def add(self, saved: SavedGroup) -> str:
        """Return the id of the group that no longer counts, this one or another; "" for none."""
        if not saved.run:  # then nothing tells groups of different runs apart
            return ""
        problem = json.dumps([saved.run, saved.recipe], sort_keys=True)
        key = hashlib.blake2b(problem.encode(), digest_size=12).digest()
        new = saved.time or 0.0, saved.group
        old = self._last.setdefault(key, new)
        if old[1] == new[1]:
            return ""
        if old[0] > new[0]:
            return new[1]
        self._last[key] = new
        return old[1]
