"""What `evaluate` and `profile` ask, with which runner, and where the results go."""

from __future__ import annotations

import functools
import hashlib
import itertools
import logging
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rgenv.atropos import options
from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.startup import Mode
from rgenv.dialogue.prompts import QUESTION
from rgenv.evaluation import profile as profiles
from rgenv.evaluation.asking import Ask
from rgenv.evaluation.compare import FINISHED
from rgenv.evaluation.evaluate import default_folder
from rgenv.evaluation.identity import digest, scoring_version
from rgenv.evaluation.profile import Level, Profile, level_order
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import SampleLog
from rgenv.gym.gym import Gym
from rgenv.inference.policy import Policy
from rgenv.runtime.files import set_aside
from rgenv.secrets import without_secrets
from rgenv.stream.held_out import choose_eval_tasks
from rgenv.task_names import choose_tasks
from rgenv.text import counted, level_name
from rgenv.types import Problem, Reply, Sample

log = logging.getLogger("ReasoningGymEnv")

NOT_KEPT = {
    *options.Profile.model_fields,
    *options.Evaluation.model_fields,
    *options.SavedRollouts.model_fields,
}
"""Options that the configuration file of a profile does not repeat, as they train nothing."""

SERVER = {"model_name", "base_url", "server_type", "tokenizer_name"}
"""Settings of an inference server that it repeats; never a key."""


def chosen_tasks(config: ReasoningGymEnvConfig, gym: Gym, mode: Mode) -> list[str]:
    """Return the tasks to evaluate, by default those of the training; not all beside it."""
    if mode in ("profile", "process"):  # one makes a set of its own, the other evaluates nothing
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
    policy: Policy,
    ask: Ask,
    *,
    samples_each: int,
    title: str = "Evaluating",
) -> EvaluationRunner:
    clients = policy.generation.servers
    return EvaluationRunner(
        *(ask, policy.generation.answers, gym.pool.score),
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


# The command `profile`


async def profile(
    config: ReasoningGymEnvConfig,
    gym: Gym,
    policy: Policy,
    *,
    opened: Callable[[Path], None],
) -> tuple[str, list[Sample]]:
    """Ask what is not answered yet, and write the results.

    Args:
        opened: gets the folder of the results.

    Returns:
        What to print, and all samples.
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
        runner = new_runner(config, gym, policy, ask, samples_each=1, title="Profiling")
        samples = await runner.run(problems, saved)
    finally:
        saved.close()
    of_cells: dict[tuple[str, Level], list[Sample]] = {cell: [] for cell in cells}
    for sample in samples:
        of_cells[sample["task"], sample["level"]].append(sample)
    found = Profile.of(about, of_cells, config.group_size, target=config.curriculum_target_accuracy)
    settings, more = _settings(config), ""
    configs = [client.config for client in policy.generation.servers]
    servers = [one.model_dump(include=SERVER, exclude_none=True) for one in configs]
    if policy.chat_only:  # it needs no tokenizer, and what training needs is not known
        settings.pop("tokenizer_name", None)
        servers, more = [], " --openai.base_url URL --openai.model_name NAME, at vLLM or SGLang."
    next_step = "No task is worth training as it is, so there is no configuration file."
    if (written := profiles.write(folder, found, settings, servers)) is not None:
        next_step = f"Train with: {Path(sys.argv[0]).name} serve --config {written}{more}"
    seconds = f"{time.monotonic() - began:.0f} s. Numbers: {folder / profiles.DATA}"
    return f"{profiles.printed(found)} {seconds}\n{next_step}", samples


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
    if await policy.too_long(problem):
        return Reply(problem.messages, "", "length", 0)
    return await policy.evaluate(problem)


def _settings(config: ReasoningGymEnvConfig) -> dict[str, Any]:
    """Return the options that are not the defaults: with others, the profile would be another."""
    default = options.default_options(type(config)).model_dump(mode="json")
    chosen: dict[str, Any] = without_secrets(config.model_dump(mode="json", exclude=NOT_KEPT))
    return {name: value for name, value in chosen.items() if value != default[name]}
