"""Hash the source of a task: all of the library that its problems and scores depend on.

::

    source = Source(Path(reasoning_gym.__file__).parent)
    source.hash_of([("algorithmic.ab", "ABDataset"), ("algorithmic.ab", "ABConfig")])
    # "8c5b1f0a94d2e7b3"

A task depends on its classes, on every definition that they name, wherever in the library it is,
and so on; and on the data files that these name. Comments, docstrings and formatting do not count,
nor does a new function that nothing calls. In doubt, a definition counts: all names in its code are
followed, whatever they stand for, and of a module that is used as an object everything counts.

Of the base classes that all tasks share, only those methods count whose name is used. Otherwise a
new method there would change the source of every task.

Nothing is imported or executed. Not here: other packages, such as sympy; names that a program
computes; what a package does while it is imported.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from rgenv.worker.source_reader import Definition, Module, Reference, read_module, short_hash

CALLED = frozenset("__getitem__ generate_configuration score_answer validate".split())
"""The methods that a worker calls."""


def package_digest(folder: Path) -> str:
    """Return 16 hex digits over all files of the library. It takes 20 ms."""
    digest = hashlib.sha256()
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        inside = root.removeprefix(str(folder)).replace(os.sep, "/")
        for name in sorted(names):
            with open(f"{root}/{name}", "rb", buffering=0) as file:
                content = file.read()
            digest.update(f"{inside}/{name} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


class Source:
    """The source of the library. To hash all tasks takes 2 s.

    Args:
        folder: of the package.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._module = cache(self._read_module)
        data = folder / "data"
        files = (path for path in data.rglob("*") if path.is_file())
        self._data = {path.relative_to(data).as_posix(): path for path in files}
        self._data_hash = cache(lambda name: hashlib.sha256(self._data[name].read_bytes()))

    def hash_of(self, roots: Iterable[Reference]) -> str:
        """Return 16 hex digits over all that some definitions depend on.

        Args:
            roots: module and name of each, without the name of the library.

        Raises:
            OSError: a file can't be read.
            SyntaxError: a module is no Python.
        """
        found = self._reached(list(roots))
        parts = {f"{one.module} {one.digest}" for one in found}
        named = {text for one in found for text in one.texts} & self._data.keys()
        parts |= {f"{name} {self._data_hash(name).hexdigest()}" for name in named}
        return short_hash("\n".join(sorted(parts)))

    def _reached(self, queue: list[Reference]) -> set[Definition]:
        """Return all definitions to which some references lead."""
        found: set[Definition] = set()
        seen: set[Reference] = set()
        used, methods = set(CALLED), list[tuple[str, Definition]]()
        while queue:
            reference = queue.pop()
            if reference in seen:
                continue
            seen.add(reference)
            definitions, references = self._look_up(*reference)
            queue += references
            new = set(definitions) - found
            while new:
                found |= new
                for one in new:
                    used |= one.names
                    methods += one.methods
                    queue += [*one.imports, *((one.module, name) for name in one.names)]
                new = {one for name, one in methods if name in used or _is_special(name)} - found
        return found

    def _look_up(self, module: str, name: str | None) -> tuple[list[Definition], list[Reference]]:
        """Return what a name of a module stands for: definitions, or names of other modules."""
        here = self._module(module)
        if here is None:
            return [], []
        if name is None:
            bound = [one for several in here.definitions.values() for one in several]
            stars: list[Reference] = [(star, None) for star in here.stars]
            return here.always + bound, [*here.imports.values(), *stars]
        if name in here.definitions:
            return here.always + here.definitions[name], []
        if name in here.imports:
            return [], [here.imports[name]]
        inside: Reference = (f"{module}.{name}".strip("."), None)  # a module of a package
        return [], [*((star, name) for star in here.stars), inside]

    def _read_module(self, name: str) -> Module | None:
        """Read a module; None if there is none of this name."""
        place = self._folder.joinpath(*name.split("."))
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                return read_module(self._folder.name, name, path)
        return None


def _is_special(method: str) -> bool:
    return method.startswith("__") and method.endswith("__")
