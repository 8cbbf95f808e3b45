"""Read what callers pass: recipes, rows, levels, numbers.

A recipe is what makes a problem again. `Problem.recipe` returns one::

    {"task": "gcd", "config": {"min_numbers": 2, ...}, "seed": 7, "level": 0.5}

The recipe of a hardened problem has ``"problems": "hardened"``; with a config and without this key,
it is reasoning-gym's own. That of a user's own task has a ``source``, too: the hash of its file.
One whose completions are not read as by default has an ``answer_format`` or ``think_tags``; without
them, the settings of the gym hold. A recipe may be written by hand without a config, and then has
the parameters of its level. As a JSON string it survives data sets that give each row the same
keys.

A row is an entry as reasoning-gym writes it, from a data set that others made::

    {"question": "Find the ...", "answer": "6", "metadata": {"source_dataset": "gcd", ...}}

An entry may be a value of its row, at any name, and any mapping may be a JSON string: trainers and
published data sets keep it in ``extra_info``, ``reward_model``, ``verification_info`` and others.
A row is data: it is bounded here, and read in a worker, where its question gets the right answer.
"""

import json
import operator
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from typing import Any, Literal

from rgenv.dialogue.reading import Reading
from rgenv.errors import BadUsage, check_all
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

MOST_DIGITS = 60
"""Of any whole number. A worker's replies have no longer ones, either."""

ENTRY = {"question", "answer", "metadata"}

MOST_BYTES = 256 * 1024
"""Of the entry of a row, as JSON. The library's have 20 kB."""


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
    values = recipe
    if isinstance(values, str):
        try:
            values = parse_json(values)
        except ValueError:
            values = {}
    if not isinstance(values, Mapping) or not {"task", "seed"} <= values.keys():
        raise BadUsage(
            f'{recipe!r:.100} is not a recipe: write {{"task": "gcd", "seed": 7, "level": 0.5}}, '
            "or pass a problem."
        )
    named: dict[str, Any] = dict.fromkeys(KEYS) | dict(values)
    task, config, source, problems = (
        named[key] for key in ("task", "config", "source", "problems")
    )

    def check_types() -> None:
        wrong = []
        if unknown := ", ".join(sorted(map(repr, values.keys() - KEYS))):
            wrong.append(f"No recipe has a key {unknown:.60}: leave it out, or pass a problem.")
        if not isinstance(task, str):
            wrong.append(f"{task!r:.60} is not a task: write one name, such as 'gcd'.")
        if not isinstance(config, Mapping | None):
            wrong.append(f"config is {config!r:.60}: write a mapping of parameters, or None.")
        if problems not in (None, *PROBLEMS):
            words = " or ".join(map(repr, PROBLEMS))
            wrong.append(f"problems must be {words}, not {problems!r:.60}.")
        if not isinstance(source, str | None):
            wrong.append(f"source is {source!r:.60}: leave it as it is in the recipe.")
        if wrong:
            raise BadUsage(" ".join(wrong))

    def read_dialogue() -> Reading | None:
        try:
            check_parameters(config)
            is_open = named["answer_format"] is named["think_tags"] is None
            return None if is_open else Reading.of_recipe(named)
        except ValueError as error:
            raise BadUsage(f"{error}.") from None

    _, seed, level, reading = check_all(
        check_types,
        lambda: read_count(named["seed"], "seed"),
        lambda: read_level(named["level"]),
        read_dialogue,
    )
    return Recipe(task, seed, level, config, source, reading, problems)


@dataclass(frozen=True)
class RowProblem(Problem):
    """The problem of a row, whose entry travels with each request."""

    row: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def made_from(self) -> dict[str, Any]:
        return {"task": self.task, "config": {}, "seed": 0, "level": None, "row": self.row}


def read_row(row: Any) -> RowProblem | None:
    """Return the problem of a row, or raise BadUsage; None if it has no entry, as a recipe."""
    outer = _mapping(row)
    if outer is None or {"task", "seed"} <= outer.keys() or (entry := find(outer, ENTRY)) is None:
        return None
    metadata = _mapping(entry["metadata"])
    if metadata is None:
        raise BadUsage(f"The metadata of a row is {str(entry['metadata'])[:60]!r}: no mapping.")
    task = metadata.get("source_dataset") or entry.get("task") or outer.get("task")
    if not isinstance(task, str):
        raise BadUsage('A row names no task: add it, such as {**row, "task": "gcd"}.')
    question, answer = entry["question"], entry["answer"]
    if answer != answer:  # what pandas makes of a missing one
        answer = None
    if not isinstance(question, str) or not isinstance(answer, str | None):
        raise BadUsage(f"Question and answer of a row of {task:.60} have to be texts.")
    try:
        text = json.dumps(
            {"question": question, "answer": answer, "metadata": metadata}, default=_plain
        )
        plain = json.loads(text, parse_constant=lambda _: None)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadUsage(f"A row of {task:.60} can't be read: {str(error)[:100]}.") from None
    if len(text) > MOST_BYTES:
        raise BadUsage(f"A row of {task:.60} has more than {MOST_BYTES:,} bytes.")
    return RowProblem(task, 0, None, {}, question, answer, row=plain)


def find(value: Any, keys: Set[str], depth: int = 3) -> Mapping[str, Any] | None:
    """Return the first mapping in a value with these keys, and up to `depth` mappings around it."""
    mapping = _mapping(value)
    if mapping is None or mapping.keys() >= keys:
        return mapping
    found = (find(part, keys, depth - 1) for part in mapping.values() if depth)
    return next((entry for entry in found if entry is not None), None)


def _mapping(value: Any) -> Mapping[str, Any] | None:
    """Return a mapping, or the one that a JSON string is."""
    if isinstance(value, str) and value.startswith("{") and len(value) <= 4 * MOST_BYTES:
        try:
            value = parse_json(value)
        except ValueError:
            return None
    return value if isinstance(value, Mapping) else None


def _plain(value: Any) -> Any:
    """Return an array or a number of numpy, or any mapping, as JSON has it."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


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
    if abs(count) > 10**MOST_DIGITS:
        raise BadUsage(f"{name} has more than {MOST_DIGITS} digits.")
    if count < 0:
        raise BadUsage(f"{name} is {count}: it can't be negative.")
    return count


def read_scores(scores: Iterable[Any]) -> list[float]:
    """Return the scores of a group, of a list, an array or a tensor, or raise BadUsage."""
    try:
        listed = [float(0 + score) for score in scores]  # a text is no number
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise BadUsage(f"scores are {scores!r:.60}: write a list of numbers from 0 to 1.") from None
    if not listed or not all(0 <= score <= 1 for score in listed):
        raise BadUsage(f"scores are {listed!r:.60}: write at least one number, from 0 to 1.")
    return listed


def read_cuts(cut: Iterable[Any]) -> list[bool]:
    """Return whether completions were cut, of a list, an array or a tensor, or raise BadUsage."""
    try:
        listed = list(cut)
        if all(end == bool(end) for end in listed):
            return list(map(bool, listed))
    except (TypeError, ValueError, RuntimeError):
        pass
    raise BadUsage(f"cut is {cut!r:.60}: write a list of True and False.")


def read_level(level: Any, others: str = "or None for the task's own parameters") -> float | None:
    """Return one level, or raise BadUsage: it is None or a number in [0, 1]."""
    if level is None:
        return None
    is_number = isinstance(level, Real) and not isinstance(level, bool)
    if is_number and 0 <= level <= 1:
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
