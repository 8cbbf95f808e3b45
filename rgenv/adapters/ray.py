"""Ray: problems and scores made on many machines, as data sets of Ray Data.

A problem depends on its number alone, and a score on its row alone, so the result does not depend
on the number of machines, nor on what died meanwhile. Each actor has a pool of restricted worker
processes of its own.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from rgenv.errors import MakeFailed, StartupError, require_extra
from rgenv.export.columns import EXAMPLE, Row, problem_row
from rgenv.export.problem_set import UNDER_WAY, make_numbered
from rgenv.gym.clients import GymThread
from rgenv.gym.gym import Gym, in_jobs
from rgenv.gym.settings import Settings, read_settings
from rgenv.runtime.parts import in_order
from rgenv.text import one_line

require_extra("ray", ["ray", "pyarrow"], "rgenv.adapters.ray")

import pyarrow as pa
import ray
import ray.data
import ray.exceptions

BATCH = 1000
"""Rows that an actor gets at once."""

START = "start one with `ray start --head`, or write `--ray local`"


def make_problems(
    n: int,
    *,
    first: int = 0,
    levels: Sequence[float | None] = (None,),
    columns: str = "plain",
    actors: int | None = None,
    **settings: Any,
) -> ray.data.Dataset:
    """Make training problems, the same ones as `export --problems`, in any order.

    Args:
        first: the number of the first one.
        levels: each problem has one of them; empty: a random one each.
        columns: as `export --columns`; ``id``, the number of a problem, comes first.
        actors: how many; default: as many as the cluster has room for.
        settings: the arguments of `ReasoningGym`; each actor has `workers` processes.
    """
    last = first + n
    parts = [{"first": at, "last": min(at + BATCH, last)} for at in range(first, last, BATCH)]
    dataset = ray.data.from_items(parts, override_num_blocks=len(parts) or None)
    return _mapped(dataset, actors, settings, _made, tuple(levels), columns)


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
    # A block is work for one actor, which holds its rows; one of a file has up to 128 MB.
    blocks = dataset.repartition(target_num_rows_per_block=BATCH)
    return _mapped(blocks, actors, settings, _scored, recipe, completion)


def _mapped(
    dataset: ray.data.Dataset, actors: int | None, settings: dict[str, Any], *call: Any
) -> ray.data.Dataset:
    chosen = read_settings(**settings)
    sizes = {"min_size": 1} if actors is None else {"size": actors}
    most = max(node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])
    return dataset.map_batches(
        _Batches,
        fn_constructor_args=(chosen, *call),
        compute=ray.data.ActorPoolStrategy(**sizes),
        batch_size=None,
        batch_format="pyarrow",
        # An actor that reserves a whole machine leaves nothing to what reads and writes.
        num_cpus=max(1, min(chosen.scoring_workers, int(most) - 1)),
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
) -> pa.Table:
    [part] = batch.to_pylist()
    made = make_numbered(gym, levels, range(part["first"], part["last"]))
    rows = [{"id": n, **problem_row(columns, problem, "train", n)} async for n, problem in made]
    example = {"id": 0, **problem_row(columns, EXAMPLE, "train", 0)}
    return pa.Table.from_pylist(rows, pa.Table.from_pylist([example]).schema)


async def _scored(gym: Gym, batch: pa.Table, recipe: str, completion: str) -> pa.Table:
    recipes = map(str, batch[recipe].to_pylist())
    texts = ["" if text is None else str(text) for text in batch[completion].to_pylist()]
    calls = (_judged(gym, *job) for job in in_jobs(zip(recipes, texts, strict=True)))
    found = [row async for rows in in_order(calls, UNDER_WAY) for row in rows]
    columns = dict(zip(batch.column_names, batch.columns, strict=True))
    scores = pa.array([score for score, _ in found], pa.float64())  # a batch may have no rows
    verdicts = pa.array([verdict for _, verdict in found], pa.string())
    return pa.table({**columns, "score": scores, "verdict": verdicts})


async def _judged(gym: Gym, recipe: Any, texts: list[str]) -> list[tuple[float, str]]:
    """Score completions of one problem: score, and kind of verdict or why there is none."""
    try:
        verdicts = await gym.verdicts(recipe, texts)
    except (ValueError, MakeFailed) as error:
        return [(0.0, f"not scored: {one_line(error)}")] * len(texts)
    return [(verdict.score, verdict.kind) for verdict in verdicts]


# For `export --problems N --ray ADDRESS`


def connect(address: str) -> None:
    """Connect with a cluster, in which data sets then keep the order of their rows.

    ``auto`` is the one that this machine belongs to, ``local`` a new one on this machine alone.
    """
    target, named = address, ""
    try:
        if address == "auto":  # a cluster that is gone would be asked for minutes
            from ray._private.services import get_ray_address_from_environment

            target = get_ray_address_from_environment(address, None)
            named = ", which RAY_ADDRESS or /tmp/ray/ray_current_cluster names"
        host, _, port = target.rpartition("://")[2].rpartition(":")
        if host and port.isdigit():  # Ray ends the whole process where the port is closed
            socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise StartupError(
            f"No Ray cluster answers at {target!r}{named} ({one_line(error)}): {START}."
        ) from None
    try:
        ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
    except Exception as error:  # of a machine that is too slow, Ray raises just that
        raise StartupError(
            f"The Ray cluster {address!r} takes no connection ({one_line(error)}): {START}. If "
            "one runs there, it may want the token of its head: copy ~/.ray/auth_token, and set "
            "RAY_AUTH_MODE=token."
        ) from None
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # the sentences are ours


def disconnect() -> None:
    """End what `connect` began."""
    ray.shutdown()


async def numbered_rows(
    levels: Sequence[float | None], columns: str, settings: dict[str, Any], numbers: range
) -> AsyncGenerator[tuple[int, Row], None]:
    """Yield the rows of problems with their numbers, as they are made."""
    chosen = {"levels": levels, "columns": columns, **settings}
    made = make_problems(len(numbers), first=numbers.start, **chosen)
    try:
        tables = iter(made.iter_batches(batch_size=None, batch_format="pyarrow"))
        while (table := await asyncio.to_thread(next, tables, None)) is not None:
            for row in table.to_pylist():
                yield row.pop("id"), row
    except ray.exceptions.RayError as error:
        # Of a traceback, what the actor raised; what Ray says of that follows it.
        said = str(error).partition("\n\nThe above")[0].strip().splitlines()[-1][:300]
        raise StartupError(f"The Ray cluster makes no more problems: {said}") from None
