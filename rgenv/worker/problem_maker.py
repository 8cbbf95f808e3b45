"""Make problems from recipes, and score answers to them.

The caches affect nothing but speed. Some data sets read files or run a search in ``__init__``, for
up to 0.3 s. What they prepare there depends on the parameters in `Task.prepared` alone, so a copy
with another seed is equal to a new data set.
"""

from __future__ import annotations

import copy
import decimal
import json
import random
from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy
import reasoning_gym
from reasoning_gym.composite import DatasetSpec
from reasoning_gym.factory import DATASETS

from rgenv.tasks.answers.kind import canonical
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Correction, LibraryVerifier, by_library
from rgenv.tasks.registry import record_of
from rgenv.tasks.verifying import exact
from rgenv.worker import row_entries
from rgenv.worker.guard import guard

Config = dict[str, Any]

MAX_ENTRIES = 1024
"""Entries that a maker keeps, a few kB each. One data set of every task takes 45 MB in all."""

MAX_QUESTION = 256 * 1024
"""Bytes of a question. The parent takes no line of more than 1 MiB."""


class Made(NamedTuple):
    """The entry of a recipe; whether its reference answer is provably right, and it is hardened."""

    entry: Any
    trusted: bool = True
    hardened: bool = False


class ProblemMaker:
    """Makes and scores problems. Keeps the last entries, and one data set for each task.

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
        self._keep_entries()

    def _keep_entries(self) -> None:
        self._entry = lru_cache(MAX_ENTRIES)(self._new_entry)
        self._is_winnable = lru_cache(MAX_ENTRIES)(self._accepts_reference)

    def hardening(self) -> ProblemMaker:
        """Return a maker of hardened problems that shares the data sets of this one."""
        twin = copy.copy(self)
        twin.hardened = True
        twin._keep_entries()
        return twin

    def make(self, task: str, seed: int, config: Config) -> Any:
        """Return the entry of a recipe: reasoning-gym's dict of question, answer and metadata."""
        return self.made(task, seed, config).entry

    def of_row(self, task: str, row: Entry) -> Entry:
        """Return the entry of a row that others made, with a provable answer to its question."""
        if task not in self._examples:
            _, index = self._item(task, 0)
            self._examples[task] = self._new_dataset(task, 0, {})[index]
        entry = row_entries.entry_of(row, self._examples[task])
        if not self.strict:
            return entry
        with guard.nothing_executed(task):
            result = corrected(task, entry)
        if result is None or result["answer"] == "":
            raise row_entries.NoProvableAnswer
        return result

    def winnable(self, task: str, seed: int, config: Config) -> bool:
        """Return whether an answer to this problem can score 1.0, as far as that is known.

        It can't if the reference answer is empty, not trusted, or scores less under the library's
        verifier.
        """
        return self._is_winnable(task, seed, _written(config))

    def _accepts_reference(self, task: str, seed: int, written: str) -> bool:
        config = json.loads(written)
        entry, trusted, _ = self.made(task, seed, config)
        answer, metadata = entry["answer"], entry["metadata"]
        if answer == "" or not trusted:
            return False
        if not isinstance(answer, str):
            return True
        if metadata.get("input_data") == metadata.get("output_data") == {}:
            return False  # the program of codeio failed
        with guard.nothing_executed(source_task(task, entry)):
            return bool(self.dataset(task, seed, config).score_answer(answer, entry) >= 1.0)

    def dataset(self, task: str, seed: int, config: Config) -> Any:
        """Return a data set that can score every entry of `task` made with `config`."""
        last, dataset = self._datasets.get(task, ("", None))
        return dataset if last == _written(config) else self._new_dataset(task, seed, config)

    def score(self, task: str, dataset: Any, entry: Any, answer: str) -> float:
        """Score one form of an answer; raises whatever the verifier raises."""

        def library(text: str) -> float:
            score = dataset.score_answer(answer=text, entry=entry)
            if isinstance(score, str | bytes):  # `float` would read it
                raise TypeError(f"the verifier returned {score!r:.60}, which is not a number")
            return float(score)

        with guard.nothing_executed(task):
            return verify(task, answer, entry, library) if self.strict else library(answer)

    def made(self, task: str, seed: int, config: Config) -> Made:
        """Return the entry of a recipe, and what became of it."""
        return self._entry(task, seed, _written(config))

    def _new_entry(self, task: str, seed: int, written: str) -> Made:
        config = json.loads(written)
        _, index = self._item(task, seed)
        entry = {**self._new_dataset(task, seed, config)[index], "seed": seed}
        _require_texts(entry)
        source = source_task(task, entry)
        entry["config"] = config if source == task else _config_of_part(source, config)
        if self.hardened and (result := hardened(source, entry)) is not None:
            return Made(result, hardened=True)
        if not self.strict:
            return Made(entry)
        result = corrected(source, entry)
        return Made(entry, trusted=False) if result is None else Made(result)

    def _new_dataset(self, task: str, seed: int, config: Config) -> Any:
        """Make a data set.

        Take its entry before the next one is made: codeio's data sets share the data of the last.
        """
        _seed_global_generators(task, seed)
        dataset = self._reused_dataset(task, seed, _with_enums(task, config))
        self._datasets[task] = _written(config), dataset
        return dataset

    def _reused_dataset(self, task: str, seed: int, config: Config) -> Any:
        """Return a data set that shares what another one has prepared, if that is the same."""
        if task == "composite":
            self._prepared.pop("codeio", None)  # a codeio part would replace the data on the class
        prepared = record_of(task).prepared
        if prepared is None:
            return self._create_dataset(task, seed, config)
        key = json.dumps([config.get(name) for name in prepared])
        last_key, last = self._prepared.get(task, ("", None))
        if last is None or last_key != key:
            last = self._create_dataset(task, seed, config)
            self._prepared[task] = key, last
            return last
        dataset = copy.copy(last)
        dataset.config = type(last.config)(seed=seed, size=1, **config)
        dataset.config.validate()
        dataset.seed = seed
        return dataset

    def _create_dataset(self, task: str, seed: int, config: Mapping[str, Any]) -> Any:
        parameters = dict(config)
        if task == "composite":
            parameters["datasets"] = [
                DatasetSpec(
                    part["name"],
                    part.get("weight", 1.0),
                    _with_enums(part["name"], part.get("config", {})),
                )
                for part in config.get("datasets", [])
            ]
        size, _ = self._item(task, seed)
        return reasoning_gym.create_dataset(task, size=size, seed=seed, **parameters)

    def _item(self, task: str, seed: int) -> tuple[int, int]:
        """Return the size of the data set of a seed, and the index of its problem."""
        item = record_of(task).item if self.strict else None
        return (1, 0) if item is None else item(seed)


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


def verify(task: str, answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the score of an answer, bare or inside ``<answer>`` tags, by the record of its task.

    Our verifiers give the tagged form 0.0: the same answer is also scored without its tags.
    Raises whatever the library's verifier raises.
    """
    record = record_of(task)
    if answer.startswith("<answer>"):
        return library(answer) if record.verify is by_library else 0.0
    return (record.verify or exact)(canonical(record.answer, answer, entry), entry, library)


def corrected(task: str, entry: Entry) -> Entry | None:
    """Return the entry, or a copy with a right answer; None if no answer is provably right."""
    correct = record_of(task).correct
    return entry if correct is None else _rewritten(correct, entry)


def hardened(task: str, entry: Entry) -> Entry | None:
    """Return a harder problem in place of an entry; None if task or parameters have none."""
    harden = record_of(task).harden
    return None if harden is None else _rewritten(harden, entry)


def _rewritten(rewrite: Correction, entry: Entry) -> Entry | None:
    try:
        result = rewrite(entry)
    except Exception:  # a question in a form unknown to the record; any parsing step may fail
        return None
    return entry if result == entry else result


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


def source_task(task: str, entry: Any) -> str:
    """Return the task that made `entry`: for composite, the task of the part it was drawn from."""
    return str(entry["metadata"]["source_dataset"]) if task == "composite" else task


_written = json.JSONEncoder().encode
"""Writes parameters as a key, in their order: a generator may draw from a mapping."""


def _seed_global_generators(task: str, seed: int) -> None:
    """Put global state in a state that depends on task and seed alone.

    codeio and list_functions draw from the global generators, pool_matrix reseeds numpy's, and
    decimal_arithmetic changes the precision of all later computations with decimals.
    """
    decimal.setcontext(decimal.Context())
    random.seed(f"{task} {seed}")
    numpy.random.seed(random.getrandbits(32))
