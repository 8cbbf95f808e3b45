"""The tasks of the learning example, and the environment's settings for each of its commands.

Options are those of run.py; their `changes` are for other tasks.
"""

import json
from argparse import Namespace
from pathlib import Path

from demo.launch import model_settings

TASK_WEIGHTS = {"spell_backward": 2, "spiral_matrix": 1}
TASK_CONFIGS = {"spiral_matrix": {"min_n": 2, "max_n": 3}}
"""Fixed at every level: larger matrices have long answers."""

WORKERS = 24
"""Groups that are sampled at the same time."""

GROUP_SIZE = 8

MAX_TOKENS = 128
"""Of prompt and completion. The longest correct rollouts have 90."""

Settings = dict[str, object]


def of_process(policy: str, options: Namespace) -> Settings:
    """Return the settings that save rollouts of the stand-in policy."""
    return {
        **_shared(policy, options),
        "env.data_path_to_save_groups": options.output / "warmup" / "groups.jsonl",
        "env.total_steps": options.warmup_items,
        "env.group_size": 1,
        "env.complexity_mode": "random",
        "env.random_level_range": "0.0,0.5",
        "env.num_eval_samples_per_task": 1,
        "env.eval_levels": "none",
        "env.seed": options.seed,
    }


def of_serve(api: str, server: str, options: Namespace, *, start_over: bool) -> Settings:
    """Return the settings for training; `start_over` asks the first problems again."""
    return {
        **_shared(server, options),
        "env.rollout_server_url": api,
        "env.group_size": GROUP_SIZE,
        "env.complexity_mode": "curriculum",
        "env.ensure_scores_are_not_same": "false",  # the trainer counts such groups
        "env.max_batches_offpolicy": 1,
        "env.max_num_workers": WORKERS,
        "env.total_steps": 10**6,  # more than the trainer takes: the trainer ends the run
        "env.steps_per_eval": -1,  # evaluations are commands of their own
        "env.dump_rollouts": "true",
        "env.dump_failed_rollouts": "true",  # the page of the run has all groups
        "env.data_dumps_dir": options.output / "rollouts",
        "env.seed": options.seed,
        "env.force": str(start_over).lower(),
        **options.changes,
    }


def of_evaluate(server: str, options: Namespace, results: Path, earlier: Path | None) -> Settings:
    """Return the settings for an evaluation, whose report compares it with an earlier one."""
    return {
        **_shared(server, options),
        "env.data_dir_to_save_evals": results,
        "env.eval_temperature": 1.0,  # as in training
        "openai.model_name": results.name,
        **({} if earlier is None else {"env.eval_compare": earlier}),
        **options.changes,
    }


def _shared(server: str, options: Namespace) -> Settings:
    return model_settings(server, options.tokenizer) | {
        "env.wandb_name": "learn",
        "env.task_names": ",".join(TASK_WEIGHTS),
        "env.task_weights": json.dumps(TASK_WEIGHTS),
        "env.task_configs": json.dumps(TASK_CONFIGS),
        "env.max_token_length": MAX_TOKENS,
        "env.eval_max_tokens": MAX_TOKENS,
        "env.num_eval_samples_per_task": options.eval_items,
        "env.eval_levels": "0.2,0.4",
        "openai.model_name": "small",
    }
