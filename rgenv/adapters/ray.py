"""Ray: problems and scores made on many machines.

::

    problems = make_problems(1_000_000, tasks=["arithmetic"], levels=[None, 0.5], seed=42)
    problems.write_parquet("s3://bucket/problems")
    scored = score(ray.data.read_parquet("s3://bucket/completions"))    # recipe, completion

Both return a data set of Ray Data. A problem depends on its number alone, and a score on its row
alone, so the result does not depend on the number of machines, nor on what died meanwhile. Each
actor has a pool of restricted worker processes of its own.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from rgenv.errors import MakeFailed, StartupError, require_extra
from rgenv.gym.gym import Gym
from rgenv.gym.host import Host
from rgenv.gym.settings import Settings, start_pool
from rgenv.problem_sets.columns import CONVENTIONS
from rgenv.problem_sets.numbered import make_numbered

require_extra("ray", ["ray", "pyarrow"], "rgenv.adapters.ray")

import ray
import ray.data
import ray.exceptions

T = TypeVar("T")

CONNECT_SECONDS = 10.0

BATCH = 1000
"""Rows that an actor gets at once."""


def make_problems(
    n: int,
    *,
    levels: Sequence[float | None] = (None,),
    columns: str = "plain",
    actors: int | None = None,
    **settings: Any,
) -> ray.data.Dataset:
    """Make training problems, the same ones as `export --problems`.

    Args:
        levels: of which each problem has one; empty: a random one each.
        columns: whose names the columns have, as `export --columns`.
        actors: how many; default: as many as the cluster has room for.
        settings: the arguments of `ReasoningGym`; each actor has `workers` processes.
    """
    chosen = Settings(**settings)
    return ray.data.range(n).map_batches(
        _Maker,
        fn_constructor_args=(chosen, tuple(levels), columns),
        **_compute(chosen, actors),
    )


def score(
    dataset: ray.data.Dataset,
    *,
    recipe: str = "recipe",
    completion: str = "completion",
    actors: int | None = None,
    **settings: Any,
) -> ray.data.Dataset:
    """Add the columns ``score`` and ``verdict`` to rows with a recipe and a completion.

    A row that can't be scored, because its recipe makes no problem, has the score 0 and says why.

    Args:
        recipe, completion: the names of the columns.
        actors, settings: as in `make_problems`.
    """
    chosen = Settings(**settings)
    return dataset.map_batches(
        _Scorer, fn_constructor_args=(chosen, recipe, completion), **_compute(chosen, actors)
    )


def _compute(settings: Settings, actors: int | None) -> dict[str, Any]:
    sizes = {"min_size": 1} if actors is None else {"size": actors}
    strategy = ray.data.ActorPoolStrategy(**sizes)
    return {"compute": strategy, "batch_size": BATCH, "num_cpus": settings.workers}


class _Maker:
    """Makes the problems of a batch of numbers."""

    def __init__(self, settings: Settings, levels: tuple[float | None, ...], columns: str) -> None:
        self._host = Host(settings)
        self._levels = levels
        self._row = CONVENTIONS[columns].row

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        numbers = [int(n) for n in batch["id"]]
        found = self._host.run(lambda running: make_numbered(running.gym, self._levels, numbers))
        rows = [self._row(problem, "train", n) for n, problem in found]
        return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


class _Scorer:
    """Scores a batch of completions."""

    def __init__(self, settings: Settings, recipe: str, completion: str) -> None:
        self._host = Host(settings)
        self._recipe, self._completion = recipe, completion

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        pairs = list(zip(batch[self._recipe], batch[self._completion], strict=True))
        found = self._host.run(lambda running: _verdicts(running.gym, pairs))
        scores, said = zip(*found, strict=True)
        return {**batch, "score": list(scores), "verdict": list(said)}


async def _verdicts(gym: Gym, pairs: list[tuple[Any, Any]]) -> list[tuple[float, str]]:
    free = asyncio.Semaphore(16 * gym.settings.workers)

    async def one(recipe: Any, completion: Any) -> tuple[float, str]:
        async with free:
            try:
                [verdict] = await gym.verdicts(str(recipe), [str(completion)])
            except (ValueError, MakeFailed) as error:  # what is wrong with a row stays in its row
                return 0.0, f"not scored: {error}"
        return verdict.score, verdict.kind

    return await asyncio.gather(*(one(*pair) for pair in pairs))


class Cluster:
    """Runs functions of a gym in the actors of a cluster.

    Args:
        address: of the cluster; ``auto``: the one that this machine belongs to; ``local``: a new
            one on this machine alone.

    Raises:
        StartupError: no cluster answers.
    """

    def __init__(self, address: str, settings: Settings) -> None:
        try:
            _require_answer(address)
            ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
        except (OSError, RuntimeError, ValueError) as error:
            said = str(error).splitlines()[0][:200]
            raise StartupError(
                f"No Ray cluster answers at {address!r} ({said}): start one with `ray start "
                "--head`, or write `--ray local`."
            ) from None
        room = int(ray.cluster_resources().get("CPU", 1)) // settings.workers
        self._actor = ray.remote(num_cpus=min(settings.workers, room or 1), max_concurrency=2)(
            _Actor
        )
        self._settings = settings
        self._actors: list[Any] = []
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        for _ in range(max(1, room)):
            self._add()

    def _add(self) -> None:
        actor = self._actor.remote(self._settings)
        self._actors.append(actor)
        for _ in range(2):  # the next call waits in the actor while one is answered
            self._free.put_nowait(actor)

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Return ``await function(gym, *args)`` of an actor that is free, or of another if it dies.

        An actor whose machine died may never find room again, so nobody waits for it.
        """
        while True:
            actor = await self._free.get()
            try:
                result: T = await actor.run.remote(function, *args)
            except ray.exceptions.RayActorError:
                self._drop(actor)
                continue
            except BaseException:
                self._free.put_nowait(actor)
                raise
            self._free.put_nowait(actor)
            return result

    def _drop(self, actor: Any) -> None:
        if actor in self._actors:
            self._actors.remove(actor)
        if not self._actors:
            self._add()

    async def close(self) -> None:
        """End the actors; idempotent."""
        for actor in self._actors:
            ray.kill(actor)
        self._actors = []


def _require_answer(address: str) -> None:
    """Check that a port is open: Ray ends the whole process where it is not.

    Raises:
        OSError: nobody answers there.
    """
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()


class _Actor:
    """A gym, which starts with the first call."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._gym: asyncio.Task[Gym] | None = None

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        if self._gym is None:
            self._gym = asyncio.create_task(self._start())
        return await function(await asyncio.shield(self._gym), *args)

    async def _start(self) -> Gym:
        return Gym(self._settings, await start_pool(self._settings))
