"""Steps before a session exists: log levels, settings, checks."""

import asyncio
import contextlib
import functools
import importlib.metadata
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.rollout_api import RolloutApi
from rgenv.atropos.servers import require_tokens, speaks_chat_only
from rgenv.errors import BadUsage, StartupError, joined
from rgenv.gym.gym import chosen_tasks
from rgenv.gym.try_tasks import levels_of, try_tasks
from rgenv.inference.first_request import require_servers, try_prompts, try_servers
from rgenv.inference.policy import Policy
from rgenv.measured import RELEASE
from rgenv.pool.library import checkout_path
from rgenv.rollouts.dump import FILES, GroupsFile
from rgenv.runtime.json_lines import cut_torn_lines
from rgenv.runtime.preflight import require_writable
from rgenv.stream.choice import Make
from rgenv.task_names import KNOWN_TASKS
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

Mode = Literal["serve", "process", "evaluate", "profile", "embedded"]
"""The command that runs; embedded: a program calls the methods of the class itself."""

LOOK_SECONDS = 1.0
"""The longest look at servers when the start has failed already."""

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
    """Create the file of `data_path_to_save_groups`, if any, and note its name there."""
    if config.data_path_to_save_groups is None:
        return None
    wanted = Path(config.data_path_to_save_groups)
    require_writable(wanted.parent, "data_path_to_save_groups")
    file = GroupsFile(wanted)
    config.data_path_to_save_groups = str(file.path)
    return file


def check_options(
    mode: Mode,
    servers: Sequence[Any],
    tokenizer: Any,
    config: ReasoningGymEnvConfig,
    dumps_dir: Path,
) -> None:
    """Check the options of a command before anything is started; name all that is wrong."""
    errors: list[Exception] = [BadUsage(problem) for problem in _unsuitable(mode, servers, config)]
    try:
        _check_task_names(config)
    except BadUsage as error:
        errors.append(error)
    try:
        require_tokens(servers, tokenizer, mode)
    except BadUsage as error:
        errors.append(error)
    for folder, option in _folders(mode, config, dumps_dir):
        try:
            require_writable(folder, option)
        except StartupError as error:
            errors.append(error)
    if errors:
        raise joined(*errors)
    if mode == "process" and config.group_size == 1:
        log.warning("Groups of one completion: nothing in them can be compared (--env.group_size).")
    if mode == "serve" and (config.temperature, config.top_p) != (1.0, 1.0):
        log.warning(OTHER_DISTRIBUTION, config.temperature, config.top_p)


def _check_task_names(config: ReasoningGymEnvConfig) -> None:
    """Check the names of tasks before workers start, if the library is the one that is known.

    Raises:
        BadUsage: one is unknown, or no task is left.
    """
    is_known = not config.task_modules and checkout_path() is None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        if is_known and importlib.metadata.version("reasoning-gym") == RELEASE:
            chosen_tasks(config, KNOWN_TASKS)


def _unsuitable(mode: Mode, servers: Sequence[Any], config: ReasoningGymEnvConfig) -> Iterator[str]:
    if mode == "serve" and config.group_size < 2:
        yield (
            f"--env.group_size {config.group_size} trains nothing, because advantages compare the "
            "completions of a group: set it to at least 2."
        )
    if mode != "evaluate" and config.eval_compare is not None:
        yield "--compare (--env.eval_compare) is for evaluate: leave it out."
    if config.start_levels and config.complexity_mode != "curriculum":
        yield (
            "--env.start_levels are those of the curriculum: set --env.complexity_mode curriculum, "
            "or leave them out."
        )
    if config.chat_template is not None and speaks_chat_only(servers):
        yield (
            "--env.chat_template has no effect with server_type openai, where the server has the "
            "template: leave it out."
        )


def _folders(
    mode: Mode, config: ReasoningGymEnvConfig, dumps_dir: Path
) -> Iterator[tuple[Path, str]]:
    if config.dump_rollouts or config.dump_failed_rollouts:
        yield dumps_dir, "data_dumps_dir"
    if mode == "profile":
        yield Path(config.profile_dir or ""), "profile_dir"
    if mode == "evaluate" or (mode == "serve" and config.data_dir_to_save_evals is not None):
        # Without the option, `evaluate` makes a folder in the working directory.
        yield Path(config.data_dir_to_save_evals or ""), "data_dir_to_save_evals"


class ServerChecks:
    """Looks whether all servers that a command needs answer."""

    def __init__(self, mode: Mode, servers: Sequence[Any], api: RolloutApi, timeout: float) -> None:
        self._mode, self._servers, self._api, self._timeout = mode, servers, api, timeout
        self._has_looked = False

    async def wait(self) -> None:
        """Wait until they answer; raise StartupError, which names each that does not in time."""
        await self._look(self._timeout)

    async def joined_with(self, error: Exception) -> Exception:
        """Return an error of the start, and what a short look at the servers finds, as one."""
        if self._has_looked:
            return error
        try:
            await self._look(LOOK_SECONDS)
        except StartupError as another:
            return joined(error, another)
        return error

    async def _look(self, timeout: float) -> None:
        self._has_looked = True
        waits = [*require_servers(self._servers, timeout)]
        if self._mode == "serve":
            waits.append(self._api.require(timeout))
        found = await asyncio.gather(*waits, return_exceptions=True)
        if errors := [error for error in found if isinstance(error, Exception)]:
            raise joined(*errors)


def log_start(
    config: ReasoningGymEnvConfig, task_names: Sequence[str], version: str, dumps: Path | None
) -> None:
    """Log what is served; `dumps` is where rollouts are saved, if they are."""
    log.info("This is replica %d of %d.", config.replica_id, config.num_replicas)
    log.info(
        "Serving %d tasks of reasoning-gym %s; groups of %d, up to %d tokens; difficulty: %s.",
        len(task_names),
        version,
        config.group_size,
        config.max_token_length,
        config.complexity_mode or "defaults",
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

    Raises:
        BadUsage: parameters of a task, chat template, tokenizer or token limit don't work.
        StartupError: no task makes a problem, or a server is away or unsuitable.
    """
    make_all = functools.partial(try_tasks, make, task_configs=config.task_configs)
    levels = [*_levels_of_training(config), *config.eval_levels]
    await make_all([(task, level) for task in config.task_configs for level in levels])
    if mode == "embedded":
        return set()
    for_training = _hardest_of_training(mode, config, training)
    hardest = max(config.eval_levels, key=lambda level: -1.0 if level is None else level)
    for_evaluation = [] if mode == "process" else [(task, hardest) for task in evaluation]
    made = await make_all([*for_training, *for_evaluation])
    trained, evaluated = _those_of(for_training, made), _those_of(for_evaluation, made)
    if mode == "profile":  # a task whose prompts are too long is a result
        trained = sorted(trained, key=lambda problem: len(problem.question))[:1]
    left_out = await _try_all_prompts(config, policy, trained, evaluated)
    if until_ready is not None:
        await until_ready()
        if made and not policy.chat_only:
            before = policy.training, policy.evaluation
            plans = zip((for_training, for_evaluation), before, strict=True)
            samplings = [sampling for plan, sampling in plans if plan]
            await try_servers(policy, made[0], samplings, config.startup_timeout)
            config.max_token_length = policy.training.max_tokens
            if (policy.training, policy.evaluation) != before:
                left_out = await _try_all_prompts(config, policy, trained, evaluated)
    return left_out


async def _try_all_prompts(
    config: ReasoningGymEnvConfig,
    policy: Policy,
    trained: Sequence[Problem],
    evaluated: Sequence[Problem],
) -> set[str]:
    """Try the prompts of training and evaluation; return the tasks that the latter leaves out."""
    if policy.chat_only:
        return set()
    names, limit = config.task_names, config.max_prompt_tokens
    await try_prompts(policy, trained, policy.training, limit=limit, named=bool(names))
    is_named = bool(names or config.eval_tasks)
    return await try_prompts(policy, evaluated, policy.evaluation, named=is_named)


def _hardest_of_training(
    mode: Mode, config: ReasoningGymEnvConfig, tasks: Sequence[str]
) -> list[tuple[str, float | None]]:
    """Return the tasks of a training, each with the highest level at which it begins."""
    if mode == "evaluate":
        return []
    if mode == "profile":
        return [(task, config.profile_levels[0]) for task in tasks]
    highest = _levels_of_training(config)[-1]
    return [(task, config.start_levels.get(task, highest)) for task in tasks]


def _those_of(
    plan: Sequence[tuple[str, float | None]], problems: Sequence[Problem]
) -> list[Problem]:
    made = {(problem.task, problem.level): problem for problem in problems}
    return [made[key] for key in plan if key in made]


def _levels_of_training(config: ReasoningGymEnvConfig) -> list[float | None]:
    return levels_of(config.complexity_mode, config.random_level_range)
