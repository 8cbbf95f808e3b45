"""Read words, truth values and plain text."""

from __future__ import annotations

from collections.abc import Mapping

from rgenv.worker.values.kind import Kind

KINDS: Mapping[str, Kind] = {}
