"""Decide from its source whether a program may run on a value that a model proposes.

The programs are the library's, so nobody hides anything in them. What matters is that none hands
the value to something that executes, imports or opens it. So a program may use modules, builtins
and dunder names of the lists below, and nothing else; what it uses of a module is limited where the
module can do more than compute. A program that uses random numbers, the time or the process may not
run either: its output would tell nothing about the value.
"""

import ast
import builtins
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

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


@lru_cache(maxsize=32)
def may_run(code: str) -> bool:
    """Return whether a program may run on any value; see above. False if it can't be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in strings
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return not any(_refusals(list(ast.walk(tree))))


def _refusals(nodes: Sequence[ast.AST]) -> Iterator[bool]:
    """Yield, for each node that could be refused, whether it is."""
    bound, limited = _bound_names(nodes), _limited_names(nodes)
    attributes = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                yield not all(_may_import(alias.name) for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                yield bool(level) or not _may_import(module or ".")
                yield module in MODULES and any(_is_forbidden(alias.name) for alias in aliases)
            case ast.Name(id=name):
                is_builtin = hasattr(builtins, name) or _is_dunder(name)
                yield is_builtin and name not in bound and name not in BUILTINS
                yield name in limited and attributes.get(id(node)) not in limited[name]
            case ast.Attribute(attr=name, value=value):
                yield _is_forbidden(name)
                yield name == "format" and not isinstance(value, ast.Constant)
            case ast.Call(func=ast.Name(id="getattr" | "setattr")):
                yield not _names_attribute(node)
            case ast.Call(func=ast.Name(id="type"), args=arguments):
                yield len(arguments) > 1
            case ast.AsyncFunctionDef() | ast.Await():
                yield True


def _may_import(module: str) -> bool:
    return module in MODULES or module in LIMITED_MODULES


def _is_forbidden(attribute: str) -> bool:
    return attribute in FORBIDDEN_ATTRIBUTES or (
        _is_dunder(attribute) and attribute not in _DUNDERS
    )


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _names_attribute(call: ast.Call) -> bool:
    """Return whether the second argument of a call is the name of an attribute it may use."""
    match call.args:
        case [_, ast.Constant(value=str(name)), *_]:
            return not _is_forbidden(name)
    return False


def _bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that a program gives a meaning of its own."""
    names = set()
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
    return names


def _limited_names(nodes: Iterable[ast.AST]) -> dict[str, frozenset[str]]:
    """Return what may be used of each name that stands for a limited module.

    Of a name that is imported from a limited module, and may not be, that is nothing.
    """
    names = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in LIMITED_MODULES:
                    names[alias.asname or alias.name] = LIMITED_MODULES[alias.name]
        elif isinstance(node, ast.ImportFrom) and node.module in LIMITED_MODULES:
            for alias in node.names:
                if alias.name not in LIMITED_MODULES[node.module]:
                    names[alias.asname or alias.name] = frozenset()
    return names
