"""Work in geometry and chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.worker.verifiers.shared import Entry

PROXIES: Mapping[str, Callable[[Entry], float]] = {}
