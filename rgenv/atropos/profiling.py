"""The command `profile`: which model it asks, with which settings, and where the results go."""

import functools
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.atropos.config import ReasoningGymEnvConfig, default_config
from rgenv.atropos.evaluation import new_runner, prompt_definition
from rgenv.atropos.options import PROMPT_OPTIONS
from rgenv.evaluation.asking import Reply
from rgenv.evaluation.evaluate import default_folder
from rgenv.evaluation.sample_log import SampleLog
from rgenv.gym.gym import Gym
from rgenv.inference.policy import Policy
from rgenv.profiling import report
from rgenv.profiling.profile import Profile
from rgenv.profiling.walk import Level, Problems, Profiler, training_problems
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

KEPT = (
    "task_modules",
    "tokenizer_name",
    *PROMPT_OPTIONS,
    "group_size",
    "temperature",
    "top_p",
    "problems",
    "strict_verifiers",
    "balance_labels",
    "curriculum_target_accuracy",
    "max_prompt_tokens",
    "max_token_length",
)
"""Options that the configuration file repeats, if they are not the defaults: with others, the
profile would be another one."""

SERVER = ("model_name", "base_url", "server_type", "tokenizer_name")
"""Settings of an inference server that it repeats; never a key."""


async def profile(
    config: ReasoningGymEnvConfig,
    gym: Gym,
    policy: Policy,
    clients: Sequence[Any],
    *,
    opened: Callable[[Path], None],
) -> str:
    """Ask what is not answered yet, write the results, and return what to print.

    Args:
        opened: gets the folder of the results.
    """
    began = time.monotonic()
    about = profile_definition(config, gym, policy)
    folder = Path(config.profile_dir or default_folder(about, "profiles"))
    opened(folder)
    saved = SampleLog.open(folder, about, start_over=config.force, option="profile_dir")
    log.info("Results go to %s; the same command continues them.", folder)
    profiler = _profiler(config, gym, policy, clients)
    fixed = gym.pool.fixed_tasks
    levels = list(dict.fromkeys(config.profile_levels))
    tasks = {task: [None] if task in fixed else levels for task in gym.task_names}
    _log_size(config, tasks)
    try:
        cells = await profiler.run(tasks, saved)
    finally:
        saved.close()
    found = Profile.of(
        about,
        cells,
        group_size=config.group_size,
        completions=config.profile_completions,
        target=config.curriculum_target_accuracy,
    )
    servers = [] if policy.chat_only else _servers(clients)
    settings = _settings(config)
    if policy.chat_only:  # it needs none, and what training needs is not known
        settings.pop("tokenizer_name", None)
    written = report.write(folder, found, settings, servers)
    return report.printed(found, folder, config=written, seconds=time.monotonic() - began)


def _log_size(config: ReasoningGymEnvConfig, tasks: Mapping[str, Any]) -> None:
    cells = sum(map(len, tasks.values()))
    most = cells * config.profile_completions
    log.info(
        "%d tasks, %d cells, at most %d completions in each: at most %s requests and %s tokens of "
        "completions (%s each); clear cases take a fraction.",
        len(tasks),
        cells,
        config.profile_completions,
        f"{most:,}",
        f"{most * config.max_token_length:,}",
        f"{config.max_token_length:,}",
    )


def _profiler(
    config: ReasoningGymEnvConfig, gym: Gym, policy: Policy, clients: Sequence[Any]
) -> Profiler:
    def problems_of(task: str, level: Level) -> Problems:
        return training_problems(
            gym.draw_for_training,
            task,
            level,
            seed=config.seed,
            balance_labels=config.balance_labels,
        )

    runner = new_runner(
        config,
        policy,
        gym,
        clients,
        ask=functools.partial(_ask, policy),
        samples_each=1,
        title="Profiling",
        brief=True,
    )
    return Profiler(
        runner,
        problems_of,
        group_size=config.group_size,
        completions=config.profile_completions,
    )


async def _ask(policy: Policy, problem: Problem) -> Reply:
    """Ask for a completion; one whose prompt leaves no room is cut before its first token."""
    if await policy.leaves_no_room(problem):
        return Reply(problem.messages, "", "length", 0)
    return await policy.evaluate(problem)


def profile_definition(config: ReasoningGymEnvConfig, gym: Gym, policy: Policy) -> dict[str, Any]:
    """Return what the completions of a profile depend on.

    Tasks, levels and the number of completions are not among it: they may be changed in the same
    folder, and what was asked counts.
    """
    return {
        "kind": "profile",
        "seed": config.seed,
        "task_configs": dict(config.task_configs),
        "balance_labels": config.balance_labels,
        **prompt_definition(config, policy, gym.pool.version),
    }


def _settings(config: ReasoningGymEnvConfig) -> dict[str, Any]:
    default = default_config(type(config)).model_dump(mode="json")
    chosen = config.model_dump(mode="json", include=set(KEPT))
    changed = {name: chosen[name] for name in KEPT if chosen[name] != default[name]}
    if config.task_configs:
        changed["task_configs"] = {task: dict(one) for task, one in config.task_configs.items()}
    return changed


def _servers(clients: Sequence[Any]) -> list[Mapping[str, Any]]:
    return [
        {name: value for name in SERVER if (value := getattr(client.config, name)) is not None}
        for client in clients
    ]
