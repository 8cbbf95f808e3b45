"""Try the tasks once at the start, so that a mistake shows before the run and not in its log."""

import asyncio
import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rgenv.dataset.attempts import Make
from rgenv.errors import BadUsage, MakeFailed, StartupError
from rgenv.inference.chat_templates import CHOICES
from rgenv.inference.policy import Policy, Sampling
from rgenv.pool.library import parameter_names
from rgenv.runtime.parts import end
from rgenv.task_names import COMPOSITE
from rgenv.text import did_you_mean, level_name, nearest
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

Plan = Iterable[tuple[str, float | None]]
"""Tasks and the levels at which to try them."""

TaskConfigs = Mapping[str, Mapping[str, Any]]

FAILURES = 3
"""Seeds that may fail before a task does: a generator may fail with some."""

UNANSWERABLE = 100
"""Problems without a certain answer before a task has none that can be served."""

ROOM = 1024
"""Tokens for a completion that a message asks for at least."""

PARTS = {"system": "system prompt", "user": "question", "assistant": "examples"}
UNKNOWN_PARAMETER = re.compile(
    r"(\w+)\.__init__\(\) got "
    r"(?:an unexpected keyword argument|multiple values for argument) '(.*)'"
)
OURS = {"seed", "size"}
"""Parameters of every task that the environment sets."""


async def try_tasks(
    make: Make, plan: Plan, task_configs: TaskConfigs, *, timeout: float
) -> list[Problem]:
    """Make one problem of each task and level, and return those that could be made.

    A task without configured parameters that fails is logged.

    Raises:
        BadUsage: the configured parameters of a task make no problem.
        StartupError: no task makes a problem.
    """
    trials = {
        asyncio.ensure_future(_first_problem(make, task, level)): (task, level)
        for task, level in dict.fromkeys(plan)
    }
    if not trials:
        return []
    try:
        done, late = await asyncio.wait(trials, timeout=timeout)
    finally:
        await end(trials)  # `wait` leaves them running, after a signal, too
    if late:
        log.warning("%d of %d tasks were not tried within %g s.", len(late), len(trials), timeout)
    problems, failures = [], []
    errors = {trial: trial.exception() for trial in done}
    for trial, (task, level) in trials.items():
        error = errors.get(trial)
        if isinstance(error, MakeFailed):
            if task in task_configs:
                raise BadUsage(_refused(task, level, task_configs[task], error))
            failures.append(f"{task}: {error}")
            log.warning("No problem of %s at level %s: %s.", task, level_name(level), error)
        elif error is not None:
            raise error
        elif trial in done:
            problems.append(trial.result())
    if not problems:
        why = failures[0] if failures else f"none within {timeout:g} s"
        raise StartupError(
            f"No task makes a problem ({why}): look at task_configs and scoring_timeout."
        )
    return problems


async def _first_problem(make: Make, task: str, level: float | None) -> Problem:
    failed = 0
    for seed in range(UNANSWERABLE):
        try:
            problem = await make(task, seed, level)
        except MakeFailed:
            failed += 1
            if failed == FAILURES:
                raise
        else:
            if problem.winnable:
                return problem
    raise MakeFailed(
        "unanswerable", f"none of {UNANSWERABLE} has an answer that is sure to be right"
    )


def _refused(task: str, level: float | None, config: Mapping[str, Any], error: MakeFailed) -> str:
    where = f"task_configs.{task}"
    unknown = UNKNOWN_PARAMETER.search(str(error))
    if unknown is not None:
        known = sorted(set(parameter_names(unknown[1])) - OURS)
        hint = did_you_mean([repr(name) for name in nearest(unknown[2], known, cutoff=0.0)])
        listed = f" It has {', '.join(known)}." if known else ""
        is_part = task == COMPOSITE and unknown[1] != "CompositeConfig"
        owner = f"a part of {task}" if is_part else task
        return f"{where}: {owner} has no parameter {unknown[2]!r}.{hint}{listed}"
    if OURS & set(config):
        return f"{where}: the environment sets seed and size; leave them out."
    at = "" if level is None else f" at level {level:g}"
    reason = str(error).partition(": ")[2] or str(error)
    if error.kind == "timeout":
        reason = "making a problem takes too long; choose smaller ones, or raise scoring_timeout"
    texts = [name for name, value in config.items() if isinstance(value, str)]
    if reason.startswith("TypeError") and texts:
        reason += f" (if {texts[0]} is a number, write it without quotes)"
    return f"{where}: {json.dumps(dict(config))} makes no problem that can be served{at}: {reason}."


async def try_prompts(
    policy: Policy,
    problems: Sequence[Problem],
    sampling: Sampling,
    *,
    limit: int | None = None,
    named: bool = True,
) -> set[str]:
    """Put the prompts through chat template and tokenizer, and check that they leave room.

    Args:
        limit: tokens of a question above which a problem is not served; None: no limit.
        named: whether the user chose the tasks; of all tasks, those without room are left out.

    Raises:
        BadUsage: there is no chat template, it can't render a prompt or leaves a part of it out,
            the tokenizer loses the answer tags, or a prompt is too long for the token limit.
    """
    served = list(problems)
    if limit is not None and problems:
        sizes = [policy.count_tokens(problem.question) for problem in problems]
        served = [p for p, size in zip(problems, sizes, strict=True) if size <= limit]
        if not served:
            log.warning(
                "max_prompt_tokens %d is less than any question has that was tried; the shortest "
                "has %d tokens.",
                limit,
                min(sizes),
            )
    if problems:
        _check_template(policy, problems[0])
    lengths: dict[str, int] = {}
    for problem in served:
        length = await policy.prompt_tokens(problem)
        lengths[problem.task] = max(length, lengths.get(problem.task, 0))
    too_long = {task for task, length in lengths.items() if length >= sampling.max_tokens}
    if not too_long:
        return set()
    longest = max(too_long, key=lambda task: lengths[task])
    needed = 1 << (lengths[longest] + ROOM).bit_length()
    without_room = (
        f"--env.{sampling.limit_option} {sampling.max_tokens} leaves no token for an answer: the "
        f"prompt of {longest} has {lengths[longest]}. "
    )
    if named or len(too_long) == len(lengths):
        raise BadUsage(
            f"{without_room}Set it to {needed}, or leave out {', '.join(sorted(too_long))}."
        )
    log.warning("%sThese tasks are left out: %s.", without_room, ", ".join(sorted(too_long)))
    return too_long


async def try_servers(
    policy: Policy, problem: Problem, samplings: Sequence[Sampling], timeout: float
) -> None:
    for refusal in await policy.refusals(problem, samplings, timeout):
        raise StartupError(f"The inference server at {refusal}")


def _check_template(policy: Policy, problem: Problem) -> None:
    text = policy.templated(problem.messages)
    for message in problem.messages:
        if message["content"].strip() not in text:
            raise BadUsage(
                f"The chat template leaves out our {PARTS[message['role']]}: set "
                f"--env.chat_template to {CHOICES}."
            )
    reading = problem.dialogue.reading
    written = reading.write("4", "2 + 2 = 4")
    read = policy.read_back(written)
    if reading.answer(read) != "4":
        raise BadUsage(
            f"The tokenizer makes {read!r} of {written!r}, so no answer could be read: set "
            "--env.tokenizer_name to the tokenizer of a model that writes text."
        )
    unclosed = "".join([*reading.think_tags[:1], "2 + 2\n", reading.write("4")])
    read = policy.read_back(unclosed)
    if reading.think_tags and reading.answer(read) is not None:
        raise BadUsage(
            f"The tokenizer makes {read!r} of {unclosed!r}, so an answer in the thinking would "
            "count: set --env.think_tags to tags that the tokenizer keeps."
        )
