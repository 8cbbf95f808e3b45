"""Read what a module of the library defines and imports, for source_hash.py.

::

    module = read_module("reasoning_gym", "algorithmic.ab", path)
    module.definitions["ABDataset"]    # [Definition(digest="8c5b…", names={"Random", …}, …)]
    module.imports["BaseCurriculum"]   # ("coaching", "BaseCurriculum")

The digest of a definition is that of its syntax tree, without comments, docstrings and formatting.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SHARED = ("dataset", "coaching.")
"""How the names of modules begin whose classes are taken apart into their methods."""

MAX_FILE_NAME = 80

Reference = tuple[str, str | None]
"""A module of the library and a name in it; None: all of the module."""


@dataclass(frozen=True)
class Definition:
    """A statement of a module, or a method of a shared class.

    Attributes:
        module: the module that it is in.
        digest: a hash of its code.
        names: the identifiers in it.
        texts: the short string constants, some of which may be names of files.
        imports: what it imports of the library itself.
        methods: name -> method, of a shared class. They are no part of the other attributes.
    """

    module: str
    digest: str
    names: frozenset[str]
    texts: frozenset[str]
    imports: tuple[Reference, ...]
    methods: tuple[tuple[str, Definition], ...] = ()


@dataclass
class Module:
    """What a module defines and imports.

    Attributes:
        definitions: name -> the statements that bind it.
        imports: name -> what it stands for.
        stars: the modules of which everything is imported.
        always: the statements that bind no name.
    """

    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    imports: dict[str, Reference] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    always: list[Definition] = field(default_factory=list)


def read_module(package: str, name: str, path: Path) -> Module:
    """Read a module.

    Args:
        package: the name of the library.
        name: that of the module, without the library's; empty for the library itself.
        path: its file.

    Raises:
        OSError: the file can't be read.
        SyntaxError: it is no Python.
    """
    reader = _Reader(package, name, is_package=path.name == "__init__.py")
    return reader.module(ast.parse(path.read_bytes()))


def short_hash(text: str) -> str:
    """Return 16 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Reader:
    """Reads one module; see `read_module` for the arguments."""

    def __init__(self, package: str, name: str, *, is_package: bool) -> None:
        self._package = package
        self._name = name
        parts = name.split(".") if name else []
        self._parents = parts if is_package else parts[:-1]

    def module(self, tree: ast.Module) -> Module:
        module = Module()
        for statement in _without_docstring(tree.body):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self._add_imports(module, statement)
            elif not _registers(statement):
                self._add_statement(module, statement)
        return module

    def _add_statement(self, module: Module, statement: ast.stmt) -> None:
        definition = self._definition(statement)
        bound = set(_bound(statement))
        for name in bound:
            module.definitions.setdefault(name, []).append(definition)
        if not bound:
            module.always.append(definition)
        if not isinstance(statement, _DOCUMENTED):  # such as try: import x
            for node in ast.walk(statement):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    self._add_imports(module, node)

    def _add_imports(self, module: Module, statement: ast.Import | ast.ImportFrom) -> None:
        for name, reference in self._imports(statement):
            if name == "*":
                module.stars.append(reference[0])
            else:
                module.imports[name] = reference

    def _imports(self, statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Reference]]:
        """Yield each name that stands for a part of the library, with that part."""
        base = self._base(statement) if isinstance(statement, ast.ImportFrom) else None
        for alias in statement.names:
            top, _, inside = alias.name.partition(".")
            if base is not None:
                yield alias.asname or alias.name, (base, alias.name)
            elif isinstance(statement, ast.Import) and top == self._package:
                yield alias.asname or top, (inside if alias.asname else "", None)

    def _base(self, statement: ast.ImportFrom) -> str | None:
        """Return the module from which a statement imports; None if it is of another package."""
        if not statement.level:
            top, _, inside = (statement.module or "").partition(".")
            return inside if top == self._package else None
        parents = self._parents[: len(self._parents) - statement.level + 1]
        return ".".join([*parents, statement.module or ""]).strip(".")

    def _definition(self, node: ast.stmt) -> Definition:
        methods: list[tuple[str, Definition]] = []
        if isinstance(node, ast.ClassDef) and self._name.startswith(SHARED):
            functions = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            methods = [(one.name, self._definition(one)) for one in functions]
            node.body = [one for one in node.body if one not in functions]
        code = _Code()
        code.add(node)
        imports = [part for each in code.imports for part in self._imports(each)]
        return Definition(
            self._name,
            short_hash("\n".join(code.parts)),
            frozenset(code.names),
            frozenset(code.texts),
            tuple((module, None if name == "*" else inner) for name, (module, inner) in imports),
            tuple(methods),
        )


class _Code:
    """A syntax tree as text, and what it names.

    Attributes:
        parts: the text.
        names, texts: as in `Definition`.
        imports: the statements in it that import something.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.names: set[str] = set()
        self.texts: set[str] = set()
        self.imports: list[ast.Import | ast.ImportFrom] = []

    def add(self, value: Any) -> None:
        """Add a node, a list of nodes, or a plain value."""
        if isinstance(value, ast.AST):
            self._add_node(value)
        elif isinstance(value, list):
            self.parts.append("[")
            for one in value:
                self.add(one)
            self.parts.append("]")
        else:
            self.parts.append(repr(value))

    def _add_node(self, node: ast.AST) -> None:
        self.parts.append(type(node).__name__)
        match node:
            case ast.Name():
                self.names.add(node.id)
            case ast.Attribute():
                self.names.add(node.attr)
            case ast.Constant(value=str(text)):
                if len(text) <= MAX_FILE_NAME:
                    self.texts.add(text)
            case ast.Import() | ast.ImportFrom():
                self.imports.append(node)
        for name in node._fields:
            if name not in _IGNORED:
                value: Any = getattr(node, name, None)
                documented = name == "body" and isinstance(node, _DOCUMENTED)
                self.add(_without_docstring(value) if documented else value)


_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_IGNORED = frozenset("ctx kind type_comment type_params".split())
"""Fields of syntax trees that say nothing, or that not every Python has."""


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


def _registers(statement: ast.stmt) -> bool:
    """Return whether a statement only gives a task its name."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="register_dataset"))):
            return True
    return False


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds in its module; of an if or try, some more."""
    if isinstance(statement, _DOCUMENTED):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, _DOCUMENTED):
            yield node.name
