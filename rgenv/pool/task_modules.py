"""Find the modules with a user's own tasks, and try the tasks.

Only workers import them (rgenv/worker/own_tasks.py).
"""

import asyncio
import importlib.util
import os
from collections.abc import Iterable
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from rgenv.errors import BadUsage, MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.progress import say_if_slow
from rgenv.text import level_name
from rgenv.worker.protocol import TaskModule


def found(words: Iterable[str | os.PathLike[str]]) -> tuple[TaskModule, ...]:
    """Return the modules of files and importable names, each once; BadUsage: some do not exist."""
    modules: dict[str, TaskModule] = {}
    faults = []
    for word in words:
        try:
            module = _found(os.fspath(word))
            modules[module.path] = module
        except BadUsage as error:
            faults.append(str(error))
    if faults:
        raise BadUsage(" ".join(faults))
    return tuple(modules.values())


async def require_sound(pool: WorkerPool) -> None:
    """Try a user's own tasks at their default parameters, and at the lowest and highest level.

    Raise BadUsage if one is not sound, and say why.
    """
    for level in (None, 0.0, 1.0):
        tasks = [one for one in pool.own_tasks if level is None or one not in pool.fixed_tasks]
        faults = await asyncio.gather(*(_fault(pool, task, level) for task in tasks))
        if said := next(filter(None, faults), None):
            raise BadUsage(f"task_modules: {said}.")


async def _fault(pool: WorkerPool, task: str, level: float | None) -> str | None:
    at = "default level" if level is None else f"level {level_name(level)}"
    try:
        with say_if_slow(f"{task}, {at}: its generator is tried"):
            fault = await pool.attempt(task, level)
    except MakeFailed as error:
        fault = f"its trial failed: {error}"
    return fault and f"{task}, {at}: {fault}"


def _found(word: str) -> TaskModule:
    if os.sep not in word and not word.endswith(".py"):
        return _by_name(word)
    path = Path(word).expanduser().absolute()
    if not path.is_file():
        what = "is a folder: name a file in it" if path.is_dir() else "does not exist"
        raise BadUsage(f"task_modules: {word} {what}.")
    if path.suffix != ".py":
        raise BadUsage(f"task_modules: {word} is not a Python file: its name has to end with .py.")
    return TaskModule(word, str(path))


def _by_name(name: str) -> TaskModule:
    """Find a module as ``import`` does; nothing is executed, not even its packages."""
    first, *inner = name.split(".")
    try:
        spec = importlib.util.find_spec(first) if name else None
        for number, _ in enumerate(inner, 2):
            spec = _inside(spec, ".".join(name.split(".")[:number]))
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.has_location or not str(spec.origin).endswith(".py"):
        near = f" Did you mean {name}.py?" if Path(f"{name}.py").is_file() else ""
        folder = " It is a folder: name a file in it." if name and Path(name).is_dir() else ""
        raise BadUsage(
            f"task_modules: there is no Python module {name!r}: write a file (my_tasks.py), or a "
            f"name that can be imported.{near}{folder}"
        )
    path = str(Path(str(spec.origin)).absolute())
    is_alone = not inner and not spec.submodule_search_locations
    return TaskModule(name, path, "" if is_alone else name)


def _inside(package: ModuleSpec | None, name: str) -> ModuleSpec | None:
    places = package.submodule_search_locations if package is not None else None
    return PathFinder.find_spec(name, places) if places else None
