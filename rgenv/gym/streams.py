"""Streams: the training problems of a gym, one stream for each way of choosing levels.

The streams of a gym have the same tasks in the same order, and problems of different levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rgenv.dataset.source import ItemSource
from rgenv.errors import BadUsage
from rgenv.gym.recipes import Level, read_scores
from rgenv.types import Problem

SCHEMA = 1


class Streams:
    def __init__(self, new_source: Callable[[Level], ItemSource]) -> None:
        self._new_source = new_source
        # The curriculum learns from the first group on, even if its stream begins later.
        self._sources: dict[Level, ItemSource] = {"curriculum": new_source("curriculum")}

    async def next(self, level: Level) -> Problem:
        return await self._source(level).next()

    def _source(self, level: Level) -> ItemSource:
        if level not in self._sources:
            self._sources[level] = self._new_source(level)
        return self._sources[level]

    def observe(
        self,
        problem: Problem,
        scores: Iterable[float],
        cut: Iterable[bool] | None = None,
    ) -> float | None:
        """Pass the scores of one group to the curriculum of each stream."""
        listed = read_scores(scores)
        cuts = [False] * len(listed) if cut is None else [bool(end) for end in cut]
        if len(cuts) != len(listed):
            raise BadUsage(f"There are {len(listed)} scores and {len(cuts)} values of cut.")
        moved = [source.observe(problem, listed, cuts) for source in self._sources.values()]
        return next((level for level in moved if level is not None), None)

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state from which `load_state_dict` continues exactly."""
        streams = [
            {"level": level, "state": source.state_dict([])}
            for level, source in self._sources.items()
        ]
        return {"schema": SCHEMA, "streams": streams}

    async def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace all streams; raise BadUsage, and change nothing, if the state is damaged."""
        sources: dict[Level, ItemSource] = {}
        try:
            if state["schema"] != SCHEMA:
                raise ValueError(f"schema {state['schema']}, expected {SCHEMA}")
            for stream in state["streams"]:
                source = sources[stream["level"]] = self._new_source(stream["level"])
                source.load_state_dict(stream["state"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadUsage(
                f"This is no state of a gym ({type(error).__name__}: {error}): pass what "
                "state_dict() returned, or what json.loads made of it."
            ) from None
        before, self._sources = self._sources, sources
        for source in before.values():
            await source.close()

    async def close(self) -> None:
        """Drop the problems that were made ahead; idempotent."""
        for source in self._sources.values():
            await source.close()
