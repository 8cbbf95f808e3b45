"""What the environment evaluates, with which runner, and where the results go."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from atroposlib.envs.base import BaseEnvConfig

from rgenv.atropos.config import ReasoningGymEnvConfig, is_set
from rgenv.atropos.startup import Mode
from rgenv.dialogue.prompts import QUESTION
from rgenv.errors import BadUsage
from rgenv.evaluation.asking import Ask
from rgenv.evaluation.compare import FINISHED
from rgenv.evaluation.evaluate import Evaluation, default_folder, evaluate
from rgenv.evaluation.identity import digest, scoring_version
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.gym.gym import Gym
from rgenv.inference.policy import Policy, Sampling
from rgenv.runtime.files import set_aside, write_atomic
from rgenv.secrets import without_secrets
from rgenv.stream.held_out import choose_eval_tasks
from rgenv.task_names import choose_tasks
from rgenv.text import level_name
from rgenv.types import Problem


def save_configuration(folder: Path, config: BaseEnvConfig, servers: Sequence[Any]) -> None:
    """Write the options of an evaluation, without secrets, as a file that --config takes."""
    content = {
        "env": config.model_dump(mode="json"),
        "openai": [server.model_dump(mode="json") for server in servers],
    }
    text = yaml.dump(without_secrets(content), sort_keys=False)
    write_atomic(folder / "evaluate_config.yaml", text.encode())


def chosen_tasks(
    config: ReasoningGymEnvConfig,
    categories: Mapping[str, str],
    task_names: list[str],
    mode: Mode,
) -> list[str]:
    """Return the tasks to evaluate, by default those of the training.

    Outside `evaluate`, it is a fixed selection of `num_eval_tasks`.
    """
    if mode == "profile":  # it makes a set of its own
        return []
    names = task_names
    if config.eval_tasks:
        names = choose_tasks(categories, config.eval_tasks, configured=list(config.task_configs))
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
    """Return the runner over the worker pool."""
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


def training_sampling(config: ReasoningGymEnvConfig) -> Sampling:
    return Sampling(
        config.max_token_length,
        config.temperature,
        config.top_p,
        adapts=not is_set(config, "max_token_length"),
    )


def evaluation_sampling(
    config: ReasoningGymEnvConfig, *, chat_only: bool, as_in_training: bool = False
) -> Sampling:
    """Return the sampling parameters of evaluation; those of training if `as_in_training`."""
    if config.eval_request and not chat_only:
        raise BadUsage(
            "--env.eval_request changes requests to OpenAI's chat API: set --openai.server_type "
            "openai, or leave it out."
        )
    if as_in_training:
        return replace(training_sampling(config), changes=config.eval_request)
    return Sampling(
        config.eval_max_tokens or 2 * config.max_token_length,
        config.eval_temperature,
        config.eval_top_p,
        limit_option="eval_max_tokens",
        changes=config.eval_request,
        adapts=config.eval_max_tokens is None,
    )


def evaluation_definition(
    config: ReasoningGymEnvConfig,
    policy: Policy,
    gym: Gym,
    problems: Sequence[Problem],
    step: int | None,
) -> dict[str, Any]:
    """Return what defines an evaluation: problems, model, prompt, sampling and verifiers.

    Two evaluations with equal definitions can be merged.
    """
    return {
        **prompt_definition(config, policy, gym.pool.version),
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
    request = policy.evaluation.request
    template = config.question_template
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


def evaluation_folder(
    configured: str | None, about: Mapping[str, Any], *, always: bool, replica: str = ""
) -> Path | None:
    """Return the folder for the results, in `serve` one for each step of each replica.

    Without a configured one, it is one of this evaluation if `always`; else they are not kept.
    """
    if configured is None:
        return default_folder(about) if always else None
    step = about["step"]
    return Path(configured) if step is None else Path(configured, replica, f"step-{step:06d}")


async def evaluate_set(
    config: ReasoningGymEnvConfig,
    policy: Policy,
    gym: Gym,
    runner: EvaluationRunner,
    problems: Sequence[Problem],
    *,
    clients: Sequence[Any],
    is_command: bool,
    step: int | None,
    opened: Callable[[Path], None],
) -> Evaluation:
    """Ask for a set once, and write the results.

    Args:
        is_command: whether this is what the command is for; it then always has a folder.
        step: of the training that it runs beside.
        opened: gets the folder, once it is known to hold this evaluation, or none.
    """

    def noted(folder: Path) -> None:
        opened(folder)
        if is_command:
            save_configuration(folder, config, [client.config for client in clients])

    about = evaluation_definition(config, policy, gym, problems, step)
    replica = f"replica{config.replica_id}" if config.num_replicas > 1 else ""
    folder = evaluation_folder(
        config.data_dir_to_save_evals, about, always=is_command, replica=replica
    )
    if folder and step is not None and (folder / FINISHED).exists():
        set_aside(folder)  # it may be that of an earlier run
    return await evaluate(
        problems,
        runner,
        about=about,
        folder=folder,
        opened=noted,
        start_over=config.force or step is not None,
        baseline=Path(config.eval_compare) if is_command and config.eval_compare else None,
        count_tokens=policy.expected_tokens if is_command else None,
    )
