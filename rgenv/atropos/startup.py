"""What a command does before its work: log levels, folders, one try of everything."""

import functools
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Literal

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.errors import BadUsage, StartupError, joined
from rgenv.gym.try_tasks import levels_of, try_tasks
from rgenv.inference.first_request import try_prompts, try_servers
from rgenv.inference.policy import Policy
from rgenv.rollouts.dump import FILES
from rgenv.rollouts.groups_file import GroupsFile
from rgenv.runtime.json_lines import cut_torn_lines
from rgenv.runtime.preflight import require_writable
from rgenv.stream.source import Make
from rgenv.text import counted
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

Mode = Literal["serve", "process", "evaluate", "profile", "embedded"]
"""The command that runs; embedded: a program calls the methods of the class itself."""

OTHER_DISTRIBUTION = (
    "Completions are sampled at temperature %g and top_p %g: the trainer must compute the same "
    "distribution, and the server return its log probabilities (docs/running.md)."
)


def set_log_levels(config: ReasoningGymEnvConfig) -> None:
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


def open_groups_file(config: ReasoningGymEnvConfig) -> GroupsFile | None:
    """Open the file of `data_path_to_save_groups`, if any, and note its name there."""
    if config.data_path_to_save_groups is None:
        return None
    wanted = Path(config.data_path_to_save_groups)
    require_writable(wanted.parent, "data_path_to_save_groups")
    file = GroupsFile(wanted, start_over=config.force)
    config.data_path_to_save_groups = str(file.path)
    return file


def require_folders(mode: Mode, config: ReasoningGymEnvConfig, dumps_dir: Path) -> None:
    """Check that a command can write its results; one StartupError names all folders."""
    folders = []
    if config.dump_rollouts or config.dump_failed_rollouts:
        folders.append((dumps_dir, "data_dumps_dir"))
    if mode == "profile":
        folders.append((Path(config.profile_dir or ""), "profile_dir"))
    if mode == "evaluate" or (mode == "serve" and config.data_dir_to_save_evals is not None):
        # Without the option, `evaluate` makes a folder in the working directory.
        folders.append((Path(config.data_dir_to_save_evals or ""), "data_dir_to_save_evals"))
    errors = []
    for folder, option in folders:
        try:
            require_writable(folder, option)
        except StartupError as error:
            errors.append(error)
    if errors:
        raise joined(*errors)


def warn_of_options(mode: Mode, config: ReasoningGymEnvConfig) -> None:
    """Warn of options with which nothing, or something else, is trained."""
    if mode == "process" and config.group_size == 1:
        log.warning("Groups of one completion: nothing in them can be compared (--env.group_size).")
    if mode == "serve" and (config.temperature, config.top_p) != (1.0, 1.0):
        log.warning(OTHER_DISTRIBUTION, config.temperature, config.top_p)


def log_start(
    config: ReasoningGymEnvConfig, task_names: Sequence[str], version: str, dumps: Path | None
) -> None:
    """Log what is served; `dumps` is where rollouts are saved, if they are."""
    log.info("This is replica %d of %d.", config.replica_id, config.num_replicas)
    log.info(
        "Serving %s of reasoning-gym %s; groups of %d, up to %d tokens; difficulty: %s.",
        counted(len(task_names), "task"),
        version,
        config.group_size,
        config.max_token_length,
        config.complexity_mode or "defaults",
    )
    if dumps is not None:
        log.info("Rollouts are saved to %s.", dumps)
        cut_torn_lines(dumps, FILES)


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

    Returns:
        The tasks of the evaluation whose prompts leave no room.

    Raises:
        BadUsage: parameters of a task, chat template, tokenizer or token limit don't work.
        StartupError: no task makes a problem, or a server is away or unsuitable.
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
    asked = [] if mode == "process" else [(task, hardest) for task in evaluation]
    evaluated = await make_all(asked)

    async def try_all_prompts() -> set[str]:
        if policy.chat_only:
            return set()
        names, limit = bool(config.task_names), config.max_prompt_tokens
        await try_prompts(policy, trained, policy.training, limit=limit, named=names)
        names = names or bool(config.eval_tasks)
        return await try_prompts(policy, evaluated, policy.evaluation, named=names)

    left_out = await try_all_prompts()
    if until_ready is not None:
        await until_ready()
        if (made := [*trained, *evaluated]) and not policy.chat_only:
            before = policy.training, policy.evaluation
            plans = zip((trained, evaluated), before, strict=True)
            samplings = [sampling for problems, sampling in plans if problems]
            await try_servers(policy, made[0], samplings, config.startup_timeout)
            config.max_token_length = policy.training.max_tokens
            if (policy.training, policy.evaluation) != before:
                left_out = await try_all_prompts()
    return left_out
