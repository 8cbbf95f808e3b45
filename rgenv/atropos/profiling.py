"""The command `profile`: which model it asks, with which settings, and where the results go.

::

    profiled(Mine).get_cli_evaluate_config_cls()    # Atropos' class of the command

Atropos has no such command. It has the options of `evaluate`, and runs in its place.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from atroposlib.envs.base import BaseEnv

from rgenv.atropos.config import ReasoningGymEnvConfig, default_config
from rgenv.atropos.evaluation import new_runner, prompt_definition
from rgenv.atropos.run import Run
from rgenv.atropos.session import Session
from rgenv.evaluation import report as evaluation_report
from rgenv.evaluation.asking import Reply
from rgenv.evaluation.evaluate import default_folder
from rgenv.evaluation.sample_log import SampleLog
from rgenv.extras import require_extra
from rgenv.inference.policy import Policy
from rgenv.profiling import files, terminal
from rgenv.profiling.problems import CellProblems
from rgenv.profiling.profile import Profile
from rgenv.profiling.profiler import Profiler
from rgenv.profiling.verdicts import Rules
from rgenv.profiling.walk import Level
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

KEPT = (
    "task_modules",
    "tokenizer_name",
    "chat_template",
    "group_size",
    "temperature",
    "top_p",
    "strict_verifiers",
    "balance_labels",
    "curriculum_target_accuracy",
    "curriculum_counts_truncated",
    "max_prompt_tokens",
)
"""Options that the configuration file repeats, if they are not the defaults: with others, the
profile would be another one."""

SERVER = ("model_name", "base_url", "server_type", "tokenizer_name")
"""Settings of an inference server that it repeats; never a key."""


def profiled(env_cls: type[BaseEnv]) -> type[BaseEnv]:
    """Return an environment class that profiles the model where Atropos says `evaluate`."""

    async def run(env: Any) -> None:
        env.mode = "profile"
        await _command(env, env._run)

    body = {"_run_evaluate": run, "env_config_cls": env_cls.env_config_cls}
    return type(env_cls.__name__, (env_cls,), body)


async def _command(env: Any, run: Run) -> None:
    printed: list[str] = []

    async def loop() -> None:
        await env.setup()
        printed.append(await _profile(env, run, env.session))

    await run.command(env, loop)
    for text in printed:
        print(text, flush=True)


async def _profile(env: Any, run: Run, session: Session) -> str:
    """Profile the model, write the files, and return what to print.

    Raises:
        InferenceUnavailable: the server is down or refuses; the samples so far are saved.
        EvaluationMismatch: the folder holds the profile of another model, or other settings.
        OSError: the results can't be written.
        MissingExtra: what makes the page is not installed.
    """
    config: ReasoningGymEnvConfig = env.config
    require_extra("report", evaluation_report.LIBRARIES, "The page of a profile")
    about = _definition(config, session)
    folder = Path(config.profile_dir) if config.profile_dir else default_folder(about, "profiles")
    began = time.time()
    saved = SampleLog.open(folder, about, start_over=config.force, option="profile_dir")
    run.results = folder
    log.info("Results go to %s; the same command continues them.", folder)
    rules = Rules(group_size=config.group_size, error=config.profile_error)
    profiler = _profiler(config, session, env.server, rules)
    fixed = session.pool.fixed_tasks
    levels = list(dict.fromkeys(config.profile_levels))
    tasks = {task: [None] if task in fixed else levels for task in session.task_names}
    _log_size(config, tasks)
    try:
        cells = await profiler.run(tasks, saved)
    finally:
        saved.close()
    profile = Profile.of(
        about,
        cells,
        profiler.samples.values(),
        rules,
        completions=config.profile_completions,
        target=config.curriculum_target_accuracy,
    )
    written = files.write(
        folder,
        profile,
        _settings(config),
        [] if session.policy.chat_only else _servers(env.server.servers),
        limit=config.max_token_length,
    )
    return terminal.report(profile, folder, config=written, seconds=time.time() - began)


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
    config: ReasoningGymEnvConfig, session: Session, servers: Any, rules: Rules
) -> Profiler:
    def new_problems(task: str, level: Level) -> CellProblems:
        return CellProblems(
            session.gym.draw,
            task,
            level,
            seed=config.seed,
            balance_labels=config.balance_labels,
        )

    runner = new_runner(
        config,
        session.policy,
        session.pool,
        servers,
        session.categories,
        ask=functools.partial(_ask, session.policy),
    )
    return Profiler(
        runner,
        new_problems,
        rules=rules,
        completions=config.profile_completions,
        count_tokens=session.policy.expected_tokens,
    )


async def _ask(policy: Policy, problem: Problem) -> Reply:
    """Ask for a completion; one whose prompt leaves no room is cut before its first token."""
    if await policy.leaves_no_room(problem):
        return Reply(problem.messages, "", "length", 0)
    return await policy.evaluate(problem)


def _definition(config: ReasoningGymEnvConfig, session: Session) -> dict[str, Any]:
    """Return what the completions of a profile depend on.

    Tasks, levels and the number of completions are not among it: they may be changed in the same
    folder, and what was asked counts.
    """
    return {
        "kind": "profile",
        "seed": config.seed,
        "task_configs": dict(config.task_configs),
        "balance_labels": config.balance_labels,
        **prompt_definition(config, session.policy, session.pool.version),
    }


def _settings(config: ReasoningGymEnvConfig) -> dict[str, Any]:
    """Return the options that the configuration file repeats."""
    default = default_config(type(config))
    changed = {
        name: getattr(config, name)
        for name in KEPT
        if getattr(config, name) != getattr(default, name)
    }
    if config.task_configs:
        changed["task_configs"] = {task: dict(one) for task, one in config.task_configs.items()}
    return changed


def _servers(clients: list[Any]) -> list[Mapping[str, Any]]:
    """Return the settings of the inference servers that the configuration file repeats."""
    return [
        {name: value for name in SERVER if (value := getattr(client.config, name)) is not None}
        for client in clients
    ]
