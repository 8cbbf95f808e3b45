"""Make problems from recipes and rows, and score answers to them.

The caches affect nothing but speed. Some data sets read files or run a search in ``__init__``, for
up to 0.3 s. What they prepare there depends on the parameters in `Task.prepared` alone, so a copy
with another seed is equal to a new data set. `faster_functions` replace slow ones of the library.
"""

from __future__ import annotations

import copy
import decimal
import importlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any

import numpy
import reasoning_gym
from reasoning_gym.composite import DatasetSpec
from reasoning_gym.factory import DATASETS

from rgenv.tasks import families
from rgenv.tasks.answers.kind import canonical
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Correction, by_library
from rgenv.tasks.registry import record_of, records
from rgenv.tasks.verifying import exact
from rgenv.worker.guard import guard

Config = dict[str, Any]

MAX_PROBLEMS = 1024
"""Problems that a maker keeps, a few kB each. One data set of every task takes 45 MB in all."""

MAX_QUESTION = 256 * 1024
"""Bytes of a question. The parent takes no line of more than 1 MiB."""


class NoProvableAnswer(ValueError):
    """No answer to the question of a row is provably right."""


@dataclass(eq=False)
class MadeProblem:
    """A problem, as its maker made it from task, seed and parameters.

    Attributes:
        written: the parameters as JSON.
        source: the task that made it: for composite, the task of the part it was drawn from.
        entry: reasoning-gym's dict of question, answer and metadata.
        trusted: whether its reference answer is provably right, as far as that is known.
        hardened: whether it is a harder problem of our own.
    """

    maker: ProblemMaker
    task: str
    seed: int
    written: str
    source: str
    entry: Entry
    trusted: bool = True
    hardened: bool = False

    @cached_property
    def family(self) -> int:
        """See `families.family`."""
        return families.family(self.source, self.entry)

    @cached_property
    def winnable(self) -> bool:
        """Whether an answer to this problem can score 1.0, as far as that is known.

        It can't if the reference answer is empty, not trusted, or scores less under the library's
        verifier.
        """
        answer, metadata = self.entry["answer"], self.entry["metadata"]
        if answer == "" or not self.trusted:
            return False
        if not isinstance(answer, str):
            return True
        if metadata.get("input_data") == metadata.get("output_data") == {}:
            return False  # the program of codeio failed
        with guard.nothing_executed(self.source):
            return bool(self.maker.dataset(self).score_answer(answer, self.entry) >= 1.0)

    @property
    def work(self) -> float | None:
        """The work that this problem takes; None if its task has no measure of it."""
        measure = record_of(self.source).work
        if measure is None:
            return None
        try:
            amount = float(measure(self.entry))
        except Exception:  # a question in an unknown form; any parsing step may fail
            return None
        return amount if amount >= 0 else None

    def score(self, answer: str) -> float:
        """Return the score of an answer, bare or inside ``<answer>`` tags.

        Our verifiers give the tagged form 0.0: the same answer is also scored without its tags.
        Raises whatever the library's verifier raises.
        """
        record, strict = record_of(self.source), self.maker.strict
        is_tagged = answer.startswith("<answer>")
        if is_tagged and strict and record.verify is not by_library:
            return 0.0

        def library(text: str) -> float:
            score = self.maker.dataset(self).score_answer(answer=text, entry=self.entry)
            if isinstance(score, str | bytes):  # `float` would read it
                raise TypeError(f"the verifier returned {score!r:.60}, which is not a number")
            return float(score)

        with guard.nothing_executed(self.source):
            if is_tagged or not strict:
                return library(answer)
            text = canonical(record.answer, answer, self.entry)
            return (record.verify or exact)(text, self.entry, library)


class ProblemMaker:
    """Makes problems. Keeps the last ones, and one data set for each task.

    Args:
        strict, balance_labels: as in `WorkerSettings`.
        hardened: make harder problems of our own (`Task.harden`) where a task has them and the
            parameters allow them.
    """

    def __init__(
        self, *, strict: bool = True, hardened: bool = False, balance_labels: bool = True
    ) -> None:
        self.strict = strict
        self.hardened = hardened
        self.balance_labels = balance_labels
        self._prepared: dict[str, tuple[str, Any]] = {}
        self._datasets: dict[str, tuple[str, Any]] = {}
        self._examples: dict[str, Entry] = {}
        self._made: dict[tuple[str, int, str], MadeProblem] = {}

    def hardening(self) -> ProblemMaker:
        """Return a maker of hardened problems that shares the data sets of this one."""
        twin = copy.copy(self)
        twin.hardened, twin._made = True, {}
        return twin

    def make(self, task: str, seed: int, config: Config, row: Entry | None = None) -> MadeProblem:
        """Return the problem of a recipe, or of a row that others made.

        A strict maker corrects its reference answer.
        """
        if row is not None:
            return self._of_row(task, row)
        written = _written(config)
        made = self._made.pop((task, seed, written), None)
        if made is None:
            config = json.loads(written)
            _, index = self._item(task, seed)
            entry = {**self._new_dataset(task, seed, config)[index], "seed": seed}
            _require_texts(entry)
            source = str(entry["metadata"]["source_dataset"]) if task == "composite" else task
            entry["config"] = config if source == task else _config_of_part(source, config)
            made = MadeProblem(self, task, seed, written, source, entry)
            record = record_of(source)
            harder = rewritten(record.harden, entry) if self.hardened and record.harden else None
            if harder is not None:
                made.entry, made.hardened = harder, True
            elif self.strict:
                corrected = rewritten(record.correct, entry)
                made.trusted = corrected is not None
                made.entry = entry if corrected is None else corrected
        self._made[task, seed, written] = made  # now the last to go
        if len(self._made) > MAX_PROBLEMS:
            del self._made[next(iter(self._made))]
        return made

    def _of_row(self, task: str, row: Entry) -> MadeProblem:
        """Return the problem of a row, with a provable answer to its question.

        JSON has neither tuples nor keys that are numbers; parquet makes floats of numbers beside
        floats, and gives each mapping of a column the keys of all others. What the library makes
        shows the types.
        """
        if task not in self._examples:
            _, index = self._item(task, 0)
            self._examples[task] = self._new_dataset(task, 0, {})[index]
        shown = self._examples[task]["metadata"]
        given = row["metadata"]
        # Parquet has added None under names that no problem of the task has.
        none = {name: None for name, part in given.items() if part is None and name in shown}
        entry = {**row, "metadata": {**_like(given, shown), **none}}
        if self.strict:
            with guard.nothing_executed(task):
                corrected = rewritten(record_of(task).correct, entry)
            if corrected is None or corrected["answer"] == "":
                raise NoProvableAnswer("no answer to the question of this row is provably right")
            entry = corrected
        return MadeProblem(self, task, 0, _written({}), task, entry)

    def dataset(self, made: MadeProblem) -> Any:
        """Return a data set that can score every entry of a problem's task and parameters."""
        last, dataset = self._datasets.get(made.task, ("", None))
        if last == made.written:
            return dataset
        return self._new_dataset(made.task, made.seed, json.loads(made.written))

    def _new_dataset(self, task: str, seed: int, config: Config) -> Any:
        """Make a data set; it shares what the last one has prepared, if that is the same.

        Take its entry before the next one is made: codeio's data sets share the data of the last.
        """
        # codeio and list_functions draw from the global generators, pool_matrix reseeds numpy's,
        # and decimal_arithmetic changes the precision of all later computations with decimals.
        decimal.setcontext(decimal.Context())
        random.seed(f"{task} {seed}")
        numpy.random.seed(random.getrandbits(32))
        parameters = _with_enums(task, config)
        if task == "composite":
            self._prepared.pop("codeio", None)  # a codeio part would replace the data on the class
            parameters["datasets"] = [
                DatasetSpec(
                    part["name"],
                    part.get("weight", 1.0),
                    _with_enums(part["name"], part.get("config", {})),
                )
                for part in config.get("datasets", [])
            ]
        names = record_of(task).prepared
        key = "" if names is None else _written([config.get(name) for name in names])
        last_key, last = self._prepared.get(task, ("", None))
        if last is not None and last_key == key:
            dataset = copy.copy(last)
            dataset.config = type(last.config)(seed=seed, size=1, **parameters)
            dataset.config.validate()
            dataset.seed = seed
        else:
            size, _ = self._item(task, seed)
            dataset = reasoning_gym.create_dataset(task, size=size, seed=seed, **parameters)
            if key:
                self._prepared[task] = key, dataset
        self._datasets[task] = _written(config), dataset
        return dataset

    def _item(self, task: str, seed: int) -> tuple[int, int]:
        """Return the size of the data set of a seed, and the index of its problem."""
        item = record_of(task).item if self.strict else None
        return (1, 0) if item is None else item(seed)


def rewritten(rewrite: Correction | None, entry: Entry) -> Entry | None:
    """Return what `Task.correct` or `Task.harden` makes of an entry: itself, a copy, or None."""
    if rewrite is None:
        return entry
    try:
        result = rewrite(entry)
    except Exception:  # a question in a form unknown to the record; any parsing step may fail
        return None
    return entry if result == entry else result


def _require_texts(entry: Entry) -> None:
    """Raise TypeError or ValueError if a part is missing, of a wrong type, too long or no text."""
    wanted = {"question": (str,), "answer": (str, type(None)), "metadata": (dict,)}
    for part, types in wanted.items():
        if not isinstance(entry.get(part, ...), types):
            found = f"of type {type(entry[part]).__name__}" if part in entry else "missing"
            raise TypeError(f"the {part} is {found}, and has to be of type {types[0].__name__}")
    if not entry["question"].strip():
        raise ValueError("the question is empty")
    for part in ("question", "answer"):
        if len((entry[part] or "").encode()) > MAX_QUESTION:
            raise ValueError(f"the {part} has more than {MAX_QUESTION} bytes")


def _with_enums(task: str, config: Config) -> Config:
    """Return parameters with the library's enums in place of their values, which are text."""
    return {name: _as(_defaults(task).get(name), value) for name, value in config.items()}


@cache
def _defaults(task: str) -> dict[str, Any]:
    """Return the default parameters of a task; nothing of one that is not registered."""
    return vars(DATASETS[task][1]()) if task in DATASETS else {}


def _as(default: Any, value: Any) -> Any:
    if isinstance(default, Enum) and isinstance(value, str):
        return type(default)(value)
    if isinstance(default, list) and default and isinstance(value, list):
        return [_as(default[0], one) for one in value]
    return value


def _config_of_part(source: str, config: Config) -> Config:
    """Return the parameters of the part of composite that a task made."""
    parts = [part for part in config.get("datasets", []) if part["name"] == source]
    return dict(parts[0].get("config", {})) if parts else {}


_written = json.JSONEncoder().encode
"""Writes parameters as a key, in their order: a generator may draw from a mapping."""


def _like(value: Any, example: Any) -> Any:
    """Return a value of a row in the types of another one."""
    if isinstance(value, dict):
        shown = example if isinstance(example, dict) else {}
        known = {
            key: part
            for key, part in value.items()
            if part is not None or shown.get(key, ...) is None
        }
        if shown and all(isinstance(key, int) for key in shown):
            some = next(iter(shown.values()))
            return {_number(key): _like(part, some) for key, part in known.items()}
        return {key: _like(part, shown.get(key)) for key, part in known.items()}
    if isinstance(value, list) and isinstance(example, list | tuple):
        places = [*example, *example[-1:] * (len(value) - len(example))] or [None] * len(value)
        return type(example)(_like(*pair) for pair in zip(value, places, strict=False))
    is_whole = type(example) is int and isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value


def _number(key: str) -> int | str:
    return int(key) if key.removeprefix("-").isdecimal() else key


def faster_functions() -> Iterator[tuple[Any, str, Any]]:
    """Yield an owner (a module or class), a name in it, and what replaces it (`Task.faster`).

    tests/worker/test_faster.py compares each replacement with the library's function. Raise
    AttributeError if the library has no such name.
    """
    for task in records():
        for path, replacement in record_of(task).faster.items():
            module, *classes, name = path.split(":")
            owner: Any = importlib.import_module(f"reasoning_gym.{module}")
            for class_name in classes:
                owner = getattr(owner, class_name)
            getattr(owner, name)
            yield owner, name, replacement
