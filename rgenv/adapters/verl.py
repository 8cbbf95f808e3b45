"""verl: the reward function for rows of ``export --columns verl``.

The processes of a machine that score share one gym, an actor of Ray. It starts with the first call
and reserves nothing.
"""

from __future__ import annotations

import functools
import itertools
import logging
import time
from collections.abc import Sequence
from typing import Any

import ray
import ray.exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from rgenv.errors import BadUsage, MakeFailed
from rgenv.gym.clients import AsyncReasoningGym
from rgenv.runtime.backoff import pause
from rgenv.text import one_line
from rgenv.types import SOLVED, Verdict

log = logging.getLogger(__name__)

ATTEMPTS = 7
"""Of reaching the actor: for some seconds, Ray may offer one that has ended."""


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Any = None,
    thinking_opened: bool = False,
    workers: int = 2,
    task_modules: Sequence[str] = (),
    strict_verifiers: bool = True,
    problems: str = "library",
    **others: Any,
) -> dict[str, float]:
    """Score a completion; verl trains on ``score`` and reports ``acc``.

    A recipe that makes no problem scores 0, and the log says why.

    Args:
        ground_truth: the recipe of the problem, as JSON.
        thinking_opened: the chat template opens the thinking, so completions only close it.
        workers, task_modules, strict_verifiers, problems: as in `ReasoningGym`.
    """
    of_verl = {"reward_router_address", "reward_model_tokenizer"}  # its managers add them
    if unknown := sorted(others.keys() - of_verl):
        raise BadUsage(f"reward_kwargs has {unknown[0]!r}, which is not an option: see {__name__}.")
    completion = f"<think>{solution_str}" if thinking_opened else solution_str
    settings = (workers, tuple(task_modules), strict_verifiers, problems)
    try:
        verdict = _verdict(settings, ground_truth, completion)
    except ray.exceptions.RayTaskError as error:
        if not isinstance(error.cause, (ValueError, MakeFailed)):
            raise
        log.warning("%s: not scored: %s", data_source, one_line(error.cause))
        return {"score": 0.0, "acc": 0.0}
    return {"score": verdict.score, "acc": float(verdict.score >= SOLVED)}


def score(*args: Any, **options: Any) -> float:
    """Score a completion as a number, for `verl.trainer.main_eval`, which takes no more."""
    return compute_score(*args, **options)["score"]


def _verdict(settings: tuple[Any, ...], recipe: str, completion: str) -> Verdict:
    for failures in itertools.count(1):
        try:
            [verdict] = ray.get(_shared(*settings).verdicts.remote(recipe, [completion]))
            break
        except ray.exceptions.RayActorError:  # it ended, as the process that had started it did
            _shared.cache_clear()
            if failures == ATTEMPTS:
                raise
            time.sleep(pause(failures))
    found: Verdict = verdict
    return found


@functools.cache
def _shared(workers: int, modules: tuple[str, ...], strict: bool, problems: str) -> Any:
    """Return the actor of this machine; the settings of the first call count."""
    machine = ray.get_runtime_context().get_node_id()
    gym = ray.remote(AsyncReasoningGym).options(
        name=f"rgenv-{machine}",
        get_if_exists=True,
        num_cpus=0,
        max_concurrency=1000,
        scheduling_strategy=NodeAffinitySchedulingStrategy(machine, soft=False),
    )
    return gym.remote(
        workers=workers, task_modules=modules, strict_verifiers=strict, problems=problems
    )
