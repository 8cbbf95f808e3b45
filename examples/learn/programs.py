"""The environment's command lines of a run: rollouts to warm up on, training, evaluation.

    serve(api, server, output, seed=1, group_size=8, eval_items=100)
    ["python", "reasoning_gym_environment.py", "serve", "--env.task_names", "spell_backward,…", …]

They are those that anybody would type; nothing here reaches into the environment.
"""

import json
import sys
from pathlib import Path

TASK_WEIGHTS = {"spell_backward": 2, "spiral_matrix": 1}
TASK_CONFIGS = {"spiral_matrix": {"min_n": 2, "max_n": 3}}  # at any level: larger ones are long
WARMUP_LEVELS = "0.0,0.5"
EVAL_LEVELS = "0.2,0.4"
WORKERS = 24  # groups under way at a time
MAX_TOKENS = 128  # of prompt and completion; the longest right ones take 90
ERROR_RATES = ("--error-rate", "0.6", "--format-error-rate", "0.1", "--overlong-rate", "0")


def policy_command(tokenizer: Path, seed: int) -> list[str]:
    """The rule policy, wrong more often than not: whose rollouts we begin with."""
    module = [sys.executable, "-m", "demo.policy_server", "--tokenizer", str(tokenizer)]
    return [*module, "--seed", str(seed), *ERROR_RATES]


def server_command(tokenizer: Path, weights: Path, seed: int) -> list[str]:
    module = [sys.executable, "-m", "examples.learn.server", "--tokenizer", str(tokenizer)]
    return [*module, "--weights", str(weights), "--seed", str(seed)]


def process(policy: str, output: Path, *, seed: int, items: int) -> list[str]:
    flags = {
        "env.data_path_to_save_groups": output / "warmup" / "groups.jsonl",
        "env.total_steps": items,
        "env.group_size": 1,
        "env.complexity_mode": "random",
        "env.random_level_range": WARMUP_LEVELS,
        "env.num_eval_samples_per_task": 1,
        "env.seed": seed,
        "openai.model_name": "rules",
    }
    return command("process", policy, output, flags)


def serve(
    api: str, server: str, output: Path, *, seed: int, group_size: int, eval_items: int
) -> list[str]:
    flags = {
        "env.rollout_server_url": api,
        "env.group_size": group_size,
        "env.complexity_mode": "curriculum",
        "env.ensure_scores_are_not_same": "false",  # the trainer counts them
        "env.max_batches_offpolicy": 1,
        "env.max_num_workers": WORKERS,
        "env.total_steps": 10**6,  # the trainer decides when it is over
        "env.steps_per_eval": 10**6,
        "env.num_eval_samples_per_task": eval_items,  # never asked in training
        "env.eval_levels": EVAL_LEVELS,
        "env.temperature": 1.0,
        "env.top_p": 1.0,
        "env.dump_rollouts": "true",
        "env.data_dumps_dir": output / "rollouts",
        "env.seed": seed,
        "openai.model_name": "small",
    }
    return command("serve", server, output, flags)


def evaluate(server: str, output: Path, folder: Path, *, eval_items: int) -> list[str]:
    flags = {
        "env.data_dir_to_save_evals": folder,
        "env.num_eval_samples_per_task": eval_items,
        "env.eval_levels": EVAL_LEVELS,
        "env.eval_temperature": 1.0,  # as in training: what the policy does, not its best guess
        "openai.model_name": folder.name,
    }
    return command("evaluate", server, output, flags)


def command(name: str, server: str, output: Path, more: dict[str, object]) -> list[str]:
    flags = {
        "env.tokenizer_name": output / "tokenizer",
        "env.use_wandb": "false",
        "env.wandb_name": "learn",
        "env.task_names": ",".join(TASK_WEIGHTS),
        "env.task_weights": json.dumps(TASK_WEIGHTS),
        "env.task_configs": json.dumps(TASK_CONFIGS),
        "env.max_token_length": MAX_TOKENS,
        "env.eval_max_tokens": MAX_TOKENS,
        "openai.server_type": "vllm",
        "openai.base_url": f"{server}/v1",
        "openai.tokenizer_name": output / "tokenizer",
        **more,
    }
    pairs = [text for name, value in flags.items() for text in (f"--{name}", str(value))]
    return [sys.executable, "reasoning_gym_environment.py", name, *pairs]
