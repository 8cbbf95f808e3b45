"""Try the tasks once, so that parameters that make no problem show before the first one is asked.

The start of the environment does it, and so does the first problem of a stream of `ReasoningGym`.
"""

import asyncio
import json
import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rgenv.errors import BadUsage, MakeFailed, StartupError
from rgenv.gym.recipes import LevelChoice
from rgenv.pool.library import parameter_names
from rgenv.runtime.parts import end
from rgenv.stream.difficulty import START
from rgenv.stream.source import Make
from rgenv.task_names import COMPOSITE
from rgenv.text import did_you_mean, level_name, nearest
from rgenv.types import Problem

log = logging.getLogger(__name__)

UNANSWERABLE = 100
"""Problems without a certain answer before a task has none that can be served."""


def levels_of(level: LevelChoice, random_range: tuple[float, float]) -> list[float | None]:
    """Return levels that a stream may reach; the last is the highest with which it begins."""
    if level == "random":
        return list(random_range)
    return [0.0, 1.0, START] if level == "curriculum" else [level]


async def try_tasks(
    make: Make,
    plan: Iterable[tuple[str, float | None]],
    task_configs: Mapping[str, Mapping[str, Any]],
    *,
    timeout: float = 60.0,
) -> list[Problem]:
    """Make one problem of each task and level, and return what could be made.

    A task without configured parameters that fails is logged. All together usually take 2 s.
    BadUsage: the configured parameters of a task make no problem. StartupError: no task makes one.
    """
    tried = {
        asyncio.ensure_future(_first_problem(make, task, level)): (task, level)
        for task, level in dict.fromkeys(plan)
    }
    if not tried:
        return []
    try:
        done, late = await asyncio.wait(tried, timeout=timeout)
    finally:
        await end(tried)  # `wait` leaves them running, after a signal, too
    if late:
        log.warning("%d of %d tasks were not tried within %g s.", len(late), len(tried), timeout)
    problems, wrong, why = list[Problem](), dict[str, str](), f"none within {timeout:g} s"
    for one in (one for one in tried if one in done):
        task, level = tried[one]
        try:
            problems.append(one.result())
        except MakeFailed as error:
            if task in task_configs:
                wrong.setdefault(task, _refused(task, level, task_configs[task], error))
                continue
            why = f"{task}: {error}"
            log.warning("No problem of %s at level %s: %s.", task, level_name(level), error)
    if wrong:
        raise BadUsage(" ".join(wrong.values()))
    if not problems:
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
            if failed == 3:  # a generator may fail with some seeds
                raise
        else:
            if problem.winnable:
                return problem
    raise MakeFailed(
        "unanswerable", f"none of {UNANSWERABLE} has an answer that is sure to be right"
    )


def _refused(task: str, level: float | None, config: Mapping[str, Any], error: MakeFailed) -> str:
    where, ours = f"task_configs.{task}", {"seed", "size"}
    unknown = re.search(
        r"(\w+)\.__init__\(\) got "
        r"(?:an unexpected keyword argument|multiple values for argument) '(.*)'",
        str(error),
    )
    if unknown is not None:
        known = sorted(set(parameter_names(unknown[1])) - ours)
        hint = did_you_mean([repr(name) for name in nearest(unknown[2], known, cutoff=0.0)])
        listed = f" It has {', '.join(known)}." if known else ""
        is_part = task == COMPOSITE and unknown[1] != "CompositeConfig"
        owner = f"a part of {task}" if is_part else task
        return f"{where}: {owner} has no parameter {unknown[2]!r}.{hint}{listed}"
    if ours & set(config):
        return f"{where}: seed and size are set for each problem; leave them out."
    at = "" if level is None else f" at level {level:g}"
    reason = str(error).partition(": ")[2] or str(error)
    if error.kind == "timeout":
        reason = "making a problem takes too long; choose smaller ones, or raise scoring_timeout"
    texts = [name for name, value in config.items() if isinstance(value, str)]
    if reason.startswith("TypeError") and texts:
        reason += f" (if {texts[0]} is a number, write it without quotes)"
    return f"{where}: {json.dumps(dict(config))} makes no problem that can be served{at}: {reason}."
