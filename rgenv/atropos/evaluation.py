"""What the environment evaluates, with which runner, and where the results go."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.startup import Mode
from rgenv.dialogue.prompts import QUESTION
from rgenv.evaluation.asking import Ask
from rgenv.evaluation.compare import FINISHED
from rgenv.evaluation.evaluate import default_folder
from rgenv.evaluation.identity import digest, scoring_version
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.gym.gym import Gym
from rgenv.inference.policy import Policy
from rgenv.runtime.files import set_aside, write_atomic
from rgenv.secrets import without_secrets
from rgenv.stream.held_out import choose_eval_tasks
from rgenv.task_names import choose_tasks
from rgenv.text import level_name
from rgenv.types import Problem


def chosen_tasks(config: ReasoningGymEnvConfig, gym: Gym, mode: Mode) -> list[str]:
    """Return the tasks to evaluate, by default those of the training; not all beside it."""
    if mode == "profile":  # it makes a set of its own
        return []
    names = gym.task_names
    if config.eval_tasks:
        configured = list(config.task_configs)
        names = choose_tasks(gym.categories, config.eval_tasks, configured=configured)
    count = 0 if mode == "evaluate" else config.num_eval_tasks
    return choose_eval_tasks(names, count, eval_seed=config.eval_seed)


def new_runner(
    config: ReasoningGymEnvConfig,
    gym: Gym,
    clients: Sequence[Any],
    ask: Ask,
    *,
    samples_each: int,
    title: str = "Evaluating",
) -> EvaluationRunner:
    return EvaluationRunner(
        ask,
        gym.pool.score,
        samples_each=samples_each,
        concurrency=sum(client.config.num_requests_for_eval for client in clients),
        categories=gym.categories,
        patience=config.outage_patience,
        first_patience=config.startup_timeout,
        title=title,
    )


def evaluation_definition(
    config: ReasoningGymEnvConfig,
    policy: Policy,
    version: str,
    problems: Sequence[Problem],
    step: int | None,
) -> dict[str, Any]:
    """Return what defines an evaluation: problems, model, prompt, sampling and verifiers.

    Two evaluations with equal definitions can be merged.

    Args:
        version: of reasoning-gym.
        step: of the training that it runs beside.
    """
    return {
        **prompt_definition(config, policy, version),
        "set": digest(problems),
        "items": len(problems),
        "samples_per_item": config.eval_samples_per_item,
        "levels": [level_name(level) for level in config.eval_levels],
        "eval_seed": config.eval_seed,
        "limit": config.eval_limit if len(problems) == config.eval_limit else None,
        "step": step,
    }


def prompt_definition(
    config: ReasoningGymEnvConfig, policy: Policy, version: str
) -> dict[str, Any]:
    """Return what completions and their scores depend on, beside the problems."""
    request, template = policy.evaluation.request, config.question_template
    further = {
        "question_template": _hash(template) if template != QUESTION else None,
        "examples": config.examples,
        "chat_template_kwargs": dict(config.chat_template_kwargs),
    }
    return {
        "model": policy.model,
        "temperature": request.get("temperature"),
        "top_p": request.get("top_p"),
        "max_tokens": request.get("max_completion_tokens", request.get("max_tokens")),
        "request": without_secrets(config.eval_request) or None,
        "problems": config.problems,
        "strict_verifiers": config.strict_verifiers,
        "reasoning_gym": version,
        "verifiers": scoring_version(),
        "system_prompt": _hash(policy.dialogue.system),
        "chat_template": _hash(policy.chat_template) if policy.chat_template else None,
        **policy.dialogue.reading.recipe,
        **{name: value for name, value in further.items() if value},
    }


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def results_folder(
    config: ReasoningGymEnvConfig, about: dict[str, Any], *, is_command: bool, step: int | None
) -> Path | None:
    """Return where results go: for the command always somewhere, else where a folder is set.

    Beside training, each step and replica has a folder; one of an earlier run is set aside.
    """
    folder = Path(config.data_dir_to_save_evals) if config.data_dir_to_save_evals else None
    if is_command:
        return folder or default_folder(about)
    if folder is None or step is None:
        return folder
    replica = f"replica{config.replica_id}" if config.num_replicas > 1 else ""
    folder = folder / replica / f"step-{step:06d}"
    if (folder / FINISHED).exists():
        set_aside(folder)
    return folder


def save_question(folder: Path, config: ReasoningGymEnvConfig, clients: Sequence[Any]) -> None:
    """Save what the command was asked with, as a file that --config takes."""
    servers = [client.config.model_dump(mode="json") for client in clients]
    content = {"env": config.model_dump(mode="json"), "openai": servers}
    text = yaml.dump(without_secrets(content), sort_keys=False)
    write_atomic(folder / "evaluate_config.yaml", text.encode())
