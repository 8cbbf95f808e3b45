"""Decide from its source whether a program may run on a value that a model proposes.

Example::

    may_run("def main_solution(n): return n + 1")             # True
    may_run("def main_solution(text): return eval(text)")     # False

The programs are the library's, so nobody hides anything in them. What matters is that none hands
the value to something that executes, imports or opens it. So a program may use modules, builtins
and dunder names of the lists below, and nothing else; what it uses of a module is limited where the
module can do more than compute. A program that uses random numbers, the time or the process may not
run either: its output would tell nothing about the value.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator

MODULES = frozenset(
    """
    __future__ abc array base64 binascii bisect calendar cmath collections collections.abc copy csv
    dataclasses datetime decimal difflib enum fractions functools hashlib heapq io itertools json
    math numbers numpy numpy.linalg operator re statistics string struct textwrap types typing
    unicodedata
    """.split()
)
"""Modules that a program may use, but for `FORBIDDEN_ATTRIBUTES`."""
LIMITED_MODULES = {
    "random": frozenset[str](),
    "sys": frozenset({"maxsize", "float_info"}),
    "time": frozenset[str](),
    "warnings": frozenset({"warn"}),
}
"""Modules that a program may import, with what it may use of them. Many import what only their
generator needs."""
FORBIDDEN_ATTRIBUTES = frozenset(
    """
    open FileIO open_code fdopen modules sys os builtins codecs
    attrgetter methodcaller format_map vformat Formatter pbkdf2_hmac scrypt FunctionType CodeType
    load save savez savez_compressed savetxt loadtxt genfromtxt fromfile tofile memmap open_memmap
    fromregex DataSource ctypeslib ctypes f2py testing distutils core lib dump
    random default_rng rand randn
    """.split()
)
"""Attributes that reach files, modules and attributes by name, or draw random numbers."""
BUILTINS = frozenset(
    """
    abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod
    enumerate filter float format frozenset hasattr hash hex int isinstance issubclass iter len list
    map max min next object oct ord pow print property range repr reversed round set slice sorted
    staticmethod str sum super tuple type zip
    getattr setattr
    True False None NotImplemented Ellipsis __name__ __doc__
    """.split()
) | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, Exception)
}
"""Builtins that a program may use; the attribute names of getattr and setattr have to be given."""
_DUNDERS = frozenset(
    f"__{name}__"
    for name in """
    init new name class doc str repr len eq ne lt le gt ge hash bool call iter next contains getitem
    setitem delitem add radd iadd sub rsub mul rmul truediv rtruediv floordiv mod pow neg pos abs
    and or xor invert lshift rshift int float index round enter exit post_init
    """.split()
)


def may_run(code: str) -> bool:
    """Return whether a program may run on any value; see above. False if it can't be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in strings
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return _imports_are_allowed(tree) and not any(_refusals(tree))


def _imports_are_allowed(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or "."] if node.level == 0 else ["."]
        else:
            continue
        if not all(name in MODULES or name in LIMITED_MODULES for name in modules):
            return False
    return True


def _refusals(tree: ast.AST) -> Iterator[bool]:
    """Yield, for each node that could be refused, whether it is."""
    bound, limited = _bound_names(tree), _limited_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            is_builtin = hasattr(builtins, node.id) or _is_dunder(node.id)
            yield is_builtin and node.id not in bound and node.id not in BUILTINS
            yield limited.get(node.id, ()) is None
        elif isinstance(node, ast.Attribute):
            yield _is_forbidden(node.attr)
            yield node.attr == "format" and not isinstance(node.value, ast.Constant)
        elif isinstance(node, ast.ImportFrom):
            yield any(_is_forbidden(alias.name) for alias in node.names) and node.module in MODULES
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id in ("getattr", "setattr") and not _names_attribute(node)
            yield node.func.id == "type" and len(node.args) > 1
        elif isinstance(node, ast.AsyncFunctionDef | ast.Await):
            yield True
    yield from _uses_of_limited_modules(tree, limited)


def _is_forbidden(attribute: str) -> bool:
    return attribute in FORBIDDEN_ATTRIBUTES or (
        _is_dunder(attribute) and attribute not in _DUNDERS
    )


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _names_attribute(call: ast.Call) -> bool:
    """Return whether the second argument of a call is the name of an attribute it may use."""
    name = call.args[1] if len(call.args) > 1 else None
    return (
        isinstance(name, ast.Constant)
        and isinstance(name.value, str)
        and not _is_forbidden(name.value)
    )


def _bound_names(tree: ast.AST) -> set[str]:
    """Return the names that a program gives a meaning of its own."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


def _limited_names(tree: ast.AST) -> dict[str, frozenset[str] | None]:
    """Return what may be used of each name that stands for a limited module; None: nothing.

    A name imported from a limited module is there with None, unless it may be used.
    """
    names: dict[str, frozenset[str] | None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in LIMITED_MODULES:
                    names[alias.asname or alias.name] = LIMITED_MODULES[alias.name]
        elif isinstance(node, ast.ImportFrom) and node.module in LIMITED_MODULES:
            allowed = LIMITED_MODULES[node.module]
            for alias in node.names:
                if alias.name not in allowed:
                    names[alias.asname or alias.name] = None
    return names


def _uses_of_limited_modules(
    tree: ast.AST, limited: dict[str, frozenset[str] | None]
) -> Iterator[bool]:
    """Yield for each use of a limited module whether it is refused."""
    attributes = {
        id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and (allowed := limited.get(node.id)) is not None:
            yield attributes.get(id(node)) not in allowed
