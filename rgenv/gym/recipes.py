"""Read what callers pass: recipes, levels, numbers.

A recipe is what makes a problem again. `Problem.recipe` returns one::

    {"task": "gcd", "config": {"min_numbers": 2, ...}, "seed": 7, "level": 0.5}

The recipe of a hardened problem has ``"problems": "hardened"``; with a config and without this key,
it is reasoning-gym's own. That of a user's own task has a ``source``, too: the hash of its file.
One whose completions are not read as by default has an ``answer_format`` or ``think_tags``; without
them, the settings of the gym hold. A recipe may be written by hand without a config, and then has
the parameters of its level. As a JSON string it survives data sets that give each row the same
keys.
"""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, Literal

from rgenv.dialogue.formats import TAGS
from rgenv.dialogue.reading import THINK, Reading
from rgenv.errors import BadUsage
from rgenv.gym.values import MOST_DIGITS
from rgenv.runtime.files import parse_json
from rgenv.task_names import PROBLEMS
from rgenv.types import Problem

ProblemOrRecipe = Problem | Mapping[str, Any] | str
"""A problem, its recipe, or that as a JSON string."""

LevelChoice = float | Literal["random", "curriculum"] | None
"""How `problems` chooses levels: one level, or a random one each, or a curriculum; None for the
tasks' default parameters."""

KEYS = {"task", "seed", "level", "config", "source", "answer_format", "think_tags", "problems"}

MOST_NESTED = 16
"""Levels of lists and mappings in parameters. A worker's reply with more counts as broken."""


@dataclass(frozen=True)
class Recipe:
    """A recipe whose values have the right types.

    Attributes:
        config: None: the parameters are those of the level.
        source: of a user's own task; else None.
        reading: None: as the gym reads.
        problems: ``library`` or ``hardened``; None: with a config ``library``, else the gym's.
    """

    task: str
    seed: int
    level: float | None = None
    config: Mapping[str, Any] | None = None
    source: str | None = None
    reading: Reading | None = None
    problems: str | None = None


def read(recipe: Mapping[str, Any] | str) -> Recipe:
    """Return a recipe with checked values; raise BadUsage if it is none, or one is wrong."""
    shown, values = str(recipe)[:100], recipe
    if isinstance(values, str):
        try:
            values = parse_json(values)
        except ValueError:
            shown, values = repr(values[:60]), {}
    if not isinstance(values, Mapping) or not {"task", "seed"} <= values.keys() <= KEYS:
        raise BadUsage(
            f'{shown} is not a recipe: write {{"task": "gcd", "seed": 7, "level": 0.5}}, or pass a '
            "problem."
        )
    named = dict.fromkeys(KEYS) | dict(values)
    task, config, source, problems = (
        named[key] for key in ("task", "config", "source", "problems")
    )
    if not isinstance(task, str):
        raise BadUsage(f"{task!r:.60} is not a task: write its name, such as 'gcd'.")
    if not isinstance(config, Mapping | None):
        raise BadUsage(f"config is {config!r:.60}: write a mapping of parameters, or None.")
    if problems not in (None, *PROBLEMS):
        words = " or ".join(map(repr, PROBLEMS))
        raise BadUsage(f"problems must be {words}, not {problems!r:.60}.")
    if not isinstance(source, str | None):
        raise BadUsage(f"source is {source!r:.60}: leave it as it is in the recipe.")
    form, tags = named["answer_format"], named["think_tags"]
    try:
        check_parameters(config)
        is_open = form is None and tags is None
        reading = None if is_open else Reading.of(form or TAGS, THINK if tags is None else tags)
    except ValueError as error:
        raise BadUsage(f"{error}.") from None
    seed, level = read_count(named["seed"], "seed"), read_level(named["level"])
    return Recipe(task, seed, level, config, source, reading, problems)


def check_parameters(value: Any, name: str = "config", most: int = MOST_NESTED) -> Any:
    """Return parameters that can be sent to a worker and back as JSON, or raise ValueError."""
    if most < 0:
        raise ValueError(f"{name:.60} is nested too deeply: {MOST_NESTED} levels are enough")
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str):
                raise ValueError(f"{name} has the key {key!r:.60}: names of parameters are text")
            check_parameters(part, f"{name}.{key}", most - 1)
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            check_parameters(part, f"{name}[{index}]", most - 1)
    elif not (
        isinstance(value, str | None)
        or (isinstance(value, int) and abs(value) <= 10**MOST_DIGITS)
        or (isinstance(value, float) and isfinite(value))
    ):
        raise ValueError(
            f"{name} is {value!r:.60}: write a finite number, a text, a list or a mapping"
        )
    return value


def read_count(n: Any, name: str = "n") -> int:
    """Return a whole number that is not negative, or raise BadUsage."""
    try:
        count = operator.index(n)
    except TypeError:
        raise BadUsage(f"{name} is {n!r:.60}: write a whole number.") from None
    if count > 10**MOST_DIGITS:
        raise BadUsage(f"{name} has more than {MOST_DIGITS} digits.")
    if count < 0:
        raise BadUsage(f"{name} is {count}: it can't be negative.")
    return count


def read_scores(scores: Iterable[Any]) -> list[float]:
    """Return the scores of a group, of a list, an array or a tensor, or raise BadUsage."""
    try:
        listed = [float(score) for score in scores]
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise BadUsage(f"scores are {scores!r:.60}: write a list of numbers from 0 to 1.") from None
    if not listed or not all(0 <= score <= 1 for score in listed):
        raise BadUsage(f"scores are {listed!r:.60}: write at least one number, from 0 to 1.")
    return listed


def read_level(level: Any, others: str = "or None for the task's own parameters") -> float | None:
    """Return one level, or raise BadUsage: it is None or a number in [0, 1]."""
    if level is None:
        return None
    if isinstance(level, Real) and not isinstance(level, bool) and 0 <= float(level) <= 1:
        return float(level)
    raise BadUsage(f"level is {level!r:.60}: write a number from 0 to 1, {others}.")


def read_stream_level(level: Any) -> LevelChoice:
    """Return how a stream chooses levels, or raise BadUsage.

    A level has three decimals: each one has a stream of its own, which stays in memory.
    """
    if isinstance(level, str) and level in ("random", "curriculum"):
        return level  # type: ignore[return-value]  # one of the two words
    others = "'random', 'curriculum', or None for the tasks' own parameters"
    found = read_level(level, others)
    return found if found is None else round(found, 3)
