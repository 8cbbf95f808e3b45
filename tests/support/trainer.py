"""Atropos' example trainer, from the wheel of atroposlib, on groups that a test has."""

from __future__ import annotations

import copy
from typing import Any


def training_step(model: Any, groups: list[dict[str, Any]], *, lr: float = 1e-3) -> dict[str, Any]:
    """Take one step of grpo.py on a CPU, in place, and return its metrics.

    `alignment/diff_max` is how far its log probabilities are at most from those of the groups.
    """
    import torch
    from example_trainer import training
    from example_trainer.config import TrainingConfig
    from example_trainer.data import pad_data_to_good_offset

    settings = TrainingConfig(
        model_name="local", device="cpu", lr=lr, gradient_accumulation_steps=1, warmup_steps=0
    )
    tokens, labels, advantages, temperatures, logprobs = pad_data_to_good_offset(
        {"batch": copy.deepcopy(groups)}, batch_size=4
    )
    metrics = training.run_training_step(
        model,
        torch.optim.AdamW(model.parameters(), lr=lr),
        tokens,
        labels,
        [batch.float() for batch in advantages],
        temperatures,
        settings,
        0,
        logprobs,
    )
    return {**metrics, **training._logprob_alignment_stats}  # what it logs
