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
import contextlib
import functools
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from rgenv.errors import MakeFailed, StartupError, require_extra
from rgenv.export.columns import problem_row
from rgenv.export.numbered import UNDER_WAY, make_numbered
from rgenv.gym.gym import Gym, in_jobs
from rgenv.gym.gym_thread import GymThread
from rgenv.gym.settings import Settings, read_settings
from rgenv.runtime.parts import in_order
from rgenv.text import one_line

require_extra("ray", ["ray", "pyarrow"], "rgenv.adapters.ray")

import pyarrow as pa
import ray
import ray.data
import ray.exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

T = TypeVar("T")

CONNECT_SECONDS = 10.0

BATCH = 1000
"""Rows that an actor gets at once."""

CALLS = 2
"""Calls of a cluster in each actor: one waits there while another one is answered."""

START = "start one with `ray start --head`, or write `--ray local`"

NOT_SCORED = "not scored"

Judged = tuple[float, str]
"""A score, and the kind of its verdict, or why there is none."""

ATTEMPTS = 10
"""Actors that may die with one call before the work is given up."""


def make_problems(
    n: int,
    *,
    levels: Sequence[float | None] = (None,),
    columns: str = "plain",
    actors: int | None = None,
    **settings: Any,
) -> ray.data.Dataset:
    """Make training problems, the same ones as `export --problems`, in any order.

    Args:
        levels: of which each problem has one; empty: a random one each.
        columns: whose names the columns have, as `export --columns`; ``id``, the number of a
            problem, comes first.
        actors: how many; default: as many as the cluster has room for.
        settings: the arguments of `ReasoningGym`; each actor has `workers` processes.
    """
    return _mapped(ray.data.range(n), actors, settings, _made, tuple(levels), columns)


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
        actors, settings: as in `make_problems`. Leave processors to what reads and writes: a
            number of actors that reserves all of them waits for ever.
    """
    return _mapped(dataset, actors, settings, _scored, recipe, completion)


def _mapped(
    dataset: ray.data.Dataset, actors: int | None, settings: dict[str, Any], *call: Any
) -> ray.data.Dataset:
    chosen = read_settings(**settings)
    sizes = {"min_size": 1} if actors is None else {"size": actors}
    # A block is work for one actor, which holds its rows; one of a file has up to 128 MB.
    return dataset.repartition(target_num_rows_per_block=BATCH).map_batches(
        _Batches,
        fn_constructor_args=(chosen, *call),
        compute=ray.data.ActorPoolStrategy(**sizes),
        batch_size=BATCH,
        batch_format="pyarrow",
        num_cpus=chosen.scoring_workers,
    )


class _Batches:
    """Calls a function with a gym and a batch of rows."""

    def __init__(self, settings: Settings, function: Callable[..., Any], *args: Any) -> None:
        self._thread = GymThread(settings)
        self._function, self._args = function, args

    def __call__(self, batch: pa.Table) -> Any:
        thread = self._thread
        return thread.wait(thread.submit(lambda gym: self._function(gym, batch, *self._args)))


async def _made(
    gym: Gym, batch: pa.Table, levels: tuple[float | None, ...], columns: str
) -> dict[str, Any]:
    found = await make_numbered(gym, levels, batch["id"].to_pylist())
    rows = [{"id": n, **problem_row(columns, problem, "train", n)} for n, problem in found]
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


async def _scored(gym: Gym, batch: pa.Table, recipe: str, completion: str) -> pa.Table:
    recipes = map(str, batch[recipe].to_pylist())
    texts = ["" if text is None else str(text) for text in batch[completion].to_pylist()]
    calls = (_judged(gym, *job) for job in in_jobs(zip(recipes, texts, strict=True)))
    found = [row async for rows in in_order(calls, UNDER_WAY) for row in rows]
    columns = dict(zip(batch.column_names, batch.columns, strict=True))
    scores = pa.array([score for score, _ in found], pa.float64())  # a batch may have no rows
    verdicts = pa.array([verdict for _, verdict in found], pa.string())
    return pa.table({**columns, "score": scores, "verdict": verdicts})


async def _judged(gym: Gym, recipe: Any, texts: list[str]) -> list[Judged]:
    try:
        verdicts = await gym.verdicts(recipe, texts)
    except (ValueError, MakeFailed) as error:  # what is wrong with a row stays in its row
        return [(0.0, f"{NOT_SCORED}: {one_line(error)}")] * len(texts)
    return [(verdict.score, verdict.kind) for verdict in verdicts]


def score_together(recipe: str, completions: Sequence[str], **settings: Any) -> list[Judged]:
    """Score completions of one problem by a gym that all processes of a job on a machine share.

    Each score comes with its reason.

    It is an actor, which starts with the first call and reserves nothing: call this where a
    framework has a process for each reward, as verl does.

    Args:
        settings: the arguments of `ReasoningGym`, all hashable; those of the first call count.
    """
    try:
        judged: list[Judged] = _score_together(recipe, completions, settings)
    except ray.exceptions.RayActorError:  # it ended, as the process that had started it did
        _shared.cache_clear()
        judged = _score_together(recipe, completions, settings)
    return judged


def _score_together(recipe: str, completions: Sequence[str], settings: dict[str, Any]) -> Any:
    return ray.get(_shared(**settings).run.remote(_judged, recipe, completions))


@functools.cache
def _shared(**settings: Any) -> Any:
    machine = ray.get_runtime_context().get_node_id()
    return (
        ray.remote(_Actor)
        .options(
            name=f"rgenv-{machine}",
            get_if_exists=True,
            num_cpus=0,
            max_concurrency=1000,
            scheduling_strategy=NodeAffinitySchedulingStrategy(machine, soft=False),
        )
        .remote(functools.partial(Gym.start, read_settings(**settings)))
    )


class Cluster:
    """Runs functions in the actors of a cluster; a `Place` as in rgenv/runtime/parts.py.

    Args:
        address: of the cluster; ``auto``: the one that this machine belongs to; ``local``: a new
            one on this machine alone.
        start: ``await start()`` returns what an actor gives to the functions.
        processors: how many an actor reserves, or all of the largest machine if that has fewer.

    Raises:
        StartupError: no cluster answers.
    """

    def __init__(
        self, address: str, start: Callable[[], Awaitable[Any]], *, processors: int
    ) -> None:
        try:
            _require_answer(address)
        except OSError as error:
            raise StartupError(
                f"No Ray cluster answers at {address!r} ({one_line(error)}): {START}."
            ) from None
        try:
            ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
        except Exception as error:  # of a machine that is too slow, Ray raises just that
            raise StartupError(
                f"The Ray cluster {address!r} takes no connection ({one_line(error)}): {START}. If "
                "one runs there, it may want the token of its head: copy ~/.ray/auth_token."
            ) from None
        cores = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
        reserved = min(processors, max(cores)) or processors
        room = max(1, sum(number // reserved for number in cores))
        self._new_actor = ray.remote(num_cpus=reserved, max_concurrency=CALLS)(_Actor).remote
        self._start = start
        self._actors: dict[Any, asyncio.Task[None]] = {}
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        self.calls = CALLS * room
        for _ in range(room):
            self._add()

    def _add(self) -> None:
        actor = self._new_actor(self._start)
        self._actors[actor] = asyncio.create_task(self._admit(actor))

    async def _admit(self, actor: Any) -> None:
        """Give an actor calls once it runs: others may hold the room that it waits for."""
        with contextlib.suppress(ray.exceptions.RayError):  # its first call says so
            await actor.__ray_ready__.remote()
        for _ in range(CALLS):
            self._free.put_nowait(actor)

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Call a function in an actor that is free, or in another one if that dies.

        Raises:
            StartupError: one actor after another died.
        """
        for _ in range(ATTEMPTS):
            actor = await self._free.get()
            try:
                result: T = await actor.run.remote(function, *args)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from error
            except ray.exceptions.RayError as error:  # it or its result is lost, or had no memory
                self._replace(actor)
                lost = error
            else:
                return result
            finally:
                if actor in self._actors:
                    self._free.put_nowait(actor)
        said = str(lost).strip().splitlines()[-1][:300]
        raise StartupError(f"{ATTEMPTS} actors of the Ray cluster died with the same work: {said}")

    def _replace(self, actor: Any) -> None:
        """Replace an actor; the other one runs where and when there is room."""
        if actor in self._actors:
            del self._actors[actor]
            ray.kill(actor)
            self._add()

    async def close(self) -> None:
        """End the actors; idempotent."""
        for actor, admission in self._actors.items():
            admission.cancel()
            ray.kill(actor)
        self._actors = {}


def _require_answer(address: str) -> None:
    """Check that a port is open: Ray ends the whole process where it is not.

    Raises:
        OSError: nobody answers there.
    """
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()


class _Actor:
    """Gives functions what `start` returns, which begins with the first call."""

    def __init__(self, start: Callable[[], Awaitable[Any]]) -> None:
        self._start = start
        self._held: asyncio.Future[Any] | None = None

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        if self._held is None:
            self._held = asyncio.ensure_future(self._start())
        return await function(await asyncio.shield(self._held), *args)
