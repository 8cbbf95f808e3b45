"""For each task another way to its answer, from the question's text where that is possible.

::

    CHECKS["gcd"](entry)    # True: the label is right, False: wrong, None: cannot tell

Written without a look at rgenv/worker/labels/__init__.py, which is what they are to check. A check that cannot
read a question raises: that is a fault of the check.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from benchmarks.label_checks import (
    arithmetic,
    graphs,
    grids,
    logic,
    people,
    puzzles,
    strings,
    times,
)

Check = Callable[[dict[str, Any]], bool | None]


def _checks(module: ModuleType) -> dict[str, Check]:
    """The functions of a module that take an entry: each is named for its task."""
    return {
        name: value
        for name, value in vars(module).items()
        if name[0] != "_" and getattr(value, "__annotations__", {}).get("entry") == "Entry"
    }


MODULES = (arithmetic, graphs, grids, logic, people, puzzles, strings, times)

CHECKS: dict[str, Check] = dict(
    sorted((name, check) for module in MODULES for name, check in _checks(module).items())
)
