"""The tasks of the experiment, and what the environment's settings change for them."""

from pathlib import Path

from demo.launch import model_settings

TASKS = ("calendar_arithmetic", "gcd", "letter_counting", "spell_backward")
LEVEL = 0
SYSTEM_PROMPT = "Write the answer only."
ANSWER_FORMAT = "(.+)"
"""The answer is the only line of a completion: a few tokens, for a core samples 75 in a second."""


def training_changes(tokenizer: Path) -> dict[str, object]:
    """Return what differs from the settings of examples/learn."""
    return {
        "env.tokenizer_name": tokenizer,
        "openai.tokenizer_name": tokenizer,
        "env.task_names": ",".join(TASKS),
        "env.task_weights": "{}",
        "env.task_configs": "{}",
        "env.complexity_mode": "random",
        "env.random_level_range": f"{LEVEL},{LEVEL}",
        "env.eval_levels": LEVEL,
        "env.system_prompt": SYSTEM_PROMPT,
        "env.answer_format": ANSWER_FORMAT,
        "env.think_tags": "none",
        "env.max_num_workers": 16,  # groups that are sampled at the same time: a batch
    }


def as_it_comes_settings(server: str, tokenizer: Path, results: Path) -> dict[str, object]:
    """Return the settings for an evaluation of the untrained model on all tasks."""
    return model_settings(server, tokenizer) | {
        "env.data_dir_to_save_evals": results,
        "env.wandb_name": "model",
        "env.examples": 4,  # without them it writes no answer tags
        "env.num_eval_samples_per_task": 1,
        "env.eval_levels": f"none,{LEVEL}",
        "env.eval_max_tokens": 2048,
        "openai.model_name": "smollm2",
    }
