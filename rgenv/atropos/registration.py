"""What a registration at the rollout API means: when the run ends, what it shares."""

import logging
from pathlib import Path
from typing import Any

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.options import FROM_TRAINER
from rgenv.errors import StartupError
from rgenv.stream.shared_evidence import SharedEvidence
from rgenv.stream.source import ItemSource

log = logging.getLogger("ReasoningGymEnv")

STREAM_OPTIONS = {
    "seed",
    "task_names",
    "exclude_tasks",
    "task_modules",
    "task_weights",
    "task_configs",
    "problems",
    "balance_labels",
    "complexity_mode",
    "random_level_range",
    "start_levels",
    "max_prompt_tokens",
}
"""The options that determine which problems are asked, in which order."""


def registration(config: ReasoningGymEnvConfig) -> dict[str, Any]:
    """Return what the rollout API is told of this environment."""
    return {
        "max_token_length": config.max_token_length,
        "desired_name": config.wandb_name,
        "weight": config.inference_weight,
        "min_batch_allocation": config.min_batch_allocation,
        "group_size": config.group_size,
    }


def check_steps(steps: int, total_steps: int) -> None:
    """Check that the run has an end, or raise StartupError; warn if the trainer's is later."""
    if total_steps == FROM_TRAINER and steps < 1:
        raise StartupError(
            f"The trainer registered num_steps {steps}, so nothing says when this run ends: set "
            "--env.total_steps, or num_steps in the trainer."
        )
    if total_steps != FROM_TRAINER and steps > total_steps:
        log.warning(
            "This environment ends at step %d (--env.total_steps), before the %d steps of the "
            "trainer, which then waits for batches.",
            total_steps,
            steps,
        )


def share_evidence(source: ItemSource, config: ReasoningGymEnvConfig, checkpoint_dir: str) -> None:
    """Let the curriculum learn from the groups of the other replicas, if there are any."""
    learns = config.complexity_mode == "curriculum"
    if learns and config.num_replicas > 1 and checkpoint_dir:
        folder = Path(checkpoint_dir, "env_checkpoints", f"{config.wandb_name}_evidence")
        source.share(SharedEvidence(folder, f"replica{config.replica_id}"))
