"""Replace packages that are imported but never used by empty modules.

::

    stub_packages("matplotlib", "mpl_toolkits")    # before anything imports them

reasoning-gym uses two functions of cellpylib, which imports matplotlib for plots. Loading
matplotlib takes half of a worker's start-up time and a fifth of its memory. Every submodule of a
stubbed package can be imported, and every name in it is None. Use this only in a process that never
uses the packages.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def stub_packages(*packages: str) -> None:
    """Import these packages and all their submodules as empty modules from now on."""
    sys.meta_path.insert(0, _StubFinder(packages))


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
