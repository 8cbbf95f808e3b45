"""A state and the events after it, in one file that survives the death of its process.

::

    log = StateLog(folder / "progress.jsonl")
    log.read()                  # (None, []): there is no such file
    log.restart({"n": 12})      # replaces the file by one with this state
    log.append(["asked", 12])   # from here on, kill -9 does not lose the event
    log.read()                  # ({"schema": 1, "n": 12}, [["asked", 12]])

The first line is a JSON object, the state; each other line is a JSON list, an event. A reader
applies the events to the state. The writer restarts the file when the events have become long.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rgenv.runtime.files import parse_json, read_file, write_atomic
from rgenv.runtime.json_lines import JsonLines, line_of

SCHEMA = 1

LEAST_BYTES = 1 << 19
"""The file is long once its events have this many bytes, and more than twice those of the state."""

Event = list[Any]
"""A JSON-able list; its first element names what happened."""


class StateLog:
    """One state and its events; one process writes it.

    Args:
        path: its folder is created when the file is first written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: JsonLines | None = None
        self._state_bytes = self._event_bytes = 0

    def read(self) -> tuple[dict[str, Any] | None, list[Event]]:
        """Return the state and its events; the state is None if there is no file.

        A last line that a killed process did not finish is left out.

        Raises:
            OSError: the file can't be read.
            ValueError, KeyError, TypeError: it is damaged, or of another schema.
        """
        try:
            content = read_file(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None, []
        first, *lines = content.split(b"\n")[:-1]
        state = parse_json(first)
        require_schema(state)
        events = [parse_json(line) for line in lines]
        if not all(isinstance(event, list) and event for event in events):
            raise ValueError("a line is no event")
        return state, events

    def restart(self, state: Mapping[str, Any]) -> None:
        """Replace the file by one that holds this state and no events.

        Raises:
            OSError: the disk refuses; the file is unchanged.
            TypeError: the state is not JSON-able.
        """
        content = line_of({"schema": SCHEMA, **state})
        write_atomic(self.path, content)
        self.close()
        self._file = JsonLines(self.path)
        self._state_bytes, self._event_bytes = len(content), 0

    def append(self, event: Event) -> None:
        """Append an event; do nothing before `restart` or after an append that failed.

        Raises:
            OSError: the disk refuses, so nothing can be appended until `restart` works.
            TypeError: the event is not JSON-able.
        """
        if self._file is None:
            return
        line = json.dumps(event, separators=(",", ":")).encode() + b"\n"
        try:
            self._file.write(line)
        except OSError:
            self.close()
            raise
        self._event_bytes += len(line)

    @property
    def needs_restart(self) -> bool:
        """Whether an append failed, the file was deleted, or its events are long."""
        if self._file is None or self._file.is_gone:
            return True
        return self._event_bytes > max(LEAST_BYTES, 2 * self._state_bytes)

    def close(self) -> None:
        """Stop appending; idempotent."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()


def require_schema(state: Any) -> None:
    """Check that a state is one that this version reads; ValueError, KeyError, TypeError: no."""
    if (schema := state["schema"]) != SCHEMA:
        raise ValueError(f"its schema is {schema!r:.40}, this version reads {SCHEMA}")
