"""Which tasks are covered: our corrections apply to the source of the task in the library.

::

    covered("gcd")       # True: its source is the same as in the measured release
    sources()["gcd"]     # "8c5b1f0a94d2e7b3", a hash of the source
    differences()        # {"changed": [], "new": [], "gone": []}

The source of a task is the whole files of its modules, and of all modules of the library that these
import, directly or not. The data files are part of the module reasoning_gym.data: a task that
imports it depends on all of them. Other packages, such as sympy, do not count.

`python -m tools.measure --only source` writes the hashes of the release that was measured into
rgenv/measured.json; `registry.record_of` says what holds for a task of another source.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import reasoning_gym
from reasoning_gym.factory import CURRICULA, DATASETS

from rgenv.measured import TASKS

_FROM = r"from[ \t]*([.\w]+)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n]*)"
_IMPORT = re.compile(rf"\n[ \t]*(?:{_FROM}|import[ \t]+([^\n]*))".encode())
"""An import anywhere in a file: to parse the library would take a second."""

_COMMENT_OR_ALIAS = re.compile(r"#.*|\bas\s+\w+")


@cache
def covered(task: str) -> bool:
    """Return whether our corrections apply to a task."""
    return task in TASKS and sources().get(task) == TASKS[task].source


def differences() -> dict[str, list[str]]:
    """Return the tasks that are not covered, and the ones that the library no longer has."""
    return {
        "changed": [task for task in sources() if task in TASKS and not covered(task)],
        "new": [task for task in sources() if task not in TASKS],
        "gone": [task for task in TASKS if task not in sources()],
    }


@cache
def sources() -> Mapping[str, str]:
    """Return the hash of the source of each registered task. It takes 60 ms."""
    hashes = {}
    for task, classes in DATASETS.items():
        curriculum = filter(None, [CURRICULA.get(task)])
        modules = modules_of({one.__module__ for one in (*classes, *curriculum)})
        files = "\n".join(f"{module} {_read(module)[0]}" for module in sorted(modules))
        hashes[task] = hashlib.sha256(files.encode()).hexdigest()[:16]
    return hashes


def modules_of(roots: Iterable[str]) -> set[str]:
    """Return the modules of the library among the roots, and all that they import of it."""
    found, queue = set[str](), list(roots)
    while queue:
        module = queue.pop()
        if module not in found and _path(module):
            found.add(module)
            queue += _read(module)[1]
    return found


@cache
def _path(module: str) -> Path | None:
    """Return the file of a module; None if the library has no such module."""
    library = Path(str(reasoning_gym.__file__)).parent
    package, *inside = module.split(".")
    place = library.joinpath(*inside)
    files = (place / "__init__.py", place.with_suffix(".py"))
    return next((path for path in files if package == library.name and path.is_file()), None)


@cache
def _read(module: str) -> tuple[str, frozenset[str]]:
    """Return a digest of a module, and what it imports; other packages are left to `_path`."""
    path = _path(module)
    assert path is not None
    source = path.read_bytes()
    digest = hashlib.sha256(source)
    package = module.split(".")
    if path.name != "__init__.py":
        package.pop()
    elif path.parent.name == "data":
        for file in sorted(path.parent.iterdir()):
            if file.is_file() and file.suffix != ".py":
                content = file.read_bytes()
                digest.update(f"\n{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest(), frozenset(_imports(source, package))


def _imports(source: bytes, package: list[str]) -> Iterator[str]:
    """Yield what a file of `package` imports: a module, or the module that has the name."""
    for one in _IMPORT.finditer(b"\n" + source.replace(b"\\\n", b" ")):
        base, names, plain = (_COMMENT_OR_ALIAS.sub("", (x or b"").decode()) for x in one.groups())
        yield from re.findall(r"[.\w]+", plain)
        inside = base.lstrip(".")
        if dots := len(base) - len(inside):
            parents = package[: len(package) - dots + 1]
            base = ".".join([*parents, inside] if inside else parents)
        for name in re.findall(r"[*\w]+", names):
            yield f"{base}.{name}" if _path(f"{base}.{name}") else base
