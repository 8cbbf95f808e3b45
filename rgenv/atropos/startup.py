"""What a command does before its work: log levels, folders, what it builds, one try of all."""

import functools
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.options import unwritable
from rgenv.atropos.servers import ScriptedServer, speaks_chat_only
from rgenv.errors import BadUsage, joined
from rgenv.gym.try_tasks import levels_of, try_tasks
from rgenv.inference.chat_templates import chat_template
from rgenv.inference.first_request import try_prompts, try_servers
from rgenv.inference.policy import Generation, Policy, Sampling
from rgenv.rollouts.groups_file import GroupsFile
from rgenv.rollouts.recorder import FILES, Dumps, RolloutDump
from rgenv.runtime.json_lines import cut_torn_lines
from rgenv.runtime.preflight import require_writable
from rgenv.secrets import remember, without_secrets
from rgenv.stream.source import Make
from rgenv.text import counted
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

Mode = Literal["serve", "process", "evaluate", "profile", "embedded"]
"""The command that runs; embedded: a program calls the methods of the class itself."""

GOOD_BATCH, FAILED_BATCH = 100, 50
"""Groups in one file of a dump."""


def set_up_logging(config: ReasoningGymEnvConfig) -> None:
    """Set what is logged of us and of Atropos."""
    level = logging.DEBUG if config.debug_logging else logging.INFO
    suppress_base = config.suppress_base_env_logs
    for name in ("ReasoningGymEnv", "rgenv"):
        logging.getLogger(name).setLevel(level)
    base = logging.getLogger("atroposlib.envs.base")  # Atropos sets the level of this one itself
    for logger in (logging.getLogger("atroposlib"), base):
        logger.setLevel(logging.WARNING if suppress_base else level)
    base.addFilter(_is_news) if suppress_base else base.removeFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a line of Atropos is not one for each group that it skips: we count these."""
    return not record.getMessage().endswith("in a group, skipping...")


def log_configuration(config: ReasoningGymEnvConfig, servers: Any) -> None:
    """Log the configuration without its secrets, for debugging, and hide them from now on."""
    settings = servers if isinstance(servers, list) else [servers]
    shown = {"env": config.model_dump(), "openai": [server.model_dump() for server in settings]}
    remember(shown)
    log.debug("Configuration: %s", without_secrets(shown))


def open_groups_file(config: ReasoningGymEnvConfig) -> GroupsFile | None:
    """Open the file of `data_path_to_save_groups`, if any, and note its name there."""
    if config.data_path_to_save_groups is None:
        return None
    wanted = Path(config.data_path_to_save_groups)
    require_writable(wanted.parent, "data_path_to_save_groups")
    file = GroupsFile(wanted, start_over=config.force)
    config.data_path_to_save_groups = str(file.path)
    return file


def check_options(mode: Mode, config: ReasoningGymEnvConfig) -> None:
    """Check that a command can write its results; warn of options that train something else."""
    if errors := unwritable(mode, config):
        raise joined(*errors)
    if mode == "process" and config.group_size == 1:
        log.warning("Groups of one completion: nothing in them can be compared (--env.group_size).")
    if mode == "serve" and (config.temperature, config.top_p) != (1.0, 1.0):
        log.warning(
            "Completions are sampled at temperature %g and top_p %g: the trainer must compute the "
            "same distribution, and the server return its log probabilities (docs/running.md).",
            *(config.temperature, config.top_p),
        )


def new_policy(
    config: ReasoningGymEnvConfig,
    servers: Any,
    tokenizer: Any,
    mode: Mode,
    **of_requests: Any,
) -> Policy:
    """Return what asks the model for completions; `of_requests` is for `Generation`."""
    clients = servers.servers
    training = Sampling(
        *(config.max_token_length, config.temperature, config.top_p),
        adapts="max_token_length" not in config.model_fields_set,
    )
    evaluation = Sampling(
        config.eval_max_tokens or 2 * config.max_token_length,
        *(config.eval_temperature, config.eval_top_p),
        limit_option="eval_max_tokens",
        adapts=config.eval_max_tokens is None,
    )
    evaluation = replace(training if mode == "profile" else evaluation, changes=config.eval_request)
    scripted = any(isinstance(client, ScriptedServer) for client in clients)
    generation = Generation(
        servers,
        patience=config.outage_patience,
        vocabulary=lambda: math.inf if scripted else len(tokenizer),
        **of_requests,
    )
    return Policy(
        generation,
        tokenizer,
        model=", ".join(dict.fromkeys(client.config.model_name for client in clients)),
        training=training,
        evaluation=evaluation,
        dialogue=config.dialogue,
        template_kwargs=config.chat_template_kwargs,
        own_template=chat_template(config.chat_template) if config.chat_template else None,
        chat_only=speaks_chat_only(clients),
        scripted=scripted,
    )


def new_dumps(config: ReasoningGymEnvConfig, folder: Path, version: str, run_id: str) -> Dumps:
    """Return where groups are saved, as `dump_rollouts` and `dump_failed_rollouts` say."""
    new = functools.partial(RolloutDump, folder, run_id=run_id)
    failed = new(batch_size=FAILED_BATCH, label="FAILED_rollouts")
    return Dumps(
        above_threshold=new(batch_size=GOOD_BATCH) if config.dump_rollouts else None,
        failed=failed if config.dump_failed_rollouts else None,
        threshold=config.rollout_save_score_threshold,
        version=version,
        run_id=run_id,
    )


def log_start(
    mode: Mode,
    config: ReasoningGymEnvConfig,
    task_names: Sequence[str],
    version: str,
    dumps: Path | None,
) -> None:
    """Log what is served or asked; `dumps` is where rollouts are saved, if they are."""
    tasks = f"{counted(len(task_names), 'task')} of reasoning-gym {version}"
    if mode in ("evaluate", "profile"):
        log.info("Asking %s.", tasks)
        return
    if config.num_replicas > 1:
        log.info("This is replica %d of %d.", config.replica_id, config.num_replicas)
    log.info(
        "Serving %s; groups of %d, up to %d tokens; difficulty: %s.",
        *(tasks, config.group_size, config.max_token_length, config.complexity_mode or "defaults"),
    )
    if dumps is not None:
        log.info("Rollouts are saved to %s.", dumps)
        cut_torn_lines(dumps, FILES)


async def try_once(
    mode: Mode,
    config: ReasoningGymEnvConfig,
    make: Make,
    policy: Policy,
    *,
    training: Sequence[str],
    evaluation: Sequence[str],
    until_ready: Callable[[], Awaitable[None]] | None,
) -> set[str]:
    """Do all that a run does once: make problems, template prompts, ask the servers.

    A program that calls the methods of the class itself may have no chat template and need few
    tasks: there, only the tasks with configured parameters are tried.

    Returned are the tasks of the evaluation whose prompts leave no room.
    """
    make_all = functools.partial(try_tasks, make, task_configs=config.task_configs)
    levels = levels_of(config.complexity_mode, config.random_level_range)
    configured = [*levels, *config.eval_levels]
    await make_all([(task, level) for task in config.task_configs for level in configured])
    if mode == "embedded":
        return set()
    trained: list[Problem] = []
    if mode == "profile":  # a task whose prompts are too long is a result
        made = await make_all([(task, config.profile_levels[0]) for task in training])
        trained = sorted(made, key=lambda problem: len(problem.question))[:1]
    elif mode != "evaluate":
        starts = config.start_levels
        trained = await make_all([(task, starts.get(task, levels[-1])) for task in training])
        _require_short(config, policy, trained)
    hardest = max(config.eval_levels, key=lambda level: -1.0 if level is None else level)
    evaluated = await make_all([(task, hardest) for task in evaluation])

    async def try_all_prompts() -> set[str]:
        if policy.chat_only:
            return set()
        names, limit = bool(config.task_names), config.max_prompt_tokens
        await try_prompts(policy, trained, policy.training, limit=limit, named=names)
        names = names or bool(config.eval_tasks)
        return await try_prompts(policy, evaluated, policy.evaluation, named=names)

    left_out = await try_all_prompts()
    if until_ready is None:
        return left_out
    await until_ready()
    if policy.chat_only or not (made := [*trained, *evaluated]):
        return left_out
    before = policy.training, policy.evaluation
    plans = zip((trained, evaluated), before, strict=True)
    samplings = [sampling for problems, sampling in plans if problems]
    await try_servers(policy, made[0], samplings, config.startup_timeout)
    config.max_token_length = policy.training.max_tokens
    return left_out if (policy.training, policy.evaluation) == before else await try_all_prompts()


def _require_short(config: ReasoningGymEnvConfig, policy: Policy, tried: Sequence[Problem]) -> None:
    """Raise BadUsage if no question is nearly as short as `max_prompt_tokens`."""
    most = config.max_prompt_tokens
    if most is None or config.complexity_mode is not None or not tried:  # else levels fall
        return
    shortest = min(policy.count_tokens(problem.question) for problem in tried)
    if shortest > 2 * most:
        raise BadUsage(
            f"--env.max_prompt_tokens {most} leaves out all problems: the shortest question that "
            f"was tried has {shortest} tokens."
        )
