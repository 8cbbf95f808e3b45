"""The command `profile`: ask a fixed number of completions of each task at each level."""

import functools
import itertools
import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.evaluation import new_runner, prompt_definition
from rgenv.atropos.options import Evaluation as OfEvaluation
from rgenv.atropos.options import Profile as OfProfile
from rgenv.atropos.options import SavedRollouts, default_options
from rgenv.evaluation import profile as profiles
from rgenv.evaluation.evaluate import default_folder
from rgenv.evaluation.profile import Level, Profile, level_order
from rgenv.evaluation.sample_log import SampleLog
from rgenv.gym.gym import Gym
from rgenv.inference.policy import Policy
from rgenv.inference.reply import Reply
from rgenv.secrets import without_secrets
from rgenv.text import counted
from rgenv.types import Problem, Sample

log = logging.getLogger("ReasoningGymEnv")

NOT_KEPT = {*OfProfile.model_fields, *OfEvaluation.model_fields, *SavedRollouts.model_fields}
"""Options that the configuration file does not repeat: they are not those of a training."""

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
    about = {  # tasks, levels and the number of completions may change in the same folder
        "kind": "profile",
        "seed": config.seed,
        "task_configs": dict(config.task_configs),
        "balance_labels": config.balance_labels,
        **prompt_definition(config, policy, gym.pool.version),
    }
    folder = Path(config.profile_dir or default_folder(about, "profiles"))
    opened(folder)
    saved = SampleLog.open(folder, about, start_over=config.force, option="profile_dir")
    log.info("Results go to %s; the same command continues them.", folder)
    try:
        cells = await _problems(config, gym)
        problems = list(itertools.chain.from_iterable(cells.values()))
        tokens = config.max_token_length
        log.info(
            "%s, each a task at a level, with %d completions: %s requests and at most %s "
            "tokens of completions (%s each).",
            *(counted(len(cells), "cell"), config.profile_completions, f"{len(problems):,}"),
            *(f"{len(problems) * tokens:,}", f"{tokens:,}"),
        )
        ask = functools.partial(_ask, policy)
        runner = new_runner(config, gym, clients, ask, samples_each=1, title="Profiling")
        samples = await runner.run(problems, saved)
    finally:
        saved.close()
    of_cells: dict[tuple[str, Level], list[Sample]] = {cell: [] for cell in cells}
    for sample in samples:
        of_cells[sample["task"], sample["level"]].append(sample)
    found = Profile.of(about, of_cells, config.group_size, target=config.curriculum_target_accuracy)
    settings, servers, more = _settings(config), _servers(clients), ""
    if policy.chat_only:  # it needs no tokenizer, and what training needs is not known
        settings.pop("tokenizer_name", None)
        servers, more = [], " --openai.base_url URL --openai.model_name NAME, at vLLM or SGLang."
    next_step = "No task is worth training as it is, so there is no configuration file."
    if (written := profiles.write(folder, found, settings, servers)) is not None:
        next_step = f"Train with: {Path(sys.argv[0]).name} serve --config {written}{more}"
    seconds = f"{time.monotonic() - began:.0f} s. Numbers: {folder / profiles.DATA}"
    return f"{profiles.printed(found)} {seconds}\n{next_step}"


async def _problems(
    config: ReasoningGymEnvConfig, gym: Gym
) -> dict[tuple[str, Level], list[Problem]]:
    """Return the problems of each cell, one for each completion.

    They are held out, drawn by `seed`. A cell with fewer asks some of them again.
    """
    cells: dict[tuple[str, Level], list[Problem]] = {}
    for is_fixed, levels in ((True, [None]), (False, level_order(config.profile_levels))):
        names = [task for task in gym.task_names if (task in gym.pool.fixed_tasks) == is_fixed]
        cells |= {(task, level): [] for task in names for level in levels}
        made = gym.evaluation_set(config.profile_completions, levels, seed=config.seed)
        for problem in await made.of_tasks(names):
            cells[problem.task, problem.level].append(problem)
    return {
        cell: list(itertools.islice(itertools.cycle(found), config.profile_completions))
        for cell, found in cells.items()
    }


async def _ask(policy: Policy, problem: Problem) -> Reply:
    """Ask for a completion; one whose prompt leaves no room is cut before its first token."""
    if await policy.leaves_no_room(problem):
        return Reply(problem.messages, "", "length", 0)
    return await policy.evaluate(problem)


def _settings(config: ReasoningGymEnvConfig) -> dict[str, Any]:
    """Return the options that are not the defaults: with others, the profile would be another."""
    default = default_options(type(config)).model_dump(mode="json")
    chosen: dict[str, Any] = without_secrets(config.model_dump(mode="json", exclude=NOT_KEPT))
    return {name: value for name, value in chosen.items() if value != default[name]}


def _servers(clients: Sequence[Any]) -> list[Mapping[str, Any]]:
    return [
        {name: value for name in SERVER if (value := getattr(client.config, name)) is not None}
        for client in clients
    ]
