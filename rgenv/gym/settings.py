"""Settings: what determines the problems and their scores, as plain values.

::

    settings = Settings(task_names=["gcd"], seed=7)
    pool = await start_pool(settings)

The names are those of the environment's options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from rgenv.dataset.difficulty import check_target
from rgenv.dataset.stream import MAX_REPLICAS
from rgenv.errors import BadUsage, PoolBroken, StartupError
from rgenv.gym.recipes import check_parameters
from rgenv.pool import task_modules
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.worker.protocol import WorkerSettings


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What determines the problems and their scores.

    Args:
        task_names: tasks to serve: names, categories or patterns (``*_sorting``); empty: all.
        exclude_tasks: tasks not to serve, likewise.
        task_modules: files, or importable names, of modules that register a user's own tasks.
        task_weights: how often a task is drawn; tasks without a weight have 1.
        task_configs: keyword parameters for reasoning-gym, by task; they override the level's.
        seed: of the stream of problems.
        replica_id, num_replicas: the place of this process among those that share a stream.
        balance_labels: limit how often one reference answer comes.
        curriculum_target_accuracy: the accuracy that the curriculum steers each task to.
        curriculum_counts_truncated: cut completions count as wrong in the curriculum.
        random_level_range: the lowest and the highest level of random difficulty.
        start_levels: task -> the level at which the curriculum begins with it.
        min_score_spread: scores of a group that differ by less count as equal.
        eval_seed: of the held-out problems.
        strict_verifiers: use our verifiers and corrections where the library's are proven wrong.
        scoring_workers: processes that make problems and score answers.
        scoring_timeout: seconds that scoring one answer may take; making a problem may take twice
            as long.
        require_wall: refuse to start unless the workers have every layer of their sandbox that this
            machine could have.

    Raises:
        BadUsage: a value makes no sense.
    """

    task_names: Sequence[str] = ()
    exclude_tasks: Sequence[str] = ()
    task_modules: Sequence[str | PathLike[str]] = ()
    task_weights: Mapping[str, float] = field(default_factory=dict)
    task_configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = 42
    replica_id: int = 0
    num_replicas: int = 1
    balance_labels: bool = True
    curriculum_target_accuracy: float = 0.7
    curriculum_counts_truncated: bool = True
    random_level_range: tuple[float, float] = (0.0, 1.0)
    start_levels: Mapping[str, float] = field(default_factory=dict)
    min_score_spread: float = 0.05
    eval_seed: int = 123
    strict_verifiers: bool = True
    scoring_workers: int = 2
    scoring_timeout: float = 5.0
    require_wall: bool = False

    def __post_init__(self) -> None:
        for name, least in (("scoring_workers", 1), ("num_replicas", 1)):
            if getattr(self, name) < least:
                raise BadUsage(f"{name} is {getattr(self, name)}: it must be at least {least}.")
        if not 0 <= self.replica_id < self.num_replicas <= MAX_REPLICAS:
            raise BadUsage(
                f"There is no replica_id {self.replica_id} among num_replicas "
                f"{self.num_replicas}: ids count from 0, and there are at most {MAX_REPLICAS}."
            )
        if not self.scoring_timeout > 0:
            raise BadUsage(f"scoring_timeout is {self.scoring_timeout}: it must be above 0.")
        low, high = self.random_level_range
        if not 0 <= low <= high <= 1:
            raise BadUsage(f"random_level_range is {low}, {high}: both lie in [0, 1], in order.")
        starts = self.start_levels
        if bad := [name for name in starts if not 0 <= starts[name] <= 1]:
            raise BadUsage(f"start_levels: {bad[0]} has {starts[bad[0]]}: a level is in [0, 1].")
        weights = self.task_weights
        if bad := [name for name in weights if not 0 < weights[name] < float("inf")]:
            raise BadUsage(
                f"task_weights: weights must be positive numbers; exclude {bad[0]!r} instead."
            )
        _require_parameters(self.task_configs)
        try:
            check_target(self.curriculum_target_accuracy)
        except ValueError as error:
            raise BadUsage(f"curriculum_target_accuracy: {error}.") from None


def _require_parameters(task_configs: Mapping[str, Any]) -> None:
    for task, parameters in task_configs.items():
        if not isinstance(parameters, Mapping):
            raise BadUsage(f"task_configs.{task} is {parameters!r:.60}: write a mapping.")
        try:
            check_parameters(parameters, f"task_configs.{task}")
        except ValueError as error:
            raise BadUsage(f"{error}.") from None


async def start_pool(settings: Settings) -> WorkerPool:
    """Start the worker pool.

    Raises:
        StartupError: reasoning-gym is missing, or no worker can be started.
        BadUsage: a module with a user's own tasks can't be found or loaded.
    """
    generation_timeout = 2 * settings.scoring_timeout
    pool = WorkerPool(
        workers=settings.scoring_workers,
        scoring_timeout=settings.scoring_timeout,
        generation_timeout=generation_timeout,
        settings=WorkerSettings(
            import_path=checkout_path(),
            strict=settings.strict_verifiers,
            balance_labels=settings.balance_labels,
            request_cpu_seconds=10 + 2 * generation_timeout,
            task_modules=task_modules.found(settings.task_modules),
        ),
        require_wall=settings.require_wall,
    )
    try:
        await pool.start()
        await task_modules.require_sound(pool)
    except PoolBroken as error:
        raise StartupError(str(error)) from None
    except BaseException:
        await pool.close()
        raise
    return pool
