"""Load a user's own tasks: modules that register data sets, each with a record if it has one.

::

    load([TaskModule("my_tasks.py", "/home/me/my_tasks.py")])
    # {"my_task": {"source": "own:8c5b1f0a94d2e7b3", "asks": "Count the islands of a map."}}

The author of a module trusts it: it is imported before the sandbox closes, and its functions run in
it like those of the library. What it needs later has to be imported and read by then.

Not here: finding the file of a module (rgenv/pool/task_modules.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import re
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from reasoning_gym.factory import DATASETS

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.record import Task
from rgenv.tasks.registry import add
from rgenv.worker import levels
from rgenv.worker.protocol import OWN, TaskModule

IMPORT_SECONDS = 40.0
"""For each module; a worker has 60 seconds to start."""

OwnTask = dict[str, str]
"""``source``: a hash of the files that make the task; ``asks``: what it asks, in a sentence."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_TAKEN = re.compile(r"Dataset '(.*)' is already registered")
_PREFIX = "own_tasks_"


class Refused(Exception):
    """A module can't be used; the message is a sentence for its author."""


class _TooLong(BaseException):
    """Not an Exception, so that no module catches it."""


def load(modules: Sequence[TaskModule]) -> dict[str, OwnTask]:
    """Import modules and register the records of their tasks.

    Raises:
        Refused: a module can't be used.
    """
    owners = dict.fromkeys(DATASETS, "reasoning-gym")
    found: dict[str, OwnTask] = {}
    for place, module in enumerate(modules):
        try:
            with _time_limit(IMPORT_SECONDS):
                found |= _loaded(module, place, owners)
        except _TooLong as error:
            raise Refused(f"{module.word} takes more than {IMPORT_SECONDS:g} s to load.") from error
        owners |= dict.fromkeys(found.keys() - owners.keys(), module.word)
    return found


def _loaded(module: TaskModule, place: int, owners: Mapping[str, str]) -> dict[str, OwnTask]:
    before = dict(DATASETS)
    code = _imported(module, place, owners)
    if replaced := [task for task, old in before.items() if DATASETS.get(task) is not old]:
        raise Refused(f"{module.word} replaces the task {replaced[0]}: add one instead.")
    tasks = [task for task in DATASETS if task not in before]
    _check_names(module, tasks)
    found: dict[str, OwnTask] = {}
    for task, record in _records(module, code, tasks).items():
        add(task, record)
        _check_parameters(module, task, record)
        found[task] = {"source": _source(module), "asks": _asks(task, record, code)}
    return found


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
    except _TooLong:
        raise
    except BaseException as error:  # foreign code, which may call sys.exit
        if taken := _TAKEN.search(str(error)):
            owner = owners.get(taken[1], module.word)
            reason = f"registers {taken[1]!r}, which {owner} has registered: choose another name"
        else:
            described = str(error) and f": {error}"
            reason = f"can't be imported: {type(error).__name__}{described}{_line(error, module)}"
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


def _check_names(module: TaskModule, tasks: Sequence[str]) -> None:
    if not tasks:
        raise Refused(
            f"{module.word} registers no task: call "
            "reasoning_gym.factory.register_dataset(name, Dataset, Config) in it."
        )
    for task in tasks:
        if not _NAME.fullmatch(task) or task in {OWN, *KNOWN_TASKS.values()}:
            raise Refused(
                f"{module.word} registers {task!r:.80}: choose a name of letters, digits, _ and -, "
                "other than that of a category."
            )


def _records(module: TaskModule, code: ModuleType, tasks: Sequence[str]) -> dict[str, Task]:
    """Return the record of each task of a module."""
    one, several = getattr(code, "TASK", None), getattr(code, "TASKS", None)
    if one is not None and (several is not None or len(tasks) > 1):
        raise Refused(
            f"{module.word} has TASK and several tasks or TASKS: write one mapping, "
            f'TASKS = {{"{tasks[0]}": Task(...), ...}}.'
        )
    records = {tasks[0]: one} if one is not None else {} if several is None else several
    if not isinstance(records, Mapping):
        raise Refused(f'TASKS of {module.word} is no mapping: write {{"{tasks[0]}": Task(...)}}.')
    for task, record in records.items():
        if task not in tasks:
            raise Refused(
                f"TASKS of {module.word} names {task!r:.80}; it registers {', '.join(tasks)}."
            )
        if not isinstance(record, Task):
            raise Refused(
                f"The record of {task} in {module.word} is of type {type(record).__name__}: write "
                "Task(...), which rgenv.tasks.record has."
            )
    return {task: records.get(task, Task()) for task in tasks}


def _check_parameters(module: TaskModule, task: str, record: Task) -> None:
    """Make the parameters of a task once: of its defaults, and of its levels if it has any."""
    if record.levels.work is not None and record.work is None:
        raise Refused(f"The record of {task} in {module.word} has work in its levels, but no work.")
    for level in (None,) if levels.is_fixed(task) else (None, 0.0, 1.0):
        at = "by default, with seed and size" if level is None else f"at level {level:g}"
        try:
            parameters = {} if level is None else levels.level_config(task, level)
            config = DATASETS[task][1](seed=0, size=1, **parameters)
            config.validate() if hasattr(config, "validate") else None
        except Exception as error:  # foreign code, and mistakes in a record
            raise Refused(
                f"{task} of {module.word} can't have the parameters that it should have {at}: "
                f"{type(error).__name__}: {error}."
            ) from error


def _source(module: TaskModule) -> str:
    """Return a hash of the file of a module and of those that it imports from its folder."""
    files = {module.path}
    package, _, inner = module.name.partition(".")
    for name, other in sys.modules.items():
        file = getattr(other, "__file__", None)
        top = name.partition(".")[0]
        if not file or top in ("rgenv", "reasoning_gym") or name.startswith(_PREFIX):
            continue
        path = Path(file)
        is_near = _root(module) in path.parents and "site-packages" not in path.parts
        if (top == package) if inner else is_near:
            files.add(file)
    contents = sorted(Path(file).read_bytes() for file in files)
    digests = b"".join(hashlib.blake2b(content).digest() for content in contents)
    return f"{OWN}:{hashlib.blake2b(digests, digest_size=8).hexdigest()}"


def _asks(task: str, record: Task, code: ModuleType) -> str:
    """Return what a task asks: as its record says, or the first line of a docstring."""
    documented = (DATASETS[task][0].__doc__, code.__doc__)
    texts: tuple[Any, ...] = (getattr(record, "asks", ""), *documented)
    found = next((inspect.cleandoc(text) for text in texts if text and text.strip()), "")
    return found.partition("\n")[0][:200]


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_TooLong` in the code that runs after so many seconds."""

    def raise_it(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
