"""verl: the reward function for rows of ``export --columns verl``.

::

    python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
        data.train_files=data/data/train-00000-of-00001.parquet \\
        data.val_files=data/data/held_out-00000-of-00001.parquet \\
        reward.custom_reward_function.path=pkg://rgenv.adapters.verl ...

The processes of a machine that score share one gym, an actor of Ray.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from rgenv.adapters.ray import NOT_SCORED, score_together
from rgenv.errors import BadUsage
from rgenv.types import SOLVED

log = logging.getLogger(__name__)

OF_VERL = {"reward_router_address", "reward_model_tokenizer"}
"""Arguments that verl's reward managers add."""


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

    Args:
        ground_truth: the recipe of the problem, as JSON.
        thinking_opened: the chat template opens the thinking, so completions only close it.
        workers: restricted processes of a machine that check answers.
        task_modules, strict_verifiers, problems: as in `ReasoningGym`.

    A recipe that makes no problem scores 0, and the log says why.

    Raises:
        BadUsage: there is another argument, which nobody would read.
    """
    if unknown := sorted(others.keys() - OF_VERL):
        raise BadUsage(f"reward_kwargs has {unknown[0]!r}, which is no option: see {__name__}.")
    completion = f"<think>{solution_str}" if thinking_opened else solution_str
    [(score, verdict)] = score_together(
        *(ground_truth, [completion]),
        workers=workers,
        task_modules=tuple(task_modules),
        strict_verifiers=strict_verifiers,
        problems=problems,
    )
    if verdict.startswith(NOT_SCORED):
        log.warning("%s: %s", data_source, verdict)
    return {"score": score, "acc": float(score >= SOLVED)}


def score(*args: Any, **options: Any) -> float:
    """Score a completion as a number, for `verl.trainer.main_eval`, which takes no more."""
    return compute_score(*args, **options)["score"]
