"""Load a user's own tasks: modules that register data sets, each with a record if it has one.

::

    load([TaskModule("my_tasks.py", "/home/me/my_tasks.py")])
    # {"my_task": OwnTask("own:8c5b1f0a94d2e7b3", "Count the islands of a map.")}

The author of a module trusts it: it is imported before the sandbox closes, and its functions run in
it like those of the library. What it needs later has to be imported and read by then.
"""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from reasoning_gym.factory import DATASETS

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier, Task
from rgenv.tasks.registry import add
from rgenv.worker.protocol import OWN, TaskModule

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_TAKEN = re.compile(r"Dataset '(.*)' is already registered")
_PREFIX = "own_tasks_"
_NOT_THE_USERS = {"rgenv", "reasoning_gym", *sys.stdlib_module_names}


class OwnTask(NamedTuple):
    """What the parent wants to know: a hash of the task's files, and what it asks."""

    source: str
    asks: str


class Refused(Exception):
    """Modules can't be used; the message is a sentence for the author of each.

    Attributes:
        words: the names that the modules were given.
    """

    words: Sequence[str] = ()


def load(modules: Sequence[TaskModule]) -> dict[str, OwnTask]:
    """Import modules and register the records of their tasks; raise Refused if any is unsound."""
    owners = dict.fromkeys(DATASETS, "reasoning-gym")
    found: dict[str, OwnTask] = {}
    refusals: dict[str, Refused] = {}
    for place, module in enumerate(modules):
        before = dict(DATASETS)
        try:
            found |= _loaded(module, place, owners)
        except Refused as refusal:
            refusals[module.word] = refusal
            DATASETS.clear()
            DATASETS.update(before)
        owners |= dict.fromkeys(found.keys() - owners.keys(), module.word)
    if refusals:
        refused = Refused(" ".join(str(one)[:300] for one in refusals.values()))
        refused.words = list(refusals)
        raise refused from next(iter(refusals.values()))
    return found


def _loaded(module: TaskModule, place: int, owners: Mapping[str, str]) -> dict[str, OwnTask]:
    before = dict(DATASETS)
    code = _imported(module, place, owners)
    if replaced := [task for task, old in before.items() if DATASETS.get(task) is not old]:
        raise Refused(f"{module.word} replaces the task {replaced[0]}: add one instead.")
    tasks = [task for task in DATASETS if task not in before]
    _check_names(module, tasks)
    for task, record in _records(module, code, tasks).items():
        add(task, replace(record, verify=record.verify or _by_data_set))
        dataset, config = DATASETS[task]
        DATASETS[task] = _naming(task, dataset), config
    source = _source(module)
    return {task: OwnTask(source, _asks(task, code)) for task in tasks}


def _by_data_set(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Score an answer as a completion has it: bare, without white space around it."""
    return library(answer.strip())


def _naming(task: str, dataset: Any) -> Any:
    """Return a data set whose entries name their task, which `composite` needs to know."""

    class Naming(dataset):
        __doc__ = dataset.__doc__

        def __getitem__(self, idx: int) -> Entry:
            entry: Entry = {"metadata": {}, **super().__getitem__(idx)}
            if isinstance(entry["metadata"], dict):
                entry["metadata"] = {"source_dataset": task, **entry["metadata"]}
            return entry

    return Naming


def _imported(module: TaskModule, place: int, owners: Mapping[str, str]) -> ModuleType:
    sys.path.append(str(_root(module)))  # last, so that it hides nothing
    try:
        if module.name:
            return importlib.import_module(module.name)
        name = f"{_PREFIX}{place}_{Path(module.path).stem}"
        spec = importlib.util.spec_from_file_location(name, module.path)
        assert spec is not None and spec.loader is not None
        code = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(code)
        return code
    except BaseException as error:  # foreign code, which may call sys.exit
        if taken := _TAKEN.search(str(error)):
            owner = owners.get(taken[1], module.word)
            reason = f"registers {taken[1]!r}, which {owner} has registered: choose another name"
        else:
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            reason = f"can't be imported{_line(error, module)}: {said}"
            if isinstance(error, ModuleNotFoundError):
                reason = f"{reason}: install it for {sys.executable}"
        raise Refused(f"{module.word} {reason}.") from error


def _root(module: TaskModule) -> Path:
    """Return the folder from which a module and its neighbours are imported."""
    path = Path(module.path)
    return path.parents[module.name.count(".") + (path.name == "__init__.py")]


def _line(error: BaseException, module: TaskModule) -> str:
    """Return the line of the module at which an exception was raised, in words."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == module.path]
    return f" (line {lines[-1]})" if lines else ""


def _check_names(module: TaskModule, tasks: Sequence[Any]) -> None:
    if not tasks:
        raise Refused(
            f"{module.word} registers no task: call "
            "reasoning_gym.factory.register_dataset(name, Dataset, Config) in it."
        )
    for task in tasks:
        is_name = isinstance(task, str) and _NAME.fullmatch(task)
        if not is_name or task in {OWN, *KNOWN_TASKS.values()}:
            raise Refused(
                f"{module.word} registers {task!r:.80}: choose a name of letters, digits, _ and -, "
                "that no category has."
            )


def _records(module: TaskModule, code: ModuleType, tasks: Sequence[str]) -> dict[str, Task]:
    one, several = getattr(code, "TASK", None), getattr(code, "TASKS", None)
    if one is not None and (several is not None or len(tasks) > 1):
        raise Refused(
            f"{module.word} has TASK and several tasks or TASKS: write one mapping, "
            f'TASKS = {{"{tasks[0]}": Task(...), ...}}.'
        )
    records = {tasks[0]: one} if one is not None else {} if several is None else several
    if not isinstance(records, Mapping):
        example = f'{{"{tasks[0]}": Task(...)}}'
        raise Refused(f"TASKS of {module.word} is not a mapping: write {example}.")
    for task, record in records.items():
        whose = f"The record of {task} in {module.word}"
        if task not in tasks:
            raise Refused(
                f"TASKS of {module.word} names {task!r:.80}; it registers {', '.join(tasks)}."
            )
        if not isinstance(record, Task):
            raise Refused(
                f"{whose} is of type {type(record).__name__}: write Task(...), which "
                "rgenv.tasks.record has."
            )
        if mistyped := _mistyped(record) or _mistyped(record.levels):
            raise Refused(f"{whose} has a wrong {mistyped}.")
        if useless := _without_effect(record):
            raise Refused(f"{whose} has {useless}.")
    return {task: records.get(task, Task()) for task in tasks}


def _mistyped(record: Any) -> str:
    """Return a field of a record whose value is of a wrong type, with both types, or nothing."""
    for name, hint in get_type_hints(type(record)).items():
        kinds = get_args(hint) if get_origin(hint) is UnionType else (hint,)
        types = [get_origin(kind) or kind for kind in kinds]
        value = getattr(record, name, None)
        if not isinstance(value, (*types, *([int] if float in types else []))):
            wanted = " or ".join(kind.__name__.removesuffix("Type") for kind in types)
            return f"{name}: {value!r:.60} is not a value of type {wanted}"
    return ""


def _without_effect(record: Task) -> str:
    """Return what a record says in vain, and why, or nothing."""
    for name in ("guarded", "faster", "seed_bits"):
        if getattr(record, name):
            return f"`{name}`, which applies to tasks of reasoning-gym only: leave it out"
    if record.kept and record.shortcuts is None:
        return "`kept`, but no `shortcuts` whose rules it could name"
    levels = record.levels
    if levels.fixed and levels.knots:
        return "levels that are fixed, so that its knots are never used"
    return ""


def _source(module: TaskModule) -> str:
    """Return a hash of the file of a module and of the files that it imports from its folder."""
    files = {module.path}
    package, _, inner = module.name.partition(".")
    for name, other in sys.modules.items():
        file = getattr(other, "__file__", None)
        top = name.partition(".")[0]
        if not file or top in _NOT_THE_USERS or name.startswith(_PREFIX):
            continue
        path = Path(file)
        is_near = _root(module) in path.parents and "site-packages" not in path.parts
        if (top == package) if inner else is_near:
            files.add(file)
    contents = sorted(Path(file).read_bytes() for file in files)
    digests = b"".join(hashlib.blake2b(content).digest() for content in contents)
    return f"{OWN}:{hashlib.blake2b(digests, digest_size=8).hexdigest()}"


def _asks(task: str, code: ModuleType) -> str:
    """Return the first line of the docstring of the data set, or else of the module."""
    texts = (DATASETS[task][0].__doc__, code.__doc__)
    found = next((inspect.cleandoc(text) for text in texts if text and text.strip()), "")
    return found.partition("\n")[0][:200]
