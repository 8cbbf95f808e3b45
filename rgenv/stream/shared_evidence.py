"""What groups showed, exchanged between processes through one file that all of them append to.

A slow or broken folder costs evidence and nothing else: every replica also learns from its own
groups. A line is a JSON list: the name of its process, and the values of an `Evidence`.
"""

import contextlib
import logging
from collections.abc import Sequence
from pathlib import Path

import msgspec

from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines, line_of
from rgenv.stream.difficulty import Evidence

log = logging.getLogger(__name__)

NAME = "evidence.jsonl"

MOST_BYTES = 1 << 15
"""Of more new lines, one exchange reads the last: each takes a millisecond to learn."""

LINE = msgspec.json.Decoder(tuple[str, Evidence])


class SharedEvidence:
    """One process's access to the file; the `name` of each process differs."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / NAME
        self._name = name
        self._read: int | None = None
        self._warned = False

    def exchange(self, sent: Sequence[Evidence] = ()) -> list[Evidence]:
        """Append evidence, and return what others appended since the last call."""
        try:
            make_folder(self._path.parent)
            with contextlib.closing(JsonLines(self._path)) as file:
                if sent:
                    file.write(b"".join(line_of([self._name, evidence]) for evidence in sent))
            return self._new()
        except OSError as error:
            if not self._warned:
                log.warning("No evidence is exchanged with other replicas: %s.", error)
            self._warned = True
            return []

    def _new(self) -> list[Evidence]:
        with self._path.open("rb") as file:
            size = file.seek(0, 2)
            start = size if self._read is None else min(size, max(self._read, size - MOST_BYTES))
            file.seek(start)
            lines = file.read().rpartition(b"\n")[0]
        self._read = start + len(lines) + bool(lines)
        found = []
        for line in lines.splitlines():
            with contextlib.suppress(msgspec.MsgspecError):  # the first one may be incomplete
                name, evidence = LINE.decode(line)
                if name != self._name:
                    found.append(evidence)
        return found
