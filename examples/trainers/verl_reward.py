"""The reward function of verl.

    rgenv export data --problems 10000 --tasks gcd,maze --levels 0.5 --to parquet --columns verl
    python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
        data.train_files=data/data/train-00000-of-00001.parquet \\
        data.val_files=data/data/held_out-00000-of-00001.parquet \\
        reward.custom_reward_function.path=examples/trainers/verl_reward.py ...

Before verl 0.8 the last option is `custom_reward_function.path`.
"""

from __future__ import annotations

import functools
from typing import Any

from rgenv import ReasoningGym
from rgenv.types import SOLVED


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Any = None,
    thinking_opened: bool = False,
    **_: Any,
) -> dict[str, float]:
    """Score a completion; verl trains on ``score`` and reports ``acc``.

    Args:
        ground_truth: the recipe of the problem, as JSON.
        thinking_opened: the chat template opens the thinking, so completions only close it.
    """
    opening = "<think>" if thinking_opened else ""
    [score] = _gym().score(ground_truth, [opening + solution_str])
    return {"score": score, "acc": float(score >= SOLVED)}


@functools.cache
def _gym() -> ReasoningGym:
    return ReasoningGym(workers=1)  # verl has several processes that score
