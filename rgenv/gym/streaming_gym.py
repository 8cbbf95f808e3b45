"""StreamingGym: a gym with its streams of training problems, and the methods of both clients."""

import asyncio
import itertools
import logging
from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

import msgspec

from rgenv.errors import BadUsage
from rgenv.gym.gym import Gym
from rgenv.gym.recipes import (
    LevelChoice,
    ProblemOrRecipe,
    read_count,
    read_level,
    read_scores,
    read_stream_level,
)
from rgenv.gym.settings import Settings
from rgenv.gym.try_tasks import levels_of, try_tasks
from rgenv.pool.pool import WorkerPool
from rgenv.stream.difficulty import Evidence
from rgenv.stream.source import ItemSource, StreamState
from rgenv.task_names import require_task
from rgenv.text import one_line
from rgenv.types import Problem

log = logging.getLogger(__name__)

SCHEMA = 1


class StreamingGym(Gym):
    """A gym with a stream of problems for each way of choosing levels."""

    def __init__(self, settings: Settings, pool: WorkerPool) -> None:
        super().__init__(settings, pool)
        # The curriculum learns from the first group on, even if its stream begins later.
        self._streams: dict[LevelChoice, ItemSource] = {"curriculum": self.new_source("curriculum")}
        self._tried: set[LevelChoice] = set()
        self._trying = asyncio.Lock()

    async def next(self, level: LevelChoice) -> Problem:
        """Return the next problem of the stream for this way of choosing levels."""
        async with self._trying:
            if level not in self._tried:  # parameters of the user, where a stream begins or leads
                configs = self.settings.task_configs
                tasks = [task for task in self.task_names if task in configs]
                levels = levels_of(level, self.settings.random_level_range)
                await try_tasks(self.make, itertools.product(tasks, levels), configs)
                self._tried.add(level)
        if level not in self._streams:
            self._streams[level] = self.new_source(level)
        return await self._streams[level].next()

    async def held_out(
        self, task: str, n: SupportsIndex, level: float | None = None
    ) -> list[Problem]:
        """Return evaluation problems of a task, which `problems` never serves, in any process.

        Args:
            n: how many; tasks with few different problems return fewer.
            level: difficulty in [0, 1]; None for the task's default parameters.

        Raises:
            BadUsage: an argument makes no sense.
        """
        count, at = read_count(n), read_level(level)
        require_task(task, self.categories)
        return await self.evaluation_set(count, [at]).of_task(task) if count else []

    async def observe(
        self, problem: ProblemOrRecipe, scores: Iterable[float], cut: Iterable[bool] | None = None
    ) -> float | None:
        """Let the curriculum learn from the scores of one problem's completions.

        Args:
            problem: a problem, its recipe, or that as a JSON string.
            scores: as `score` returned them: a list, an array or a tensor.
            cut: for each, whether its completion was cut at the token limit; None: none was.

        Returns:
            The new level of the problem's task if the curriculum moved, else None.

        Raises:
            BadUsage: the recipe is none, a score is not in [0, 1], or `cut` has another length.
        """
        known, listed = self.read(problem), read_scores(scores)
        cuts = [False] * len(listed) if cut is None else [bool(end) for end in cut]
        if len(cuts) != len(listed):
            raise BadUsage(f"There are {len(listed)} scores and {len(cuts)} values of cut.")
        group = Evidence.of(known.task, known.level, listed, cuts)
        moved = [stream.difficulty.learn(group) for stream in self._streams.values()]
        return next((level for level in moved if level is not None), None)

    async def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state of `problems` and of what `observe` taught.

        A gym with the same arguments goes on exactly where this one stands, after
        `load_state_dict`: the next problem of each stream is the same.
        """
        streams = [
            {"level": level, "state": msgspec.to_builtins(stream.state())}
            for level, stream in self._streams.items()
        ]
        return {"schema": SCHEMA, "tasks": sorted(self.task_names), "streams": streams}

    async def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; the log says if it is of a gym with other tasks.

        Raises:
            BadUsage: it is damaged, or of another version; nothing is changed.
        """
        streams: dict[LevelChoice, ItemSource] = {}
        try:
            if state["schema"] != SCHEMA:
                raise ValueError(f"schema {state['schema']}, expected {SCHEMA}")
            for saved in state["streams"]:
                level = read_stream_level(saved["level"])
                streams[level] = self.new_source(level)
                streams[level].load(msgspec.convert(saved["state"], StreamState))
            if "curriculum" not in streams:
                raise ValueError("it has no curriculum")
            if others := set(state["tasks"]) ^ set(self.task_names):
                log.warning(
                    "The state is of a gym with other tasks (one of the two lacks %s): this gym "
                    "goes on at the same place with its own.",
                    one_line(", ".join(sorted(others))),
                )
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BadUsage(
                f"This is not the state of a gym ({type(error).__name__}: {error}): pass what "
                "state_dict() returned, or what json.loads made of it."
            ) from None
        before, self._streams = self._streams, streams
        for stream in before.values():
            await stream.close()

    async def close(self) -> None:
        """End the streams and the workers."""
        for stream in self._streams.values():
            await stream.close()
        await self.pool.close()
