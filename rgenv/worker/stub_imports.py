"""Imports that a worker can do without.

    stub_packages("matplotlib", "mpl_toolkits")    # before what imports them

cellpylib, of which reasoning-gym uses two functions, imports matplotlib for plots: half of a
worker's start and a fifth of its memory. Packages left out are there, empty: every submodule can be
imported and every name is None. For a process that never uses them, and not in any other.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def stub_packages(*packages: str) -> None:
    """From now on these packages, and all in them, are imported as empty modules."""
    sys.meta_path.insert(0, _LeftOut(packages))


class _LeftOut(MetaPathFinder, Loader):
    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self._packages:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Empty(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing in it."""


class _Empty(ModuleType):
    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)
        return None
